import type { Environment } from './environment.ts';
import { familyOf } from './families.ts';
import { priceOf } from './prices.ts';
import { type Endpoint, partyOf, type Wire } from './providers.ts';
import { RETRY_POLICY, type RetryPolicy, withRetries } from './retry.ts';
import type { Transport } from './transport/fetch.ts';
import { type Effort, type Model, ModelError, type ModelPart, type ModelRequest } from './types.ts';
import { toModelError } from './wire/failure.ts';
import { toModelParts } from './wire/parts.ts';
import { toSdkPrompt } from './wire/prompt.ts';
import type { SdkCall } from './wire/sdk.ts';
import type { CreateWire, WireModel } from './wire/wire.ts';

export interface ProviderModelOptions {
  endpoint: Endpoint;
  slug: string;
  effort: Effort | undefined;
  environment: Environment;
  transport: Transport;
  /** Where a list said so. */
  contextWindow?: number | undefined;
  notice?: string | undefined;
  retry?: Partial<RetryPolicy>;
}

/** Each wire with its provider package is a chunk of its own: a run loads one of them. */
const WIRES: Record<Wire, () => Promise<CreateWire>> = {
  chat: async () => (await import('./wire/chat.ts')).createChatWire,
  responses: async () => (await import('./wire/responses.ts')).createResponsesWire,
  google: async () => (await import('./wire/google.ts')).createGoogleWire,
  anthropic: async () => (await import('./wire/anthropic.ts')).createAnthropicWire,
};

function toCall(request: ModelRequest, wire: WireModel, effort: Effort | undefined): SdkCall {
  const { tools, responseSchema, maxOutputTokens, signal } = request;
  return {
    prompt: toSdkPrompt(request, wire.traits),
    ...wire.settings({ effort: request.effort ?? effort, maxOutputTokens }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters,
          })),
          toolChoice: { type: 'auto' as const },
        }
      : {}),
    ...(responseSchema && (tools.length === 0 || wire.traits.schemaWithTools)
      ? { responseFormat: { type: 'json' as const, schema: responseSchema, name: 'answer' } }
      : {}),
    abortSignal: signal,
  };
}

function isWebPage(headers: Record<string, string> | undefined): boolean {
  return (headers?.['content-type'] ?? '').startsWith('text/html');
}

/** A provider's "no such model" with the names that it has, where they can be had. */
async function withValidNames(failure: ModelError, options: ProviderModelOptions): Promise<ModelError> {
  const { listModelsOf } = await import('./catalogue/valid-names.ts');
  const names = await listModelsOf(options.endpoint, options.environment);
  if (!names) return failure;
  const { status, cause } = failure;
  return new ModelError('unknown_model', `${failure.message}; valid models: ${names}`, {
    cause,
    ...(status === undefined ? {} : { status }),
  });
}

/** A model behind a provider package. The package is loaded, and the connection opened, when this is called. */
export function createProviderModel(options: ProviderModelOptions): Model {
  const { endpoint, slug, transport, notice } = options;
  const party = partyOf(endpoint, slug);
  transport.warm(endpoint.address);
  const loading = WIRES[endpoint.wire]().then((create) => create(endpoint, slug, transport.fetch));
  // The first request reports a failed load; until then nobody listens.
  loading.catch(() => {});
  const policy = { ...RETRY_POLICY, ...options.retry };
  const contextWindow = options.contextWindow ?? familyOf(slug)?.contextWindow;
  // Behind another address other prices may hold.
  const price = endpoint.addressVariable === undefined ? priceOf(party.id) : undefined;

  async function* attempt(request: ModelRequest): AsyncGenerator<ModelPart> {
    request.signal.throwIfAborted();
    const wire = await loading;
    const { stream, response } = await wire.model.doStream(toCall(request, wire, options.effort));
    if (isWebPage(response?.headers)) {
      await stream.cancel();
      throw new ModelError(
        'invalid_request',
        `${party.providerLabel} (${party.id}): ${party.address} answers with a web page, it is not the address of a ` +
          `model server; check ${party.addressVariable}`,
      );
    }
    yield* toModelParts(stream);
  }

  async function* stream(
    request: ModelRequest,
    onAttemptFailed?: (failure: ModelError, attempt: number) => void,
  ): AsyncGenerator<ModelPart> {
    const toError = (error: unknown): ModelError => toModelError(error, party, request.signal);
    try {
      yield* withRetries(() => attempt(request), toError, request.signal, onAttemptFailed, policy);
    } catch (error) {
      if (error instanceof ModelError && error.kind === 'unknown_model') {
        throw await withValidNames(error, options);
      }
      throw error;
    }
  }

  return {
    id: party.id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(price === undefined ? {} : { price }),
    ...(notice === undefined ? {} : { notice }),
    stream,
  };
}
