import { textOr } from '../../contract/fields.ts';
import type { Endpoint } from '../models/providers.ts';
import { type CreateImageWire, cannot, field, list } from './wire.ts';

function keyHeader({ key }: Endpoint): Record<string, string> {
  return key ? { 'x-goog-api-key': key } : {};
}

/** Gemini's models with image output: a conversation whose answer holds the picture. */
const gemini: CreateImageWire = (endpoint, model, request) => {
  const { prompt, references, aspectRatio, size } = request;
  const imageConfig = {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(size === undefined ? {} : { imageSize: size }),
  };
  const parts = [
    ...references.map(({ mediaType, base64 }) => ({ inlineData: { mimeType: mediaType, data: base64 } })),
    { text: prompt },
  ];
  return {
    path: `/models/${encodeURIComponent(model)}:generateContent`,
    headers: keyHeader(endpoint),
    body: {
      contents: [{ role: 'user', parts }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
      },
    },
    read(answer) {
      const candidate = list(field(answer, 'candidates'))[0];
      // Drafts that a thinking model looked at stand before the picture.
      const made = list(field(candidate, 'content', 'parts')).filter(
        (part) => field(part, 'thought') !== true,
      );
      const picture = made
        .map((part) => field(part, 'inlineData', 'data'))
        .find((data) => typeof data === 'string');
      const said = made.map((part) => textOr(field(part, 'text'))).join('');
      const reason = textOr(
        field(candidate, 'finishReason'),
        textOr(field(answer, 'promptFeedback', 'blockReason')),
      );
      return { base64: textOr(picture) || undefined, said: said || reason };
    },
  };
};

/** Imagen, which takes words only. */
const imagen: CreateImageWire = (endpoint, model, request) => {
  const { prompt, references, aspectRatio, size } = request;
  if (references.length > 0) throw cannot(endpoint, model, 'takes no pictures to start from');
  return {
    path: `/models/${encodeURIComponent(model)}:predict`,
    headers: keyHeader(endpoint),
    body: {
      instances: [{ prompt }],
      parameters: {
        sampleCount: 1,
        ...(aspectRatio === undefined ? {} : { aspectRatio }),
        ...(size === undefined ? {} : { sampleImageSize: size }),
      },
    },
    read(answer) {
      const first = list(field(answer, 'predictions'))[0];
      return {
        base64: textOr(field(first, 'bytesBase64Encoded')) || undefined,
        said: textOr(field(first, 'raiFilteredReason')),
      };
    },
  };
};

export const createGoogleWire: CreateImageWire = (endpoint, model, request) =>
  (model.startsWith('imagen-') ? imagen : gemini)(endpoint, model, request);
