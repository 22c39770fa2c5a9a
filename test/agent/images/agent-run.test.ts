import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findRunImage } from '../../../src/relay/image/find-image.ts';
import { type AgentHouse, type AgentRun, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import { type ModelCall, type ModelServer, startModelServer } from '../../support/models/server.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');
const STREAM = ['--output-format', 'stream-json'];

let server: ModelServer;
let house: AgentHouse;

afterEach(async () => {
  house.remove();
  await server.close();
});

/** A run whose model calls `generate_image` with these arguments, and then says what it was answered. */
async function makeImage(
  args: object,
  environment: Record<string, string | undefined>,
  flags: string[] = [],
  image = PNG,
): Promise<AgentRun> {
  server = await startModelServer(
    (call, index) =>
      index === 0
        ? { calls: [{ id: 'call_1', name: 'generate_image', arguments: args }] }
        : { text: toolAnswer(call) },
    { image },
  );
  house = agentHouse(server);
  writeFileSync(join(house.folder, 'start.png'), PNG);
  const own = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value?.replace('SERVER', server.url)]),
  );
  return house.run(['-p', 'draw a fox', ...STREAM, ...flags], { environment: own });
}

function toolAnswer(call: ModelCall): string {
  const messages = Array.isArray(call.body.messages) ? call.body.messages : [];
  return String(messages.at(-1)?.content);
}

const GOOGLE = { GEMINI_API_KEY: 'image-key', GOOGLE_GEMINI_BASE_URL: 'SERVER' };
const FOX = { Prompt: 'a red fox', ImageName: 'fox' };

test('a run makes an image with the provider whose key is set, keeps it with the conversation and names it', async () => {
  const started = Date.now();
  const run = await makeImage(
    { ...FOX, AspectRatio: '16:9', ImageSize: '1K', ImagePaths: ['start.png'] },
    GOOGLE,
  );
  const { id, tools } = initOf(run);
  const conversation = join(house.stateDir, 'conversations', id);
  const path = join(conversation, 'output', 'fox.png');
  expect(run.envelope()).toMatchObject({ status: 'SUCCESS' });
  expect(run.envelope().response).toContain(`The image was saved as ${path} (image/png, ${PNG.length} bytes`);
  expect(readFileSync(path)).toEqual(PNG);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(tools).toContain('generate_image');
  expect(
    stepsOf(run).find((step) => step.tool_name === 'generate_image' && step.state === 'DONE'),
  ).toMatchObject({
    tool_info: { parameters: { Prompt: 'a red fox', ImageName: 'fox' }, output: path },
  });
  expect(server.imageCalls).toHaveLength(1);
  expect(server.imageCalls[0]).toMatchObject({
    url: '/v1beta/models/gemini-3.1-flash-image-preview:generateContent',
    headers: { 'x-goog-api-key': 'image-key' },
    body: { generationConfig: { imageConfig: { aspectRatio: '16:9', imageSize: '1K' } } },
  });
  // The picture goes to nobody else: not to the run's model, not into the output, not into the conversation.
  const base64 = PNG.toString('base64');
  expect(JSON.stringify(server.calls)).not.toContain(base64);
  expect(run.stdout + readFileSync(`${conversation}.jsonl`, 'utf8')).not.toContain(base64);
  // gemini-image of the relay looks here, whether or not the reply names the file.
  const search = { ownFolders: [conversation], sharedFolders: [house.folder], startedAt: started };
  for (const reply of [run.envelope().response ?? '', `![fox](${path})`, 'Done.'])
    expect((await findRunImage({ ...search, reply }))?.path).toBe(path);
});

test('BATON_IMAGE_MODEL makes a compatible server draw; the name gets the ending of the content', async () => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100', 'hex');
  const run = await makeImage(
    { Prompt: 'a fox', ImageName: '../../a fox.png' },
    { BATON_IMAGE_MODEL: 'openai/sd-local' },
    [],
    jpeg,
  );
  const path = join(house.stateDir, 'conversations', initOf(run).id, 'output', 'a_fox.jpg');
  expect(run.envelope().response).toContain(`saved as ${path} (image/jpeg`);
  expect(readFileSync(path)).toEqual(jpeg);
  expect(server.imageCalls[0]).toMatchObject({
    url: '/v1/images/generations',
    body: { model: 'sd-local', response_format: 'b64_json' },
  });
});

test('without anything that makes images the tool is not there', async () => {
  const run = await makeImage(FOX, {});
  expect(initOf(run).tools).not.toContain('generate_image');
  expect(server.imageCalls).toHaveLength(0);
});

test('a BATON_IMAGE_MODEL that cannot be used ends the run before anything is sent', async () => {
  const run = await makeImage(FOX, { BATON_IMAGE_MODEL: 'google/x' });
  expect(run.code).toBe(1);
  expect(run.stdout + run.stderr).toContain('there is no key for Google: set GEMINI_API_KEY');
  expect(server.calls).toHaveLength(0);
});

test('a picture to start from is read by the rules for reading, before anything is paid for', async () => {
  const run = await makeImage({ ...FOX, ImagePaths: ['/etc/hostname'] }, GOOGLE);
  expect(run.envelope().denied_actions).toEqual([expect.objectContaining({ action: 'read_file' })]);
  expect(server.imageCalls).toHaveLength(0);
});

test('a run of which nothing is kept says that the image goes with it', async () => {
  const run = await makeImage(FOX, GOOGLE, ['--ephemeral']);
  const said = run.envelope().response ?? '';
  expect(said).toContain('It is removed when this run ends');
  expect(existsSync(/saved as (\S+)/.exec(said)?.[1] ?? '')).toBe(false);
});
