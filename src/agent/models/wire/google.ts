import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { Effort } from '../types.ts';
import { effortControl, THINKING_BUDGET } from './effort.ts';
import type { SdkOptions } from './sdk.ts';
import type { CreateWire } from './wire.ts';

function thinking(slug: string, effort: Effort | undefined): SdkOptions[string] {
  const control = effortControl(slug, 'level');
  if (control === 'none') return {};
  const asked = !effort
    ? {}
    : control === 'budget'
      ? { thinkingBudget: THINKING_BUDGET[effort] }
      : { thinkingLevel: effort };
  return { thinkingConfig: { includeThoughts: true, ...asked } };
}

/** Gemini's `streamGenerateContent`. */
export const createGoogleWire: CreateWire = (endpoint, slug, fetch) => ({
  model: createGoogleGenerativeAI({ baseURL: endpoint.address, apiKey: endpoint.key ?? 'none', fetch })(slug),
  traits: {
    name: 'google',
    reasoning: 'own',
    imageInResult: true,
    schemaWithTools: !/^gemini-[12]/.test(slug),
  },
  settings({ effort, maxOutputTokens }) {
    return {
      providerOptions: { google: thinking(slug, effort) },
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    };
  },
});
