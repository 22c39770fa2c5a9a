import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseImageModel } from '../../../src/agent/images/choose-model.ts';
import { createGenerateImage } from '../../../src/agent/images/generate-image.ts';
import { createImageModel } from '../../../src/agent/images/image-model.ts';
import type { ToolOutcome } from '../../../src/agent/tools/types.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');

interface Seen {
  url: string;
  headers: Record<string, unknown>;
  body: unknown;
}

async function serve(
  answerTo: (index: number) => [status: number, answer: unknown],
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      seen.push({ url: request.url ?? '', headers: request.headers, body });
      const [status, answer] = answerTo(seen.length - 1);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, seen };
}

interface Desk {
  folder: string;
  make(args: Record<string, unknown>): Promise<ToolOutcome>;
}

function createDesk(environment: Record<string, string>, { isEphemeral = false } = {}): Desk {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-image-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = { ...environment, XDG_CONFIG_HOME: folder };
  const tool = createGenerateImage({
    async load() {
      const choice = chooseImageModel(own, 'anthropic/x');
      if (!choice) throw new Error('nothing that makes images is set up');
      return createImageModel(choice, own, { firstPauseMs: 1, maxPauseMs: 1 });
    },
    base: folder,
    conversationFolder: join(folder, 'conversation'),
    isEphemeral,
  });
  return {
    folder,
    make: async (args) => await (await tool.prepare(args)).run({ signal: new AbortController().signal }),
  };
}

const googleAnswer = (parts: unknown[]) => ({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
const picture = { inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } };

test('Google makes an image, which is saved with the conversation', async () => {
  const { url, seen } = await serve(() => [200, googleAnswer([{ text: 'Here.' }, picture])]);
  const desk = createDesk({ GEMINI_API_KEY: 'key-1', GOOGLE_GEMINI_BASE_URL: url });
  writeFileSync(join(desk.folder, 'start.png'), PNG);
  const outcome = await desk.make({
    Prompt: 'a red fox',
    ImageName: 'Red fox!.png',
    AspectRatio: '16:9',
    ImageSize: '2k',
    ImagePaths: ['start.png'],
  });
  const path = join(desk.folder, 'conversation/output/Red_fox.png');
  expect(outcome.isError).toBe(false);
  expect(outcome.output).toContain(`saved as ${path}`);
  expect(outcome.image).toBeUndefined();
  expect(readFileSync(path)).toEqual(PNG);
  expect(seen[0]?.url).toBe('/v1beta/models/gemini-3.1-flash-image-preview:generateContent');
  expect(seen[0]?.headers['x-goog-api-key']).toBe('key-1');
  expect(seen[0]?.body).toEqual({
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } },
          { text: 'a red fox' },
        ],
      },
    ],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    },
  });
  await desk.make({ Prompt: 'again', ImageName: 'Red fox!' });
  expect(readdirSync(join(desk.folder, 'conversation/output')).toSorted()).toEqual([
    'Red_fox.png',
    'Red_fox_2.png',
  ]);
});

test('a model of an OpenAI-compatible server makes one when it is chosen', async () => {
  const { url, seen } = await serve(() => [200, { data: [{ b64_json: PNG.toString('base64') }] }]);
  const desk = createDesk({
    OPENAI_API_KEY: 'key-2',
    OPENAI_BASE_URL: `${url}/v1`,
    BATON_IMAGE_MODEL: 'openai/gpt-image-2',
  });
  const outcome = await desk.make({ Prompt: 'a fox', ImageName: 'fox', AspectRatio: '1:1' });
  expect(outcome.output).toContain('made by openai/gpt-image-2');
  expect(seen[0]?.url).toBe('/v1/images/generations');
  expect(seen[0]?.headers.authorization).toBe('Bearer key-2');
  expect(seen[0]?.body).toEqual({
    model: 'gpt-image-2',
    prompt: 'a fox\n\nAspect ratio: 1:1.',
    n: 1,
    size: '1024x1024',
  });
});

test.each([
  [200, googleAnswer([{ text: 'I cannot draw that.' }]), /gave no image; it said: I cannot draw that\./],
  [200, { promptFeedback: { blockReason: 'SAFETY' } }, /gave no image; it said: SAFETY/],
  [200, {}, /gave no image$/],
  [200, googleAnswer([{ inlineData: { data: 'AAAA' } }]), /gave data that is no image/],
  [429, { error: { message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }, /slow down/],
  [400, { error: { message: 'API key not valid', status: 'INVALID_ARGUMENT' } }, /API key not valid/],
])('an answer of status %i with %j is an error that says why', async (status, answer, message) => {
  const { url } = await serve(() => [status, answer]);
  const desk = createDesk({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url });
  const outcome = await desk.make({ Prompt: 'x', ImageName: 'x' });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toMatch(message);
  expect(() => readdirSync(join(desk.folder, 'conversation'))).toThrow('ENOENT');
});

test.each([
  [{}, 'the argument Prompt is missing'],
  [{ Prompt: ' ' }, 'the Prompt is empty'],
  [{ Prompt: 'x', AspectRatio: 'wide' }, 'AspectRatio is written like 16:9'],
  [{ Prompt: 'x', AspectRatio: '0:1' }, 'AspectRatio is written like 16:9'],
  [{ Prompt: 'x', ImageSize: 'big' }, 'ImageSize is one of 512, 1K, 2K, 4K'],
  [{ Prompt: 'x', ImagePaths: ['a', 'b', 'c', 'd'] }, 'at most 3 ImagePaths'],
])('arguments %j are refused', async (args, message) => {
  await expect(createDesk({}).make(args)).rejects.toThrow(message);
});

test('references are asked for as reads, and must be images', async () => {
  const desk = createDesk({ GEMINI_API_KEY: 'k' });
  writeFileSync(join(desk.folder, 'a.txt'), 'text');
  const outcome = await desk.make({ Prompt: 'x', ImageName: 'x', ImagePaths: ['a.txt'] });
  expect(outcome.errorMessage).toContain('a.txt is no PNG, JPEG, GIF or WebP image');
});

test('a failure that may pass is tried again, a bad request is not', async () => {
  const busy = await serve((index) =>
    index === 0 ? [503, { error: { message: 'busy' } }] : [200, googleAnswer([picture])],
  );
  const desk = createDesk({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: busy.url });
  expect((await desk.make({ Prompt: 'x', ImageName: 'x' })).isError).toBe(false);
  expect(busy.seen).toHaveLength(2);
  const refusing = await serve(() => [400, { error: { message: 'no' } }]);
  const other = createDesk({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: refusing.url });
  expect((await other.make({ Prompt: 'x', ImageName: 'x' })).isError).toBe(true);
  expect(refusing.seen).toHaveLength(1);
});

test('in a run of which nothing is kept the answer says that the image goes', async () => {
  const { url } = await serve(() => [200, googleAnswer([picture])]);
  const desk = createDesk({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url }, { isEphemeral: true });
  expect((await desk.make({ Prompt: 'x', ImageName: 'x' })).output).toContain('removed when this run ends');
});
