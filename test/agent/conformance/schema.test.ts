import { afterEach, describe, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const JSON_OUT = ['--output-format', 'json'];

async function withReplies(replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  house = agentHouse(server);
  return server;
}
afterEach(async () => {
  house.remove();
  await server.close();
});

const VERSION = {
  type: 'object',
  properties: { major: { type: 'integer' }, minor: { type: 'integer' } },
  required: ['major', 'minor'],
  additionalProperties: false,
};
const good = { major: 2, minor: 14 };
const finish = (args: object | string): ScriptedReply => ({ calls: [{ name: 'finish', arguments: args }] });
const systemOf = (index: number): string => JSON.stringify(server.calls[index]?.body.messages);

describe('a schema', () => {
  test('given inline: the object, and the same in response (schema-inline, schema-echo)', async () => {
    await withReplies([finish(good)]);
    const schema = JSON.stringify(VERSION);
    const run = await house.run(['-p', 'x', '--output-format', 'stream-json', '--json-schema', schema]);
    expect(run.code).toBe(0);
    expect(run.envelope()).toMatchObject({
      status: 'SUCCESS',
      structured_output: good,
      json_schema: VERSION,
    });
    expect(JSON.parse(run.envelope().response)).toEqual(good);
    expect(initOf(run).json_schema).toEqual(VERSION);
    expect(initOf(run).tools).toContain('finish');
    expect(stepsOf(run).at(-1)).toMatchObject({
      step_type: 'finish',
      state: 'DONE',
      tool_info: { parameters: good },
    });
    expect(server.calls[0]?.body.tools).toContainEqual(
      expect.objectContaining({ function: expect.objectContaining({ name: 'finish', parameters: VERSION }) }),
    );
  });

  test('given as a file (schema-file)', async () => {
    await withReplies([finish(good)]);
    house.write('schemas/version.json', JSON.stringify(VERSION));
    const run = await house.run(['-p', 'x', ...JSON_OUT, '--json-schema', 'schemas/version.json']);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', structured_output: good });
  });

  test.each([
    ['integer', { result: 7 }, 7],
    ['string', { result: 'seven' }, 'seven'],
    ['boolean', { result: false }, false],
    ['number', { result: 0.5 }, 0.5],
    ['{"type":"array","items":{"type":"integer"}}', { result: [1, 2] }, [1, 2]],
    [
      '{"anyOf":[{"type":"null"},{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"integer"}}}',
      { result: null },
      null,
    ],
  ])('%s (schema-primitive)', async (schema, args, value) => {
    await withReplies([finish(args)]);
    const run = await house.run(['-p', 'x', ...JSON_OUT, '--json-schema', schema]);
    expect(run.code).toBe(0);
    expect(run.envelope().structured_output).toEqual(value);
    expect(JSON.parse(run.envelope().response)).toEqual(value);
  });

  test('without a format that has a place for it (schema-format)', async () => {
    await withReplies([]);
    const run = await house.run(['-p', 'x', '--json-schema', 'integer']);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('--json-schema requires --output-format json or stream-json');
  });

  test.each([
    ['versoin.json', 'neither JSON nor an existing file'],
    ['{"type":', 'no valid JSON'],
    ['{"type":"objekt"}', 'type must be equal to one of the allowed values'],
    ['[]', 'must be a JSON object'],
    ['', 'it is empty'],
  ])('%s is none (schema-bad)', async (schema, why) => {
    await withReplies([]);
    const run = await house.run(['-p', 'x', ...JSON_OUT, '--json-schema', schema]);
    expect(run.code).toBe(1);
    expect(run.envelope().error).toContain('invalid --json-schema');
    expect(run.envelope().error).toContain(why);
  });
});

describe('a wrong answer', () => {
  const asked = ['-p', 'x', ...JSON_OUT, '--json-schema', JSON.stringify(VERSION)];

  test('is sent back with what is wrong, as a call (schema-repair)', async () => {
    await withReplies([finish({ major: 'two', patch: 1 }), finish(good)]);
    const run = await house.run(asked);
    expect(run.envelope()).toMatchObject({
      status: 'SUCCESS',
      structured_output: good,
      usage: { total_tokens: 220 },
    });
    expect(systemOf(1)).toContain('/major must be integer');
    expect(systemOf(1)).toContain("must have required property 'minor'");
  });

  test('is sent back when it is prose (schema-repair)', async () => {
    await withReplies([{ text: 'The version is 2.14.' }, finish(good)]);
    const run = await house.run(asked);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', structured_output: good, num_turns: 1 });
    expect(systemOf(1)).toContain('That is not the answer yet');
  });

  test.each([
    [`${JSON.stringify(good)}\n`],
    [`Here you are:\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\nDone.`],
  ])('%j counts as the answer', async (text) => {
    await withReplies([{ text }]);
    const run = await house.run(asked);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', structured_output: good });
    expect(server.calls).toHaveLength(1);
  });

  test('at last asks for the provider’s own structured output (schema-repair)', async () => {
    await withReplies([{ text: 'no' }, { text: 'still no' }, { text: JSON.stringify(good) }]);
    const run = await house.run(asked);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', structured_output: good });
    expect(server.calls[1]?.body).not.toHaveProperty('response_format');
    expect(server.calls[2]?.body.response_format).toMatchObject({ type: 'json_schema' });
    expect(server.calls[2]?.body).not.toHaveProperty('tools');
  });

  test('is an error in the end (schema-never-false)', async () => {
    const wrong = { major: 2 };
    await withReplies(Array(9).fill(finish(wrong)));
    const run = await house.run(asked);
    expect(run.code).toBe(1);
    expect(run.envelope().status).toBe('ERROR');
    expect(run.envelope()).not.toHaveProperty('structured_output');
    expect(run.envelope().error).toContain("must have required property 'minor'");
    expect(server.calls.length).toBeLessThan(7);
  });

  test('never ends well in prose (schema-never-false)', async () => {
    await withReplies(Array.from({ length: 9 }, () => ({ text: 'The version is 2.14.' })));
    const run = await house.run(asked);
    expect(run).toMatchObject({ code: 1 });
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: 'The version is 2.14.' });
    expect(server.calls.length).toBeLessThan(7);
  });

  test('a model without tools gives the value as text (schema-repair)', async () => {
    server = await startModelServer((call) =>
      call.body.tools === undefined
        ? { text: `\`\`\`\n${JSON.stringify(good)}\n\`\`\`` }
        : { status: 400, body: { error: { message: 'registry/gemma does not support tools' } } },
    );
    house = agentHouse(server);
    const run = await house.run(asked);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', structured_output: good });
    expect(run.stderr).toContain('takes no tools');
    expect(systemOf(1)).toContain('one JSON value and nothing else');
  });
});

test('each turn of a session has its own answer (schema-never-false)', async () => {
  await withReplies([finish({ result: 1 }), ...Array.from({ length: 6 }, () => ({ text: 'prose' }))]);
  const prompt = JSON.stringify({ event: 'user', message: { content: 'x' } });
  const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
  const run = await house.run([...formats, '--json-schema', 'integer'], { stdin: `${prompt}\n${prompt}\n` });
  const results = run.events().flatMap((event) => (event.event === 'result' ? [event.result] : []));
  expect(results.map(({ status, structured_output: value }) => [status, value])).toEqual([
    ['SUCCESS', 1],
    ['ERROR', undefined],
  ]);
});
