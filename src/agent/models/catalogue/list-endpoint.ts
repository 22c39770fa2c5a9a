import { type Fields, isFields, parseJson, textOr } from '../../../contract/fields.ts';
import { type Endpoint, partyOf } from '../providers.ts';
import type { Transport } from '../transport/fetch.ts';
import { ModelError } from '../types.ts';
import { toModelError } from '../wire/failure.ts';

/** A model as its provider's list has it. */
export interface ListedModel {
  /** `provider/model`. */
  id: string;
  /** The provider's own display name, else the model's name. */
  label: string;
  /** Tokens that fit in one request, where the list says so. */
  contextWindow?: number;
}

/** Models for other uses than a conversation; lists mix them in. */
const OTHER_USE =
  /embed|whisper|tts|audio|realtime|transcri|moderation|dall-e|image|imagen|veo|sora|rerank|guard|aqa|live|robotics|computer-use|davinci|babbage/i;

function headersOf(endpoint: Endpoint): Record<string, string> {
  const { key, wire } = endpoint;
  if (!key) return {};
  if (wire === 'google') return { 'x-goog-api-key': key };
  if (wire === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return { authorization: `Bearer ${key}` };
}

function addressOf(endpoint: Endpoint): string {
  if (endpoint.wire === 'google') return `${endpoint.address}/models?pageSize=1000`;
  if (endpoint.wire === 'anthropic') return `${endpoint.address}/models?limit=1000`;
  return `${endpoint.address}/models`;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function readEntry(entry: Fields, endpoint: Endpoint): ListedModel | undefined {
  const slug = textOr(entry.id, textOr(entry.name, textOr(entry.model))).replace(/^models\//, '');
  if (slug === '' || (OTHER_USE.test(slug) && !endpoint.provider.isLocal)) return undefined;
  const methods = entry.supportedGenerationMethods;
  if (Array.isArray(methods) && !methods.includes('generateContent')) return undefined;
  if (endpoint.provider.isLocal && /embed/i.test(slug)) return undefined;
  const label =
    textOr(entry.displayName, textOr(entry.display_name, endpoint.wire === 'chat' ? '' : slug)) || slug;
  const contextWindow =
    positive(entry.inputTokenLimit) ??
    positive(entry.max_input_tokens) ??
    positive(entry.context_window) ??
    positive(entry.context_length) ??
    positive(entry.max_context_length) ??
    (isFields(entry.meta) ? positive(entry.meta.n_ctx_train) : undefined);
  return {
    id: `${endpoint.provider.id}/${slug}`,
    label,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}

/**
 * Asks one provider for its models, in its own order.
 * @throws {ModelError} when it cannot be reached, refuses, or answers something else.
 */
export async function listEndpoint(
  endpoint: Endpoint,
  transport: Transport,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const url = addressOf(endpoint);
  const party = partyOf(endpoint, 'models');
  try {
    const response = await transport.fetch(url, { headers: headersOf(endpoint), signal });
    const text = await response.text();
    if (!response.ok) {
      throw Object.assign(new Error(response.statusText), {
        name: 'AI_APICallError',
        statusCode: response.status,
        responseBody: text,
        responseHeaders: {},
      });
    }
    const body = parseJson(text);
    const entries = isFields(body) ? (body.data ?? body.models) : body;
    if (!Array.isArray(entries)) {
      throw new ModelError('stream', `${endpoint.provider.label}: ${url} gave no list of models`);
    }
    return entries.filter(isFields).flatMap((entry) => readEntry(entry, endpoint) ?? []);
  } catch (error) {
    throw toModelError(error, party, signal);
  }
}
