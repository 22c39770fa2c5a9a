import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parseJson, textOr } from '../../../contract/fields.ts';
import { PRIVATE_FOLDER, writeFileAtomic } from '../../../platform/atomic-file.ts';
import { cacheDir } from '../../../platform/paths.ts';
import type { Environment } from '../environment.ts';
import type { Endpoint } from '../providers.ts';
import type { ListedModel } from './list-endpoint.ts';

/** How long a provider's list is taken from the file, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;
const VERSION = 1;

interface Entry {
  at: number;
  models: ListedModel[];
}

function fileOf(environment: Environment): string {
  return join(cacheDir(environment), 'models.json');
}

/** Another address or another account is another list. Of the key only a short fingerprint is kept. */
function entryName({ provider, address, key }: Endpoint): string {
  const account = createHash('sha256')
    .update(key ?? '')
    .digest('hex')
    .slice(0, 12);
  return `${provider.id} ${address} ${account}`;
}

function readModel(value: unknown): ListedModel | undefined {
  if (!isFields(value) || textOr(value.id) === '') return undefined;
  const { contextWindow } = value;
  return {
    id: textOr(value.id),
    label: textOr(value.label, textOr(value.id)),
    ...(typeof contextWindow === 'number' ? { contextWindow } : {}),
  };
}

/** What the file holds; an unreadable or foreign file holds nothing, for all of it can be asked for again. */
function readEntries(environment: Environment): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let file: unknown;
  try {
    file = parseJson(readFileSync(fileOf(environment), 'utf8'));
  } catch {
    return entries;
  }
  if (!isFields(file) || file.version !== VERSION || !isFields(file.entries)) return entries;
  for (const [name, entry] of Object.entries(file.entries)) {
    if (!isFields(entry) || typeof entry.at !== 'number' || !Array.isArray(entry.models)) continue;
    entries.set(name, { at: entry.at, models: entry.models.flatMap((model) => readModel(model) ?? []) });
  }
  return entries;
}

/** The list of an endpoint as it was asked for in the last 24 hours. */
export function cachedModels(
  endpoint: Endpoint,
  environment: Environment,
  now = Date.now(),
): ListedModel[] | undefined {
  const entry = readEntries(environment).get(entryName(endpoint));
  const isFresh = entry !== undefined && entry.at <= now && now - entry.at < MAX_AGE_MS;
  return isFresh ? entry.models : undefined;
}

/** Keeps lists for the next 24 hours. A cache that cannot be written is no failure: the lists are asked for again. */
export function keepModels(
  lists: readonly { endpoint: Endpoint; models: ListedModel[] }[],
  environment: Environment,
  now = Date.now(),
): void {
  if (lists.length === 0) return;
  const entries = readEntries(environment);
  for (const [name, entry] of entries) if (now - entry.at >= MAX_AGE_MS) entries.delete(name);
  for (const { endpoint, models } of lists) entries.set(entryName(endpoint), { at: now, models });
  try {
    mkdirSync(cacheDir(environment), { recursive: true, mode: PRIVATE_FOLDER });
    const file = { version: VERSION, entries: Object.fromEntries(entries) };
    writeFileAtomic(fileOf(environment), `${JSON.stringify(file)}\n`, { durable: false });
  } catch {
    // Said above.
  }
}
