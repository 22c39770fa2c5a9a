import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import type { ToolResult } from '../types.ts';

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

/** A text with the folders of this machine taken out: the run's (`.`), the temporary (`<tmp>`) and the home folder (`~`). */
export function withoutFolders(text: string, places: Places): string {
  const folders: [string, string][] = [
    [real(places.workspace), '.'],
    [places.workspace, '.'],
    [real(tmpdir()), '<tmp>'],
    [tmpdir(), '<tmp>'],
    [homedir(), '~'],
  ];
  let result = text.replaceAll('\r\n', '\n');
  for (const [folder, by] of folders) result = replaceFolder(result, folder, by);
  return result.trimEnd();
}

/** A tool's result without what differs between machines and runs: folders, points in time, durations, UUIDs. */
export function normalise(text: string, places: Places): string {
  return withoutFolders(text, places)
    .replaceAll(TIME, '<time>')
    .replaceAll(DURATION, '<duration>')
    .replaceAll(UUID, '<id>');
}

/** The SHA-256, in hex, that a replay's `expect` holds: of the normalised text, and of the image if there is one. */
export function resultHash(result: Pick<ToolResult, 'output' | 'image'>, places: Places): string {
  const hash = createHash('sha256').update(normalise(result.output, places));
  if (result.image) hash.update(`\n${result.image.mediaType}\n${result.image.base64}`);
  return hash.digest('hex');
}
