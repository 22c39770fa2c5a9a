import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { CreateWire } from './wire.ts';

/** Mistral takes call ids of exactly nine letters and digits. */
function nineCharacters(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let hash = 0n;
  for (const byte of Buffer.from(id)) hash = (hash * 1_000_003n + BigInt(byte)) % 36n ** 9n;
  return hash.toString(36).padStart(9, '0');
}

/** OpenAI's Chat Completions, which every compatible server speaks. */
export const createChatWire: CreateWire = (endpoint, slug, fetch) => {
  const { provider } = endpoint;
  const model = createOpenAICompatible({
    name: provider.id,
    baseURL: endpoint.address,
    apiKey: endpoint.key,
    includeUsage: !provider.isStrict,
    supportsStructuredOutputs: true,
    fetch,
    // OpenAI's own models know the limit by its new name only, compatible servers often by the old one only.
    ...(new URL(endpoint.address).hostname.endsWith('api.openai.com')
      ? {
          transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
        }
      : {}),
  }).chatModel(slug);
  return {
    model,
    traits: {
      name: provider.id,
      reasoning: provider.wantsReasoning ? 'text' : 'none',
      imageInResult: false,
      schemaWithTools: false,
      ...(provider.id === 'mistral' ? { callId: nineCharacters } : {}),
    },
    settings({ effort, maxOutputTokens }) {
      return {
        ...(effort ? { providerOptions: { [provider.id]: { reasoningEffort: effort } } } : {}),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      };
    },
  };
};
