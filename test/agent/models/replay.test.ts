import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordModel } from '../../../src/agent/models/replay/record.ts';
import { selectModel } from '../../../src/agent/models/select.ts';
import type { AssistantBlock, Message, Model, ToolResult } from '../../../src/agent/models/types.ts';
import { type Asked, ask, modelOn } from '../../support/models/ask.ts';
import { startModelServer } from '../../support/models/server.ts';

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-'));
  workspace = join(folder, 'workspace');
  mkdirSync(workspace);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const RESULT = 'a.ts:1: TODO one\na.ts:9: TODO two\nb.ts:3: TODO three';

const SCRIPT = {
  format: 'baton-replay',
  version: 1,
  origin: { kind: 'scripted' },
  turns: [
    {
      prompt: 'How many TODOs?',
      replies: [
        {
          reasoning: 'I count them.',
          text: 'Let me look.',
          calls: [
            {
              id: 'c1',
              name: 'grep_search',
              arguments: { SearchPath: '${workspace}/src', Query: 'TODO' },
              expect: sha(RESULT),
            },
          ],
          usage: { input_tokens: 120, output_tokens: 20, thinking_tokens: 5, cache_read_tokens: 3 },
        },
        {
          text: [
            'There are ',
            { result: 'c1', count: 'TODO' },
            ' TODOs in ',
            { result: 'c1', match: '^(\\w+\\.ts):', all: true, join: '+' },
            '; the last is "',
            { result: 'c1', match: 'TODO (\\w+)$', flags: '' },
            '", the second line is "',
            { result: 'c1', line: 2 },
            '", the end "',
            { result: 'c1', lines: [2, 3] },
            '".',
          ],
        },
      ],
    },
  ],
};

function write(script: unknown, name = 'script.json'): string {
  const path = join(folder, name);
  writeFileSync(path, typeof script === 'string' ? script : JSON.stringify(script));
  return path;
}

const load = (path: string): Promise<Model> =>
  selectModel({ model: `replay/${path}`, environment: {}, signal: new AbortController().signal, workspace });

function blocksOf({ parts }: Asked): AssistantBlock[] {
  return parts.flatMap((part): AssistantBlock[] => (part.type === 'finish' ? [] : [part]));
}

/** The conversation after the model's calls were answered with these outputs. */
function answered(prompt: string, asked: Asked, output: string, isError = false): Message[] {
  const results = asked.calls.map(({ id, name }): ToolResult => ({ id, name, output, isError }));
  return [
    { role: 'user', text: prompt },
    { role: 'assistant', blocks: blocksOf(asked) },
    { role: 'tool', results },
  ];
}

describe('a scripted model', () => {
  it('plays its calls and puts its answer together from what the tools returned', async () => {
    const model = await load(write(SCRIPT));
    expect(model.notice).toContain('scripted model');
    const first = await ask(model, ' How many TODOs?\n');
    expect(first.error).toBeUndefined();
    expect(first.reasoning).toBe('I count them.');
    expect(first.text).toBe('Let me look.');
    expect(first.calls[0]?.arguments).toEqual({ SearchPath: `${workspace}/src`, Query: 'TODO' });
    expect(first.finish).toEqual({
      type: 'finish',
      reason: 'tool_calls',
      usage: {
        input_tokens: 120,
        output_tokens: 20,
        thinking_tokens: 5,
        cache_read_tokens: 3,
        total_tokens: 140,
      },
    });
    const second = await ask(model, answered('How many TODOs?', first, RESULT));
    expect(second.error).toBeUndefined();
    expect(second.text).toBe(
      'There are 3 TODOs in a.ts+a.ts+b.ts; the last is "three", the second line is "a.ts:9: TODO two", ' +
        'the end "a.ts:9: TODO two\nb.ts:3: TODO three".',
    );
    expect(second.parts.filter((part) => part.type === 'text').length).toBeGreaterThan(3);
    expect(second.finish?.reason).toBe('stop');
  });

  it('refuses a result that is not the expected one, and answers nothing else', async () => {
    const model = await load(write(SCRIPT));
    const first = await ask(model, 'How many TODOs?');
    const other = await ask(model, answered('How many TODOs?', first, `${RESULT}!`));
    expect(other.parts).toEqual([]);
    expect(other.error?.kind).toBe('replay_mismatch');
    for (const piece of ['c1', 'grep_search', sha(RESULT), sha(`${RESULT}!`)]) {
      expect(other.error?.message).toContain(piece);
    }
  });

  it('refuses a result that failed where none should, and one that is missing', async () => {
    const model = await load(write(SCRIPT));
    const first = await ask(model, 'How many TODOs?');
    const failed = await ask(model, answered('How many TODOs?', first, RESULT, true));
    expect(failed.error?.message).toContain('it failed');
    const missing = await ask(model, answered('How many TODOs?', { ...first, calls: [] }, RESULT));
    expect(missing.error?.kind).toBe('replay_mismatch');
    expect(missing.error?.message).toContain('got no result');
  });

  it('refuses any other prompt and says which it answers', async () => {
    const asked = await ask(await load(write(SCRIPT)), 'What is the weather?');
    expect(asked.parts).toEqual([]);
    expect(asked.error?.kind).toBe('replay_mismatch');
    expect(asked.error?.message).toContain('What is the weather?');
    expect(asked.error?.message).toContain('How many TODOs?');
    expect(asked.error?.message).toContain('--model');
  });

  it('refuses a piece that the result does not hold', async () => {
    const script = structuredClone(SCRIPT);
    script.turns[0]!.replies[1]!.text = [{ result: 'c1', line: 99 }];
    const model = await load(write(script));
    const first = await ask(model, 'How many TODOs?');
    const second = await ask(model, answered('How many TODOs?', first, RESULT));
    expect(second.parts).toEqual([]);
    expect(second.error?.kind).toBe('replay_mismatch');
    expect(second.error?.message).toContain('no line 99');
  });

  it('expects the same result whatever the folder, the time and the duration', async () => {
    const portable = 'File: ./src/a.ts\nread <tmp>/x in <duration> at <time>, run <id>';
    const script = structuredClone(SCRIPT);
    const call = script.turns[0]!.replies[0]!.calls![0]!;
    call.expect = sha(portable);
    script.turns[0]!.replies[1]!.text = [{ result: 'c1' } as never];
    const model = await load(write(script));
    const first = await ask(model, 'How many TODOs?');
    for (const [time, duration] of [
      ['2026-11-30T12:00:00.123Z', '1.5 s'],
      ['2020-01-01 01:02:03', '250ms'],
    ]) {
      const output = `File: ${workspace}/src/a.ts\r\nread ${tmpdir()}/x in ${duration} at ${time}, run 123e4567-e89b-12d3-a456-426614174000\n`;
      const second = await ask(model, answered('How many TODOs?', first, output));
      expect(second.text).toBe(portable);
    }
  });

  it('answers several turns in their order, and the same question again with its next answer', async () => {
    const turn = (text: string, prompt?: string) => ({ ...(prompt && { prompt }), replies: [{ text }] });
    const file = { ...SCRIPT, turns: [turn('one', 'a'), turn('two', 'b'), turn('three', 'a'), turn('any')] };
    const model = await load(write(file));
    const user = (text: string): Message => ({ role: 'user', text });
    const said: Message = { role: 'assistant', blocks: [{ type: 'text', text: '…' }] };
    expect((await ask(model, [user('a')])).text).toBe('one');
    expect((await ask(model, [user('b')])).text).toBe('two');
    expect((await ask(model, [user('a'), said, user('a')])).text).toBe('three');
    expect((await ask(model, [user('a'), said, user('b'), said, user('a'), said, user('?')])).text).toBe(
      'any',
    );
  });

  it('is stopped by an abort between two pieces', async () => {
    const model = await load(
      write({ ...SCRIPT, turns: [{ replies: [{ text: 'word '.repeat(100) }] }], pieceDelayMs: 2 }),
    );
    const controller = new AbortController();
    const asked = await ask(model, 'x', { signal: controller.signal }, () => controller.abort());
    expect(asked.error?.kind).toBe('aborted');
    expect(asked.text.length).toBeLessThan(100);
  });

  it.each([
    ['no JSON', 'no JSON at all', 'no replay file'],
    ['another version', { ...SCRIPT, version: 2 }, 'version'],
    ['an unknown field', { ...SCRIPT, extra: 1 }, '"extra"'],
    [
      'a call without a hash',
      { ...SCRIPT, turns: [{ replies: [{ calls: [{ id: 'a', name: 'b', arguments: {} }] }, {}] }] },
      '"expect"',
    ],
    [
      'a last reply with calls',
      { ...SCRIPT, turns: [SCRIPT.turns[0] && { replies: SCRIPT.turns[0].replies.slice(0, 1) }] },
      'is the last reply',
    ],
    [
      'a piece of two kinds',
      { ...SCRIPT, turns: [{ replies: [{ text: [{ result: 'a', line: 1, count: 'x' }] }] }] },
      'line and count',
    ],
    ['a recording without its model', { ...SCRIPT, origin: { kind: 'recorded' } }, '"model"'],
  ])('refuses a file with %s', async (_name, script, words) => {
    const path = write(script);
    const error: unknown = await load(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'invalid_request' });
    expect(String(error)).toContain(words);
    expect(String(error)).toContain(path);
  });

  it('names the scripts there are when one is not found', async () => {
    await expect(load('no-such-script')).rejects.toMatchObject({ kind: 'unknown_model' });
    await expect(load('no-such-script')).rejects.toThrow('Scripts of this installation');
  });
});

describe('a recording', () => {
  it('is made of a live run, played back, and appended to', async () => {
    const path = join(folder, 'recording.json');
    const call = { id: 'call-a', name: 'list_dir', arguments: { DirectoryPath: workspace } };
    const server = await startModelServer([
      { reasoning: 'hm', text: 'I look.', calls: [call], usage: { input: 50, output: 7 } },
      { text: `In ${workspace} there is one file.` },
      { text: 'You are welcome.' },
    ]);
    try {
      const live = recordModel(await modelOn(server, 'chat'), path, { workspace });
      const first = await ask(live, 'What is here?');
      expect(first.error).toBeUndefined();
      const conversation = answered('What is here?', first, `${workspace}/a.txt\n`);
      const second = await ask(live, conversation);
      expect(second.text).toBe(`In ${workspace} there is one file.`);

      // Another process goes on with the same recording.
      const later = recordModel(await modelOn(server, 'chat'), path, { workspace });
      const thanks: Message[] = [
        ...conversation,
        { role: 'assistant', blocks: blocksOf(second) },
        { role: 'user', text: 'thanks' },
      ];
      expect((await ask(later, thanks)).text).toBe('You are welcome.');
    } finally {
      await server.close();
    }
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(folder);
    expect(statSync(path).mode & 0o777).toBe(0o600);

    // On another machine: another folder.
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    try {
      const model = await selectModel({
        model: `replay/${path}`,
        environment: {},
        signal: new AbortController().signal,
        workspace: elsewhere,
      });
      expect(model.notice).toMatch(/recorded from openai\/mock-1 on \d{4}-\d\d-\d\d/);
      const first = await ask(model, 'What is here?');
      expect(first.text).toBe('I look.');
      expect(first.reasoning).toBe('hm');
      expect(first.calls[0]?.arguments).toEqual({ DirectoryPath: elsewhere });
      expect(first.finish?.usage).toMatchObject({ input_tokens: 50, output_tokens: 7, total_tokens: 57 });
      const good = await ask(model, answered('What is here?', first, `${elsewhere}/a.txt`));
      expect(good.text).toBe(`In ${elsewhere} there is one file.`);
      const bad = await ask(model, answered('What is here?', first, `${elsewhere}/b.txt`));
      expect(bad.error?.kind).toBe('replay_mismatch');
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it('never replaces a script, a recording of another model, or something else', async () => {
    const server = await startModelServer([]);
    try {
      const model = await modelOn(server, 'chat');
      const other = { ...SCRIPT, origin: { kind: 'recorded', model: 'a/b', date: '2026-01-01' } };
      for (const [content, words] of [
        [SCRIPT, 'is a script'],
        [other, 'recording of a/b'],
        ['my notes', 'no recording'],
      ] as const) {
        const path = write(content);
        const before = readFileSync(path, 'utf8');
        expect(() => recordModel(model, path, { workspace })).toThrow(words);
        expect(readFileSync(path, 'utf8')).toBe(before);
      }
      expect(() => recordModel(model, join(folder, 'no/such/folder/x.json'), { workspace })).toThrow(
        'ENOENT',
      );
    } finally {
      await server.close();
    }
  });

  it('leaves out a turn that failed', async () => {
    const path = join(folder, 'recording.json');
    const server = await startModelServer([{ text: 'half', breaks: 'reset' }]);
    try {
      const live = recordModel(await modelOn(server, 'chat'), path, { workspace });
      expect((await ask(live, 'x')).error?.kind).toBe('network');
    } finally {
      await server.close();
    }
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ turns: [] });
  });
});
