import { BackendError, type RunRequest } from '../types.ts';

// One argument of a command line: 128 KiB with its final zero on Linux, the whole line 32,767 characters on Windows.
const MAX_ARGUMENT_BYTES = process.platform === 'win32' ? 30_000 : 128 * 1024 - 1;

/** What the agent is to read. */
export function promptText(request: RunRequest): string {
  return request.input ?? request.prompt;
}

export function startsWithSlash(text: string): boolean {
  return /^\s*\//.test(text);
}

/** Keeps a leading slash from being read as a command, where no flag does that: a command is one only in the first line. */
export function keepSlashLiteral(text: string): string {
  return `The task follows as plain text; its first line is no command.\n${text}`;
}

/** The prompt as the one line of `--input-format stream-json`. */
export function promptLine(text: string): string {
  return `${JSON.stringify({ event: 'user', message: { role: 'user', content: text } })}\n`;
}

/**
 * Checks that a prompt can be an argument.
 * @throws {BackendError} with what to do when it cannot.
 */
export function checkPromptArgument(text: string, program: string, upgrade: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ARGUMENT_BYTES) {
    throw new BackendError(
      `the prompt is ${bytes} bytes, and ${program} takes prompts only on its command line, ` +
        `where one argument holds at most ${MAX_ARGUMENT_BYTES}; ${upgrade}, or shorten the prompt`,
    );
  }
  if (text.includes('\0')) {
    throw new BackendError(
      `the prompt holds a NUL character (at ${text.indexOf('\0')}), and ${program} takes prompts only on its ` +
        `command line, which cannot carry one; ${upgrade}, or remove it`,
    );
  }
}
