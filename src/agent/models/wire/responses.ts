import { createOpenAI } from '@ai-sdk/openai';
import type { SdkOptions } from './sdk.ts';
import type { CreateWire } from './wire.ts';

/** OpenAI's Responses, with nothing kept on their side: reasoning comes back encrypted and is sent again. */
export const createResponsesWire: CreateWire = (endpoint, slug, fetch) => ({
  model: createOpenAI({ baseURL: endpoint.address, apiKey: endpoint.key ?? 'none', fetch }).responses(slug),
  traits: {
    name: 'openai',
    reasoning: 'own',
    imageInResult: true,
    schemaWithTools: true,
    // At most 64 characters are taken.
    callId: (id) => (id.length <= 64 ? id : id.slice(0, 31) + id.slice(-33)),
  },
  settings({ effort, maxOutputTokens }) {
    const openai: SdkOptions[string] = { store: false, strictJsonSchema: false };
    if (effort) {
      openai.reasoningEffort = effort;
      // The package drops an effort without a word for models it does not know.
      openai.forceReasoning = true;
    }
    return { providerOptions: { openai }, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
  },
});
