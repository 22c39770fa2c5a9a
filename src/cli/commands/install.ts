import { resolve } from 'node:path';
import { findInstallClient, INSTALL_CLIENTS, type InstallClient } from '../../server/install/clients.ts';
import { placesOf } from '../../server/install/places.ts';
import {
  InstallError,
  type InstallOrder,
  type InstallPlan,
  planInstall,
  planUninstall,
  settingsFile,
} from '../../server/install/plan.ts';
import { serverCommand } from '../../server/install/server-command.ts';
import { writeChange } from '../../server/install/write-config.ts';
import { CommandError } from '../exit.ts';
import { type FlagTable, type ParsedFlags, parseFlags, UsageError } from '../flags.ts';
import { createPaint, printable } from '../paint.ts';

const FLAGS: FlagTable = {
  write: { kind: 'boolean' },
  print: { kind: 'boolean' },
  uninstall: { kind: 'boolean' },
  name: { kind: 'string' },
  file: { kind: 'string' },
  env: { kind: 'strings' },
  replace: { kind: 'boolean' },
  'no-hook': { kind: 'boolean' },
  json: { kind: 'boolean' },
};

const DEFAULT_NAME = 'baton';

/** `NAME=VALUE`, or `NAME` for the value that this shell has. */
function readVariables(given: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const text of given) {
    const [, name, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    if (name === undefined)
      throw new UsageError(`invalid value ${JSON.stringify(text)} for --env: want NAME=VALUE or NAME`);
    const found = value ?? process.env[name];
    if (found === undefined)
      throw new UsageError(`--env ${name}: this variable is not set here; give --env ${name}=VALUE`);
    variables[name] = found;
  }
  return variables;
}

function clientOf(word: string | undefined, rest: readonly string[]): InstallClient {
  const known = INSTALL_CLIENTS.map(({ id }) => id).join(', ');
  if (word === undefined) throw new UsageError(`which client? known are ${known}`);
  if (rest.length > 0)
    throw new UsageError(`baton install takes one client, not also ${JSON.stringify(rest[0])}`);
  const client = findInstallClient(word);
  if (!client) throw new UsageError(`unknown client ${JSON.stringify(word)}: known are ${known}`);
  return client;
}

function showPlan(plan: InstallPlan, client: InstallClient, name: string): void {
  const paint = createPaint(process.stdout);
  for (const { file, text } of plan.snippets) {
    process.stdout.write(`${paint.dim(`${file}:`)}\n${text.trimEnd()}\n\n`);
  }
  for (const note of plan.notes) process.stdout.write(`Note: ${note}\n`);
  if (plan.changes.length === 0) {
    process.stdout.write(`${client.label} has all of this already.\n`);
    return;
  }
  const named = name === DEFAULT_NAME ? '' : ` --name ${name}`;
  process.stdout.write(`Nothing was written. To merge it in (the rest stays, a copy is kept):\n`);
  process.stdout.write(`  ${paint.bold(`baton install ${client.id}${named} --write`)}\n`);
}

function writePlan(plan: InstallPlan, json: boolean): void {
  const written = plan.changes.map((change) => writeChange(change));
  if (json) {
    process.stdout.write(`${JSON.stringify({ written, notes: plan.notes })}\n`);
    return;
  }
  const paint = createPaint(process.stdout);
  if (written.length === 0) process.stdout.write('Nothing to change: it is so already.\n');
  for (const { file, backup } of written) {
    const kept = backup === undefined ? 'new file' : `what it was: ${backup}`;
    process.stdout.write(`${paint.green('✓')} ${file} ${paint.dim(`(${kept})`)}\n`);
  }
  for (const note of plan.notes) process.stdout.write(`Note: ${note}\n`);
  if (written.length > 0 && plan.afterwards !== undefined) process.stdout.write(`${plan.afterwards}\n`);
}

/** How each client stands, one line each. */
async function listClients(name: string): Promise<number> {
  const places = placesOf(process.env);
  const paint = createPaint(process.stdout);
  for (const client of INSTALL_CLIENTS) {
    const file = settingsFile(client, places);
    let state: string;
    try {
      const order = { client, name, server: serverCommand(process.env), environment: process.env, places };
      const plan = await planInstall(order);
      const removal = await planUninstall(order);
      state =
        plan.changes.length === 0
          ? paint.green('set up')
          : removal.changes.length > 0
            ? paint.yellow('set up, but not as it would be now')
            : paint.dim('not set up');
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      state = paint.red(printable(error.message));
    }
    process.stdout.write(`${client.id.padEnd(15)} ${state.padEnd(12)}  ${paint.dim(file)}\n`);
  }
  process.stdout.write('\nbaton install CLIENT shows what would be added, with --write it is added.\n');
  return 0;
}

async function run(flags: ParsedFlags): Promise<number> {
  const [word, ...rest] = flags.rest;
  const name = flags.text('name') ?? DEFAULT_NAME;
  if (word === undefined && !flags.has('write') && !flags.has('uninstall')) return listClients(name);
  const client = clientOf(word, rest);
  const file = flags.text('file');
  const order: InstallOrder = {
    client,
    name,
    server: serverCommand(process.env),
    environment: process.env,
    places: placesOf(process.env),
    ...(file !== undefined && { file: resolve(file) }),
    variables: readVariables(flags.texts('env')),
    replace: flags.has('replace'),
    withoutHook: flags.has('no-hook'),
  };
  if (flags.has('uninstall')) {
    const plan = await planUninstall(order);
    if (!flags.has('print')) writePlan(plan, flags.has('json'));
    else for (const change of plan.changes) process.stdout.write(`would change ${change.file}\n`);
    return 0;
  }
  const plan = await planInstall(order);
  if (flags.has('write')) writePlan(plan, flags.has('json'));
  else if (flags.has('json'))
    process.stdout.write(`${JSON.stringify({ snippets: plan.snippets, notes: plan.notes })}\n`);
  else if (flags.has('print')) process.stdout.write(plan.snippets.map(({ text }) => text).join('\n'));
  else showPlan(plan, client, name);
  return 0;
}

/** `baton install [CLIENT]`: shows, merges or removes the entry of this server in the settings of an MCP client. */
export async function install(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, FLAGS, { interspersed: true, command: 'baton install' });
  if (flags.has('write') && flags.has('print'))
    throw new UsageError('--write and --print exclude each other');
  try {
    return await run(flags);
  } catch (error) {
    if (error instanceof InstallError) throw new CommandError(error.message);
    throw error;
  }
}
