import { appendFileSync } from 'node:fs';
import { PRIVATE_FILE } from '../../platform/atomic-file.ts';
import { errorMessage } from '../../platform/errors.ts';

/** Everything that is no answer goes through here to stderr, and to the log file where one was asked for. */
export interface Diagnostics {
  /** One line, as it is. */
  say(line: string): void;
  /** One line behind `warning: `. */
  warn(line: string): void;
  /** One line behind `error: `. */
  error(line: string): void;
  flush(): Promise<void>;
}

/** @param openStderr called for the first line only: making the stream costs a millisecond that most runs need not pay */
export function createDiagnostics(openStderr: () => NodeJS.WriteStream, logFile?: string): Diagnostics {
  let unwritten = 0;
  let settle: (() => void) | undefined;
  let log = logFile;
  let stderr: NodeJS.WriteStream | undefined;
  const write = (line: string): void => {
    if (!stderr) {
      stderr = openStderr();
      // A closed stderr is no reason to end a run whose answer goes to stdout.
      stderr.on('error', () => {});
    }
    unwritten++;
    stderr.write(`${line}\n`, () => {
      unwritten--;
      if (unwritten === 0) settle?.();
    });
  };
  const say = (line: string): void => {
    write(line);
    if (log === undefined) return;
    try {
      appendFileSync(log, `${new Date().toISOString()} ${line}\n`, { mode: PRIVATE_FILE });
    } catch (error) {
      write(`warning: the log file ${log} cannot be written: ${errorMessage(error)}`);
      log = undefined;
    }
  };
  return {
    say,
    warn: (line) => say(`warning: ${line}`),
    error: (line) => say(`error: ${line}`),
    flush: () =>
      new Promise((resolve) => {
        if (unwritten === 0) resolve();
        else settle = resolve;
      }),
  };
}
