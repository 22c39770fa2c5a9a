import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage } from './errors.ts';
import { configDir } from './paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What `baton setup` keeps for programs that were started without a person's environment. */
export interface SavedKeys {
  /** Key variables and their values, such as `GEMINI_API_KEY`. */
  keys: Readonly<Record<string, string>>;
  /** The model to use when none is named, as `provider/model`. */
  model?: string;
}

/** The file of saved keys cannot be used; the message names it and the way out. */
export class SavedKeysError extends Error {
  override name = 'SavedKeysError';
}

export function savedKeysFile(environment: Environment): string {
  return join(configDir(environment), 'keys.json');
}

function readPrivate(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw new SavedKeysError(`${file} cannot be read: ${errorMessage(error)}`);
  }
  try {
    const { mode, uid } = fstatSync(fd);
    const user = process.geteuid?.();
    // Windows has neither modes nor owners of this kind; there the profile folder is private.
    if (user !== undefined && uid !== user)
      throw new SavedKeysError(
        `${file} belongs to another user, so its keys are not used: remove it and run baton setup`,
      );
    if (user !== undefined && (mode & 0o077) !== 0)
      throw new SavedKeysError(`${file} can be read by others, so its keys are not used: chmod 600 ${file}`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}

/**
 * The kept keys; undefined when none are kept.
 * @throws {SavedKeysError} for a file that others can read, or that is not what `baton setup` writes
 */
export function readSavedKeys(environment: Environment): SavedKeys | undefined {
  const file = savedKeysFile(environment);
  const text = readPrivate(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    !('format' in value) ||
    value.format !== 1 ||
    !('keys' in value) ||
    !isTexts(value.keys)
  )
    throw new SavedKeysError(`${file} is damaged: remove it and run baton setup`);
  const model = 'model' in value && typeof value.model === 'string' ? value.model : undefined;
  return { keys: value.keys, ...(model !== undefined && { model }) };
}
