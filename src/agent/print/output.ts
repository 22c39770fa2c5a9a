import type { Writable } from 'node:stream';
import type { CommandAnswer, Envelope, InitPayload, StepUpdate } from '../../contract/events.ts';
import { createNdjsonWriter } from '../../contract/ndjson-writer.ts';

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What a run shows on stdout. Each format takes what it has a place for and ignores the rest. */
export interface Output {
  init(conversationId: string, init: InitPayload): void;
  step: (update: StepUpdate) => void;
  /** The end of a turn. */
  result(envelope: Envelope): void;
  /** The end of something that the CLI answered itself. `envelope.response` is the text form. */
  command(answer: CommandAnswer, envelope: Envelope): void;
  /** Resolves when everything has left the process, or can no longer leave it. */
  flush(): Promise<void>;
  /** Why stdout takes nothing more: its reader has gone, or the disk is full. */
  readonly failure: NodeJS.ErrnoException | undefined;
}

function textOutput(stdout: NodeJS.WriteStream): Output {
  let failure: NodeJS.ErrnoException | undefined;
  let unwritten = 0;
  let settle: (() => void) | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
    settle?.();
  });
  const write = (text: string): void => {
    if (text === '' || failure) return;
    // A shell prompt right behind the answer is unreadable; in a pipe the answer stays as it is.
    const ending = stdout.isTTY && !text.endsWith('\n') ? '\n' : '';
    unwritten++;
    stdout.write(text + ending, (error) => {
      unwritten--;
      if (error) failure ??= error;
      if (unwritten === 0) settle?.();
    });
  };
  return {
    init() {},
    step() {},
    result: (envelope) => write(envelope.response),
    command: (_answer, envelope) => write(envelope.response),
    flush: () =>
      new Promise((resolve) => {
        if (unwritten === 0 || failure) resolve();
        else settle = resolve;
      }),
    get failure() {
      return failure;
    },
  };
}

function jsonOutput(stdout: Writable): Output {
  const writer = createNdjsonWriter(stdout);
  return {
    init() {},
    step() {},
    result: (envelope) => writer.write(envelope),
    command: (answer, envelope) => writer.write({ ...envelope, command: answer }),
    flush: () => writer.flush(),
    get failure() {
      return writer.failure;
    },
  };
}

function streamOutput(stdout: Writable): Output {
  const writer = createNdjsonWriter(stdout);
  return {
    init: (conversationId, init) => writer.write({ event: 'init', conversation_id: conversationId, init }),
    step: (update) => writer.write({ event: 'step_update', step_update: update }),
    result: (envelope) => writer.write({ event: 'result', result: envelope }),
    command(answer, envelope) {
      writer.write({ event: 'command_result', command: answer });
      writer.write({ event: 'result', result: { ...envelope, command: answer } });
    },
    flush: () => writer.flush(),
    get failure() {
      return writer.failure;
    },
  };
}

export function createOutput(format: OutputFormat, stdout: NodeJS.WriteStream): Output {
  if (format === 'text') return textOutput(stdout);
  return format === 'json' ? jsonOutput(stdout) : streamOutput(stdout);
}
