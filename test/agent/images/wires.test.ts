import { expect, test } from 'vitest';
import { createGoogleWire } from '../../../src/agent/images/google.ts';
import { createOpenAIWire, createXaiWire } from '../../../src/agent/images/openai.ts';
import { createOpenRouterWire } from '../../../src/agent/images/openrouter.ts';
import { fixedPixelSize, freePixelSize } from '../../../src/agent/images/pixel-size.ts';
import type { ImageRequest, ImageSize } from '../../../src/agent/images/types.ts';
import { type Endpoint, endpointOf, findProvider } from '../../../src/agent/models/providers.ts';
import { ASPECT_RATIOS } from '../../../src/relay/prompts/image.ts';

function endpoint(name: string): Endpoint {
  const provider = findProvider(name);
  if (!provider) throw new Error(name);
  return endpointOf(provider, { [provider.keyVariables[0] ?? '']: 'key' });
}

function request(more: Partial<ImageRequest> = {}): ImageRequest {
  return { prompt: 'a fox', references: [], signal: new AbortController().signal, ...more };
}

const reference = { mediaType: 'image/png', base64: 'AAAA' };
const wide = { aspectRatio: '16:9', size: '2K' } as const;

test('OpenAI gets pixels, and pictures to start from as data', () => {
  const made = createOpenAIWire(endpoint('openai'), 'gpt-image-2', request(wide));
  expect(made).toMatchObject({ path: '/images/generations', headers: { authorization: 'Bearer key' } });
  expect(made.body).toEqual({
    model: 'gpt-image-2',
    prompt: 'a fox\n\nAspect ratio: 16:9.',
    n: 1,
    size: '2720x1536',
  });
  const changed = createOpenAIWire(endpoint('openai'), 'gpt-image-1', request({ references: [reference] }));
  expect(changed).toMatchObject({
    path: '/images/edits',
    body: { images: [{ image_url: 'data:image/png;base64,AAAA' }] },
  });
  expect(changed.body).not.toHaveProperty('size');
});

test('the models of other servers are asked for data, and are sent nothing that they may not know', () => {
  const { body, read } = createOpenAIWire(endpoint('openai'), 'sd-local', request({ aspectRatio: '16:9' }));
  expect(body).toEqual({
    model: 'sd-local',
    prompt: 'a fox\n\nAspect ratio: 16:9.',
    n: 1,
    response_format: 'b64_json',
  });
  expect(read({ data: [{ url: 'data:image/png;base64,BBBB' }] }).base64).toBe('BBBB');
  expect(read({ data: [{ url: 'http://elsewhere/x.png' }] })).toEqual({
    base64: undefined,
    said: 'http://elsewhere/x.png',
  });
});

test('xAI has its own fields', () => {
  const { path, body } = createXaiWire(
    endpoint('xai'),
    'grok-imagine-image',
    request({ ...wide, references: [reference] }),
  );
  expect(path).toBe('/images/edits');
  expect(body).toMatchObject({
    aspect_ratio: '16:9',
    resolution: '2k',
    response_format: 'b64_json',
    image: { type: 'image_url', url: 'data:image/png;base64,AAAA' },
  });
});

test('OpenRouter is asked over Chat Completions', () => {
  const model = 'google/gemini-3.1-flash-image-preview';
  const { path, body, read } = createOpenRouterWire(
    endpoint('openrouter'),
    model,
    request({ ...wide, references: [reference] }),
  );
  expect(path).toBe('/chat/completions');
  expect(body).toEqual({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a fox' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ],
    modalities: ['image', 'text'],
    image_config: { aspect_ratio: '16:9', image_size: '2K' },
  });
  expect(createOpenRouterWire(endpoint('openrouter'), 'maker/flux', request()).body).toMatchObject({
    modalities: ['image'],
  });
  const answer = (message: object): object => ({ choices: [{ finish_reason: 'stop', message }] });
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,CCCC' } }];
  expect(read(answer({ content: 'Here.', images })).base64).toBe('CCCC');
  expect(read(answer({ content: 'No.' }))).toEqual({ base64: undefined, said: 'No.' });
});

test('Imagen has a path of its own; a picture that a model only thought of is not the one', () => {
  const imagen = createGoogleWire(endpoint('google'), 'imagen-4.0-generate-001', request(wide));
  expect(imagen.path).toBe('/models/imagen-4.0-generate-001:predict');
  expect(imagen.body).toEqual({
    instances: [{ prompt: 'a fox' }],
    parameters: { sampleCount: 1, aspectRatio: '16:9', sampleImageSize: '2K' },
  });
  expect(imagen.read({ predictions: [{ bytesBase64Encoded: 'DDDD' }] }).base64).toBe('DDDD');
  expect(imagen.read({ predictions: [{ raiFilteredReason: 'unsafe' }] }).said).toBe('unsafe');
  const gemini = createGoogleWire(endpoint('google'), 'gemini-3-pro-image-preview', request());
  const parts = [{ thought: true, inlineData: { data: 'draft' } }, { inlineData: { data: 'done' } }];
  expect(gemini.read({ candidates: [{ content: { parts } }] }).base64).toBe('done');
});

test.each([
  [() => createXaiWire(endpoint('xai'), 'g', request({ size: '4K' })), 'makes no images of the size 4K'],
  [
    () => createXaiWire(endpoint('xai'), 'g', request({ references: [reference, reference] })),
    'one picture to start from',
  ],
  [
    () => createOpenAIWire(endpoint('openai'), 'gpt-image-2', request({ aspectRatio: '8:1' })),
    'makes no 8:1 images, at most 3:1',
  ],
  [
    () => createOpenAIWire(endpoint('openai'), 'gpt-image-1.5', request({ size: '4K' })),
    'makes no images of the size 4K',
  ],
  [
    () => createOpenAIWire(endpoint('openai'), 'sd-local', request({ references: [reference] })),
    'takes no pictures to start from',
  ],
  [
    () => createGoogleWire(endpoint('google'), 'imagen-4.0', request({ references: [reference] })),
    'takes no pictures to start from',
  ],
])('what a provider cannot do is refused before anything is sent: %#', (make, message) => {
  expect(make).toThrow(message);
  expect(make).toThrow('set BATON_IMAGE_MODEL to another model');
});

function keepsLimits(made: string | undefined, ratio: string): boolean {
  const [width = 0, height = 0] = (made ?? '').split('x').map(Number);
  const [wanted = 0, over = 1] = ratio.split(':').map(Number);
  return (
    width % 16 === 0 &&
    height % 16 === 0 &&
    Math.max(width, height) <= 3840 &&
    Math.max(width / height, height / width) <= 3 &&
    width * height >= 655_360 &&
    width * height <= 8_294_400 &&
    Math.abs(width / height / (wanted / over) - 1) < 0.04
  );
}

test('every size in pixels keeps the limits that OpenAI names, and the ratio', () => {
  const sizes: ImageSize[] = ['512', '1K', '2K', '4K'];
  const ratios = ASPECT_RATIOS.filter((ratio) => !/8|^4:1$|^1:4$/.test(ratio));
  for (const ratio of [...ratios, '3:1', '1:3'])
    for (const size of sizes)
      expect(freePixelSize(ratio, size)).toSatisfy((made) => keepsLimits(made, ratio));
  expect(freePixelSize('16:9', '4K')).toBe('3840x2160');
  expect(freePixelSize('4:1', '1K')).toBeUndefined();
  expect(['1:1', '16:9', '9:16', '5:4'].map(fixedPixelSize)).toEqual([
    '1024x1024',
    '1536x1024',
    '1024x1536',
    '1536x1024',
  ]);
});
