import { selectModel } from '../../../src/agent/models/select.ts';
import {
  type Message,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from '../../../src/agent/models/types.ts';
import type { TestWire } from './script.ts';
import type { ModelServer } from './server.ts';

/** The name of a model on the stand-in server, by wire. */
export const TEST_MODELS: Record<TestWire, string> = {
  chat: 'openai/mock-1',
  responses: 'openai/gpt-6-mock',
  google: 'google/gemini-3-mock',
  anthropic: 'anthropic/claude-opus-4-6-mock',
};

export const LIST_DIR = {
  name: 'list_dir',
  description: 'Lists a folder.',
  parameters: {
    type: 'object',
    properties: { DirectoryPath: { type: 'string' } },
    required: ['DirectoryPath'],
  },
};

/** A model on the stand-in server, with pauses between tries that no test has to wait for. */
export function modelOn(
  server: ModelServer,
  wire: TestWire,
  options: Partial<Parameters<typeof selectModel>[0]> = {},
): Promise<Model> {
  return selectModel({
    model: TEST_MODELS[wire],
    environment: server.environment(wire),
    signal: new AbortController().signal,
    retry: { firstPauseMs: 1 },
    ...options,
  });
}

export interface Asked {
  parts: ModelPart[];
  text: string;
  reasoning: string;
  calls: Extract<ModelPart, { type: 'tool_call' }>[];
  finish: Extract<ModelPart, { type: 'finish' }> | undefined;
  /** What ended the stream instead of a finish. */
  error: ModelError | undefined;
  /** Messages of the attempts that were tried again. */
  retried: string[];
}

/** Asks once and gathers everything that comes; a failure is part of the answer. */
export async function ask(
  model: Model,
  messages: Message[] | string,
  request: Partial<ModelRequest> = {},
  onPart: (part: ModelPart) => void = () => {},
): Promise<Asked> {
  const parts: ModelPart[] = [];
  const retried: string[] = [];
  let error: ModelError | undefined;
  try {
    const stream = model.stream(
      {
        system: 'You are a test.',
        messages: typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages,
        tools: [LIST_DIR],
        signal: new AbortController().signal,
        ...request,
      },
      (failure) => retried.push(failure.message),
    );
    for await (const part of stream) {
      parts.push(part);
      onPart(part);
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    error = thrown;
  }
  const joined = (type: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    parts,
    text: joined('text'),
    reasoning: joined('reasoning'),
    calls: parts.filter((part) => part.type === 'tool_call'),
    finish: parts.find((part) => part.type === 'finish'),
    error,
    retried,
  };
}
