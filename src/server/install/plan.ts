import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../backends/types.ts';
import { type Fields, isFields } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { type InstallClient, type ServerCommand } from './clients.ts';
import { type ConfigNotation, ConfigTextError } from './config-text.ts';
import { carriedEnvironment, defaultEnvironment, STATE_VARIABLES, setKeys } from './entry-environment.ts';
import { isOurs, mergeEntry } from './existing-entry.ts';
import { notationOf } from './notation.ts';
import type { Places } from './places.ts';
import { addWakeHook, hookCommand, removeWakeHook } from './wake-hook.ts';

/** What was asked for cannot be done; the message says why and what to do. Nothing was written. */
export class InstallError extends Error {
  override name = 'InstallError';
}

/** One file that changes. `before` is undefined when it does not exist yet. */
export interface FileChange {
  file: string;
  before: string | undefined;
  after: string;
}

/** A piece of settings as it would stand in a file of its own, to be shown. */
export interface Snippet {
  file: string;
  text: string;
}

export interface InstallPlan {
  changes: FileChange[];
  snippets: Snippet[];
  /** What the person should know besides. */
  notes: string[];
  /** What there is to do until the client sees the change. */
  afterwards?: string;
}

export interface InstallOrder {
  client: InstallClient;
  /** The name that the server is registered under. */
  name: string;
  server: ServerCommand;
  environment: Environment;
  places: Places;
  /** Another file than the client's usual one. */
  file?: string;
  /** Further variables for the entry. */
  variables?: Readonly<Record<string, string>>;
  /** Take the place of an entry of that name which starts something else. */
  replace?: boolean;
  /** Leave the hooks alone. */
  withoutHook?: boolean;
}

interface OpenFile {
  file: string;
  text: string | undefined;
  notation: ConfigNotation;
  settings: Fields;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw new InstallError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}

/** Says which file, and that it was left alone. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigTextError)) throw error;
    throw new InstallError(
      `${file}: ${error.message}. Nothing was changed: put that right (or move the file away) and run this again`,
    );
  }
}

async function openFile(file: string, dialect: InstallClient['dialect']): Promise<OpenFile> {
  const notation = await notationOf(dialect);
  const text = readText(file);
  return { file, text, notation, settings: inFile(file, () => notation.parse(text ?? '')) };
}

/** The change of one file; undefined when it has all of it already. Checked by reading the new text again. */
function change(open: OpenFile, after: Fields): FileChange | undefined {
  const { file, text, notation, settings } = open;
  if (isDeepStrictEqual(settings, after)) return undefined;
  return inFile(file, () => {
    const changed = notation.patch(text ?? '', settings, after);
    if (!isDeepStrictEqual(notation.parse(changed), after))
      throw new ConfigTextError('it cannot be edited safely (does a key stand in it twice?)');
    return { file, before: text, after: changed };
  });
}

/** The file of a client that is there, else the one to make. */
export function settingsFile(client: InstallClient, places: Places): string {
  const files = client.files(places);
  const file = files.find((path) => existsSync(path)) ?? files.at(-1);
  if (file === undefined) throw new TypeError(`${client.id} has no file`);
  return file;
}

function serversOf(settings: Fields, keys: readonly string[]): Fields {
  let at: Fields = settings;
  for (const key of keys) {
    const next = at[key] ?? {};
    if (!isFields(next)) throw new ConfigTextError(`"${keys.join('.')}" is no object`);
    at = next;
  }
  return at;
}

/** Settings with the object of servers replaced; an empty one goes with its key. */
function withServers(settings: Fields, keys: readonly string[], servers: Fields): Fields {
  const [key, ...rest] = keys;
  if (key === undefined) return servers;
  if (Object.keys(servers).length === 0 && rest.length === 0) {
    const { [key]: _empty, ...others } = settings;
    return others;
  }
  const inner = settings[key];
  return { ...settings, [key]: withServers(isFields(inner) ? inner : {}, rest, servers) };
}

function checkName({ client, name }: InstallOrder): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name)) {
    throw new InstallError(
      `invalid name ${JSON.stringify(name)}: want 1 to 40 letters, digits, - or _ (clients build the names of tools from it)`,
    );
  }
  if (client.name && !client.name.pattern.test(name))
    throw new InstallError(
      `invalid name ${JSON.stringify(name)} for ${client.label}: want one ${client.name.rule}`,
    );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isFields(value) ? Object.values(value).flatMap(textsIn) : [];
}

function newEntry(order: InstallOrder, existing: unknown): Fields {
  const { client, server, environment, variables } = order;
  const carried = { ...carriedEnvironment(environment), ...variables };
  const defaults = defaultEnvironment(client, environment);
  const entry = client.entry(server);
  const old = isFields(existing) ? existing[client.environmentKey] : undefined;
  // What stands in an entry already is younger knowledge than a default, and older than what this shell says.
  const all = { ...defaults, ...(isFields(old) ? old : {}), ...carried };
  if (Object.keys(all).length > 0) entry[client.environmentKey] = all;
  const replaced = client.replaces && textsIn(entry).find((text) => client.replaces?.test(text));
  if (replaced !== undefined) {
    throw new InstallError(
      `${client.label} would replace a part of ${JSON.stringify(replaced)} by something else: use paths and values without such signs`,
    );
  }
  const keys = setKeys(environment).filter((name) => carried[name] === undefined);
  const forwarded = client.forward && keys.length > 0 ? client.forward(keys) : {};
  return mergeEntry(entry, forwarded, client.environmentKey);
}

function stateOf(entry: Fields, environmentKey: string): Record<string, string> {
  const variables = entry[environmentKey];
  const state: Record<string, string> = {};
  for (const name of STATE_VARIABLES) {
    const value = isFields(variables) ? variables[name] : undefined;
    if (typeof value === 'string') state[name] = value;
  }
  return state;
}

function notesOf(order: InstallOrder, file: string): string[] {
  const { client, environment, places, server } = order;
  const others = [...new Set(client.files(places))].filter((path) => path !== file && existsSync(path));
  const keys = client.handsOn === 'all' || client.forward ? [] : setKeys(environment);
  return [
    ...others.map(
      (path) => `${client.label} has settings in ${path} as well: for that one add --file ${path}`,
    ),
    ...(keys.length > 0
      ? [`${client.label} does not hand on ${keys.join(', ')} to its servers: keep a key with: baton setup`]
      : []),
    ...(server.args.some((word) => /[\\/]_npx[\\/]/.test(word))
      ? [
          'this package lies in the cache of npx, which is emptied now and then: install it first (npm install -g baton-mcp) and run this again from there',
        ]
      : []),
    ...(defaultEnvironment(client, environment).BATON_BACKEND && !environment.BATON_BACKEND
      ? [
          'agy is not installed here: the entry says BATON_BACKEND=baton, so that runs go to Baton’s own agent',
        ]
      : []),
  ];
}

/** What installing would change, and what it would add. @throws {InstallError} */
export async function planInstall(order: InstallOrder): Promise<InstallPlan> {
  const { client, name, server, places } = order;
  checkName(order);
  const open = await openFile(order.file ?? settingsFile(client, places), client.dialect);
  const servers = inFile(open.file, () => serversOf(open.settings, client.servers));
  const existing = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (existing !== undefined && !isOurs(existing) && !order.replace) {
    throw new InstallError(
      `${open.file} has a server ${JSON.stringify(name)} already, and it starts something else: choose another name with --name, or give --replace`,
    );
  }
  const known = isOurs(existing) ? existing : undefined;
  const fresh = newEntry(order, known);
  const entry = mergeEntry(known, fresh, client.environmentKey);
  const changes = [change(open, withServers(open.settings, client.servers, { ...servers, [name]: entry }))];
  const alone = withServers({}, client.servers, { [name]: fresh });
  const snippets = [{ file: open.file, text: open.notation.patch('', {}, alone) }];
  if (client.hooksFile && !order.withoutHook) {
    const hooks = await openFile(client.hooksFile(places), 'json');
    const command = hookCommand(server, stateOf(entry, client.environmentKey));
    changes.push(
      change(
        hooks,
        inFile(hooks.file, () => addWakeHook(hooks.settings, name, command)),
      ),
    );
    snippets.push({ file: hooks.file, text: hooks.notation.patch('', {}, addWakeHook({}, name, command)) });
  }
  return {
    changes: changes.filter((one) => one !== undefined),
    snippets,
    notes: notesOf(order, open.file),
    afterwards: client.afterwards,
  };
}

/** What uninstalling would change: the entry of that name goes from every file of the client that has it. @throws {InstallError} */
export async function planUninstall(
  order: Pick<InstallOrder, 'client' | 'name' | 'places' | 'file' | 'replace'>,
): Promise<InstallPlan> {
  const { client, name, places } = order;
  const files = order.file === undefined ? client.files(places) : [order.file];
  const changes: (FileChange | undefined)[] = [];
  for (const file of new Set(files)) {
    const open = await openFile(file, client.dialect);
    const servers = inFile(file, () => serversOf(open.settings, client.servers));
    if (!Object.hasOwn(servers, name)) continue;
    if (!isOurs(servers[name]) && !order.replace) {
      throw new InstallError(
        `the server ${JSON.stringify(name)} in ${file} starts something else than Baton: it is left alone (give --replace to remove it all the same)`,
      );
    }
    const { [name]: _gone, ...others } = servers;
    changes.push(change(open, withServers(open.settings, client.servers, others)));
  }
  if (client.hooksFile) {
    const hooks = await openFile(client.hooksFile(places), 'json');
    changes.push(
      change(
        hooks,
        inFile(hooks.file, () => removeWakeHook(hooks.settings, name)),
      ),
    );
  }
  return { changes: changes.filter((one) => one !== undefined), snippets: [], notes: [] };
}
