import { readFileSync } from 'node:fs';
import { type Fields, isFields } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { parseRelaxedJson } from '../relaxed-json.ts';

/** A settings file that cannot be used. Since it may hold deny rules, a run does not start without it. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** What a settings file says about permissions, not yet read as rules. */
export interface PermissionSettings {
  path: string;
  /** Ours, where what is wrong is an error; or agy's, where it is a warning. */
  own: boolean;
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  toolPermission: string | undefined;
  allowNonWorkspaceAccess: boolean | undefined;
}

function readList(value: unknown, name: string, path: string): string[] {
  if (value === undefined) return [];
  const wrong = new SettingsError(
    `${path}: permissions.${name} must be a list of rules such as ["command(git)"]`,
  );
  if (!Array.isArray(value)) throw wrong;
  return value.map((item: unknown) => {
    if (typeof item !== 'string') throw wrong;
    return item;
  });
}

/**
 * Reads a settings file as an object.
 * @returns undefined when there is no such file
 * @throws {SettingsError} when it cannot be read or is no JSON object
 */
export function readSettings(path: string): Fields | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw new SettingsError(`the settings ${path} cannot be read: ${errorMessage(error)}`);
  }
  let settings: unknown;
  try {
    settings = text.trim() === '' ? {} : parseRelaxedJson(text);
  } catch (error) {
    throw new SettingsError(
      `the settings ${path} are not valid JSON (${errorMessage(error)}); they may hold deny rules, so nothing is run without them: correct the file`,
    );
  }
  if (!isFields(settings)) throw new SettingsError(`the settings ${path} must be a JSON object`);
  return settings;
}

/**
 * What a settings file says about permissions.
 * @returns undefined when there is no such file
 * @throws {SettingsError} when it cannot be read, is no JSON, or its permissions have another form
 */
export function readPermissionSettings(path: string, own: boolean): PermissionSettings | undefined {
  const settings = readSettings(path);
  if (!settings) return undefined;
  const permissions = settings.permissions ?? {};
  if (!isFields(permissions))
    throw new SettingsError(`${path}: permissions must be an object with the lists allow, ask and deny`);
  const { toolPermission, allowNonWorkspaceAccess } = settings;
  return {
    path,
    own,
    allow: readList(permissions.allow, 'allow', path),
    ask: readList(permissions.ask, 'ask', path),
    deny: readList(permissions.deny, 'deny', path),
    toolPermission: typeof toolPermission === 'string' ? toolPermission : undefined,
    allowNonWorkspaceAccess:
      typeof allowNonWorkspaceAccess === 'boolean' ? allowNonWorkspaceAccess : undefined,
  };
}
