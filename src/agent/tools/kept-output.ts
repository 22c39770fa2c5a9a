import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { wellFormed } from './well-formed.ts';

/** The folder for output that was too long to show, in the folder of the conversation. */
export function keptOutputFolder(conversationFolder: string): string {
  return join(conversationFolder, 'output');
}

const HEAD = 8 * 1024;
const TAIL = 24 * 1024;
/** A command that writes without end must not fill the disk. */
const MAX_KEPT = 64 * 1024 * 1024;

export interface ShownOutput {
  text: string;
  /** The file with all of it, when the text was cut. */
  fullOutputPath?: string;
}

/**
 * Takes a command's output: the start and the end stay in memory, all of it goes to a file as soon as it is too long to
 * be shown.
 */
export class KeptOutput {
  readonly #folder: string;
  readonly #name: string;
  #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #length = 0;
  #kept = 0;
  #fd: number | undefined;
  #path: string | undefined;
  #failure: string | undefined;

  /** @param name file name without ending, unique in the conversation */
  constructor(conversationFolder: string, name: string) {
    this.#folder = keptOutputFolder(conversationFolder);
    this.#name = name;
  }

  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    this.#length += chunk.length;
    const toHead = chunk.subarray(0, HEAD - this.#headLength);
    if (toHead.length > 0) {
      this.#head.push(Buffer.from(toHead));
      this.#headLength += toHead.length;
    }
    const toTail = chunk.subarray(toHead.length);
    if (this.#path === undefined && this.#length > HEAD + TAIL) this.#open();
    this.#keep(toTail);
    if (toTail.length > 0) {
      this.#tail.push(Buffer.from(toTail.subarray(-TAIL)));
      this.#tailLength += Math.min(toTail.length, TAIL);
    }
    this.#trim();
  }

  /** Drops what is older than the tail, once it is in the file. */
  #trim(): void {
    for (let first = this.#tail[0]; first && this.#tailLength - first.length >= TAIL; first = this.#tail[0]) {
      this.#tail.shift();
      this.#tailLength -= first.length;
    }
  }

  #open(): void {
    this.#path = join(this.#folder, `${this.#name}.txt`);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#fd = openSync(this.#path, 'w', 0o600);
    } catch (error) {
      this.#failure = errorMessage(error);
      return;
    }
    for (const chunk of [...this.#head, ...this.#tail]) this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    if (this.#fd === undefined || this.#failure !== undefined || this.#kept >= MAX_KEPT) return;
    try {
      this.#kept += writeSync(this.#fd, chunk.subarray(0, MAX_KEPT - this.#kept));
    } catch (error) {
      this.#failure = errorMessage(error);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** The output as it is shown to a model; cut in the middle when it is too long. */
  show(tailLength = TAIL): ShownOutput {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-tailLength);
    const left = this.#length - head.length - tail.length;
    if (left <= 0) return { text: clean(Buffer.concat([head, tail])) };
    const where =
      this.#failure === undefined
        ? `the whole output is in ${this.#path ?? ''}${this.#length > MAX_KEPT ? ` (its first ${MAX_KEPT} bytes)` : ''}`
        : `the whole output could not be kept: ${this.#failure}`;
    const text = `${clean(head)}\n… ${left} bytes left out; ${where} …\n${clean(tail)}`;
    return {
      text,
      ...(this.#path !== undefined && this.#failure === undefined ? { fullOutputPath: this.#path } : {}),
    };
  }
}

/** Text for a model: no colours, no carriage returns of progress bars, no broken characters. */
function clean(bytes: Buffer): string {
  const text = stripVTControlCharacters(new TextDecoder().decode(bytes)).replaceAll('\r\n', '\n');
  return wellFormed(text.replaceAll(/[^\n]*\r(?=[^\n])/g, ''));
}

/** Writes a text that is too long to show into the folder of kept output. @returns the file's path */
export function keepText(conversationFolder: string, name: string, text: string): string {
  const folder = keptOutputFolder(conversationFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Writes a file into the folder of kept output, under a name that is not taken. @returns its path */
export function keepFile(
  conversationFolder: string,
  name: string,
  ending: string,
  bytes: Uint8Array,
): string {
  const folder = keptOutputFolder(conversationFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let count = 1; ; count++) {
    const path = join(folder, `${name}${count === 1 ? '' : `_${count}`}${ending}`);
    try {
      writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
