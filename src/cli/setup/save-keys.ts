import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PRIVATE_FOLDER, writeFileAtomic } from '../../platform/atomic-file.ts';
import { readSavedKeys, type SavedKeys, savedKeysFile } from '../../platform/saved-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NONE: SavedKeys = { keys: {} };

/**
 * Keeps keys in the private file (mode 0600, in one step), or removes the file when none is left.
 * @returns the file
 */
function writeKeys(environment: Environment, { keys, model }: SavedKeys): string {
  const file = savedKeysFile(environment);
  if (Object.keys(keys).length === 0) {
    rmSync(file, { force: true });
    return file;
  }
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const content = { format: 1, keys, ...(model !== undefined && { model }) };
  writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/**
 * Adds one key to those that are kept.
 * @param model becomes the default model, when given
 * @throws {SavedKeysError} when the file that is there may not be used
 */
export function keepKey(
  environment: Environment,
  entry: { variable: string; key: string; model?: string },
): { file: string; kept: SavedKeys } {
  const before = readSavedKeys(environment) ?? NONE;
  const model = entry.model ?? before.model;
  const kept: SavedKeys = {
    keys: { ...before.keys, [entry.variable]: entry.key },
    ...(model !== undefined && { model }),
  };
  return { file: writeKeys(environment, kept), kept };
}

/** Removes the keys of those variables, and the default model when it was of that provider. @returns whether there were any */
export function dropKeys(environment: Environment, provider: string, variables: readonly string[]): boolean {
  const before = readSavedKeys(environment);
  if (!before || !variables.some((name) => Object.hasOwn(before.keys, name))) return false;
  const left = Object.entries(before.keys).filter(([name]) => !variables.includes(name));
  const isOf = before.model?.startsWith(`${provider}/`) ?? false;
  writeKeys(environment, {
    keys: Object.fromEntries(left),
    ...(before.model !== undefined && !isOf && { model: before.model }),
  });
  return true;
}
