import { isFields, parseJson, textOr } from '../../contract/fields.ts';
import type { Environment } from '../models/environment.ts';
import { type Endpoint, endpointOf, findProvider, partyOf } from '../models/providers.ts';
import { withKey } from '../models/resolve.ts';
import type { Transport } from '../models/transport/fetch.ts';
import { ModelError } from '../models/types.ts';
import { toModelError } from '../models/wire/failure.ts';
import type { ImageModel, ImageRequest } from './types.ts';

/** What is asked where nothing is chosen, in this order. As of 2026-11. */
const DEFAULTS = [
  { provider: 'google', model: 'gemini-3.1-flash-image-preview' },
  { provider: 'openai', model: 'gpt-image-2' },
] as const;

/** A picture takes longer than the first words of an answer. */
const IDLE_MS = 180_000;

interface Wire {
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** The picture as base64, or undefined when the answer has none; then `said` may tell why. */
  read(answer: unknown): { base64: string | undefined; said: string };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
}

function googleWire(endpoint: Endpoint, model: string, request: ImageRequest): Wire {
  const { prompt, references, aspectRatio } = request;
  return {
    path: `/models/${encodeURIComponent(model)}:generateContent`,
    headers: endpoint.key ? { 'x-goog-api-key': endpoint.key } : {},
    body: {
      contents: [
        {
          role: 'user',
          parts: [
            ...references.map(({ mediaType, base64 }) => ({
              inlineData: { mimeType: mediaType, data: base64 },
            })),
            { text: prompt },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(aspectRatio === undefined ? {} : { imageConfig: { aspectRatio } }),
      },
    },
    read(answer) {
      const candidate = list(field(answer, 'candidates'))[0];
      const parts = list(field(candidate, 'content', 'parts'));
      const picture = parts
        .map((part) => field(part, 'inlineData', 'data'))
        .find((data) => typeof data === 'string');
      const said = parts.map((part) => textOr(field(part, 'text'))).join('');
      const reason = textOr(
        field(candidate, 'finishReason'),
        textOr(field(answer, 'promptFeedback', 'blockReason')),
      );
      return { base64: textOr(picture) || undefined, said: said || reason };
    },
  };
}

function openaiWire(endpoint: Endpoint, model: string, request: ImageRequest): Wire {
  if (request.references.length > 0)
    throw new ModelError(
      'invalid_request',
      `${endpoint.provider.label} takes no pictures to start from here; set BATON_IMAGE_MODEL to a model of Google`,
    );
  const ratio = request.aspectRatio === undefined ? '' : `\n\nAspect ratio: ${request.aspectRatio}.`;
  return {
    path: '/images/generations',
    headers: endpoint.key ? { authorization: `Bearer ${endpoint.key}` } : {},
    body: {
      model,
      prompt: `${request.prompt}${ratio}`,
      n: 1,
      // The newer models always answer so, and refuse to be told.
      ...(/^(gpt-image|chatgpt-image)/.test(model) ? {} : { response_format: 'b64_json' }),
    },
    read(answer) {
      const first = list(field(answer, 'data'))[0];
      return { base64: textOr(field(first, 'b64_json')) || undefined, said: textOr(field(first, 'url')) };
    },
  };
}

function createImageModel(endpoint: Endpoint, model: string, transport: Transport): ImageModel {
  const id = `${endpoint.provider.id}/${model}`;
  return {
    id,
    async generate(request) {
      try {
        const makeWire = endpoint.wire === 'google' ? googleWire : openaiWire;
        const wire = makeWire(endpoint, model, request);
        const response = await transport.fetch(`${endpoint.address}${wire.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...wire.headers },
          body: JSON.stringify(wire.body),
          signal: request.signal,
        });
        const text = await response.text();
        if (!response.ok) {
          throw Object.assign(new Error(response.statusText), {
            name: 'AI_APICallError',
            statusCode: response.status,
            responseBody: text,
            responseHeaders: {},
          });
        }
        const { base64, said } = wire.read(parseJson(text));
        if (base64 === undefined)
          throw new ModelError(
            'stream',
            `${id} gave no image${said === '' ? '' : `; it said: ${said.slice(0, 500)}`}`,
          );
        return Buffer.from(base64, 'base64');
      } catch (error) {
        throw error instanceof ModelError
          ? error
          : toModelError(error, partyOf(endpoint, model), request.signal);
      }
    },
  };
}

/** @throws {ModelError} */
function chosenEndpoint(given: string, environment: Environment): { endpoint: Endpoint; model: string } {
  const slash = given.indexOf('/');
  const provider = slash > 0 ? findProvider(given.slice(0, slash)) : undefined;
  const model = given.slice(slash + 1);
  if (!provider || model === '' || provider.wire === 'anthropic')
    throw new ModelError(
      'unknown_model',
      `BATON_IMAGE_MODEL=${JSON.stringify(given)} names no model that makes images; write provider/model, such as ${DEFAULTS.map((one) => `${one.provider}/${one.model}`).join(' or ')}`,
    );
  return { endpoint: withKey(endpointOf(provider, environment)), model };
}

function defaultEndpoint(environment: Environment, runModel: string): { endpoint: Endpoint; model: string } {
  const own = runModel.slice(0, runModel.indexOf('/'));
  const ordered = DEFAULTS.toSorted((a, b) => Number(b.provider === own) - Number(a.provider === own));
  for (const { provider: name, model } of ordered) {
    const provider = findProvider(name);
    if (!provider) continue;
    const endpoint = endpointOf(provider, environment);
    const isOwnServer = name === 'openai' && endpoint.addressVariable !== undefined;
    if (endpoint.key && !isOwnServer) return { endpoint, model };
  }
  throw new ModelError(
    'auth',
    'there is no key of a provider that makes images: set GEMINI_API_KEY or OPENAI_API_KEY',
  );
}

/**
 * The model that makes images in this run: `BATON_IMAGE_MODEL` (`provider/model`), else that of Google or OpenAI whose
 * key is set, the provider of the run's own model first.
 * @param runModel `provider/model`
 * @throws {ModelError} for a choice that cannot be used, and where there is none (see {@link imagesAvailable})
 */
export async function findImageModel(environment: Environment, runModel: string): Promise<ImageModel> {
  const given = environment.BATON_IMAGE_MODEL?.trim() ?? '';
  const { endpoint, model } =
    given === '' ? defaultEndpoint(environment, runModel) : chosenEndpoint(given, environment);
  const { createTransport } = await import('../models/transport/fetch.ts');
  return createImageModel(endpoint, model, createTransport(environment, { idleMs: IDLE_MS }));
}
