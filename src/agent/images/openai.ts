import { textOr } from '../../contract/fields.ts';
import type { Endpoint } from '../models/providers.ts';
import { fixedPixelSize, freePixelSize } from './pixel-size.ts';
import type { ImageRequest } from './types.ts';
import {
  bearer,
  type CreateImageWire,
  cannot,
  dataOf,
  dataUrl,
  field,
  type ImageAnswer,
  list,
} from './wire.ts';

/** The newer models always answer with the data, and refuse to be told. */
const ALWAYS_DATA = /^(gpt-image|chatgpt-image)/;
const FREE_SIZE = /^gpt-image-([2-9]|\d\d)/;

function readImages(answer: unknown): ImageAnswer {
  const first = list(field(answer, 'data'))[0];
  const url = textOr(field(first, 'url'));
  return { base64: textOr(field(first, 'b64_json')) || dataOf(url), said: url.slice(0, 200) };
}

function sizeOf(endpoint: Endpoint, model: string, request: ImageRequest): string | undefined {
  const { aspectRatio, size } = request;
  if (FREE_SIZE.test(model)) {
    if (aspectRatio === undefined && size === undefined) return undefined;
    const pixels = freePixelSize(aspectRatio ?? '1:1', size ?? '1K');
    if (pixels === undefined) throw cannot(endpoint, model, `makes no ${aspectRatio} images, at most 3:1`);
    return pixels;
  }
  if (size !== undefined && size !== '1K')
    throw cannot(endpoint, model, `makes no images of the size ${size}`);
  // What other servers take is not known; the prompt says it.
  return aspectRatio === undefined || !ALWAYS_DATA.test(model) ? undefined : fixedPixelSize(aspectRatio);
}

/** OpenAI's Images, which compatible servers speak too. */
export const createOpenAIWire: CreateImageWire = (endpoint, model, request) => {
  const { prompt, references, aspectRatio } = request;
  const hasData = ALWAYS_DATA.test(model);
  if (references.length > 0 && !hasData) throw cannot(endpoint, model, 'takes no pictures to start from');
  const ratio = aspectRatio === undefined ? '' : `\n\nAspect ratio: ${aspectRatio}.`;
  const size = sizeOf(endpoint, model, request);
  return {
    path: references.length > 0 ? '/images/edits' : '/images/generations',
    headers: bearer(endpoint),
    body: {
      model,
      prompt: `${prompt}${ratio}`,
      n: 1,
      ...(size === undefined ? {} : { size }),
      ...(hasData ? {} : { response_format: 'b64_json' }),
      ...(references.length > 0 ? { images: references.map((one) => ({ image_url: dataUrl(one) })) } : {}),
    },
    read: readImages,
  };
};

/** xAI's form of the same: its own fields for the ratio and the size, one picture to start from. */
export const createXaiWire: CreateImageWire = (endpoint, model, request) => {
  const { prompt, references, aspectRatio, size } = request;
  const [reference] = references;
  if (references.length > 1) throw cannot(endpoint, model, 'takes one picture to start from');
  if (size === '512' || size === '4K') throw cannot(endpoint, model, `makes no images of the size ${size}`);
  return {
    path: reference ? '/images/edits' : '/images/generations',
    headers: bearer(endpoint),
    body: {
      model,
      prompt,
      n: 1,
      response_format: 'b64_json',
      ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
      ...(size === undefined ? {} : { resolution: size.toLowerCase() }),
      ...(reference ? { image: { type: 'image_url', url: dataUrl(reference) } } : {}),
    },
    read: readImages,
  };
};
