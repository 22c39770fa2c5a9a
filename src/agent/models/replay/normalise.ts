import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';

/** The folders of a run that differ from machine to machine. */
export interface Places {
  /** The run's folder. */
  workspace: string;
}

const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|[+-]\d\d:?\d\d))?/g;
const DURATION = /\b\d+(\.\d+)?\s?(ms|µs|ns|s|sec|secs|seconds?|minutes?)\b/g;
const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function replaceFolder(text: string, folder: string, by: string): string {
  if (folder.length < 2) return text;
  return text.replaceAll(new RegExp(`${escaped(folder)}(?![\\w.-])`, 'g'), by);
}

/**
 * A tool's result with everything taken out that differs between machines and runs: the run's folder (`.`), the
 * temporary and the home folder (`<tmp>`, `~`), points in time, durations, UUIDs, CRLF, white space at the end.
 */
export function normalise(text: string, places: Places): string {
  const folders: [string, string][] = [
    [real(places.workspace), '.'],
    [places.workspace, '.'],
    [real(tmpdir()), '<tmp>'],
    [tmpdir(), '<tmp>'],
    [homedir(), '~'],
  ];
  let result = text.replaceAll('\r\n', '\n');
  for (const [folder, by] of folders) result = replaceFolder(result, folder, by);
  return result
    .replaceAll(TIME, '<time>')
    .replaceAll(DURATION, '<duration>')
    .replaceAll(UUID, '<id>')
    .trimEnd();
}

/** The SHA-256, in hex, that a replay's `expect` holds. */
export function resultHash(text: string, places: Places): string {
  return createHash('sha256').update(normalise(text, places)).digest('hex');
}
