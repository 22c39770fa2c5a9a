import { textOr } from '../../contract/fields.ts';
import { bearer, type CreateImageWire, dataOf, dataUrl, field, list } from './wire.ts';

/** Makers whose models answer with words and pictures; the others must be asked for pictures alone. */
const WITH_TEXT = /^(google|openai|openrouter)\//;

/** OpenRouter: Chat Completions with pictures in the answer. */
export const createOpenRouterWire: CreateImageWire = (endpoint, model, request) => {
  const { prompt, references, aspectRatio, size } = request;
  const imageConfig = {
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(size === undefined ? {} : { image_size: size }),
  };
  return {
    path: '/chat/completions',
    headers: bearer(endpoint),
    body: {
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: prompt },
            ...references.map((one) => ({ type: 'image_url', image_url: { url: dataUrl(one) } })),
          ],
        },
      ],
      modalities: WITH_TEXT.test(model) ? ['image', 'text'] : ['image'],
      ...(Object.keys(imageConfig).length > 0 ? { image_config: imageConfig } : {}),
    },
    read(answer) {
      const choice = list(field(answer, 'choices'))[0];
      const url = textOr(field(list(field(choice, 'message', 'images'))[0], 'image_url', 'url'));
      const said = textOr(
        field(choice, 'message', 'content'),
        textOr(field(choice, 'message', 'refusal'), textOr(field(choice, 'finish_reason'))),
      );
      return { base64: dataOf(url), said: said || url.slice(0, 200) };
    },
  };
};
