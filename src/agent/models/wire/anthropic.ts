import { createAnthropic } from '@ai-sdk/anthropic';
import { familyOf } from '../families.ts';
import type { Effort } from '../types.ts';
import { effortControl, THINKING_BUDGET } from './effort.ts';
import type { SdkOptions } from './sdk.ts';
import type { CreateWire } from './wire.ts';

/** Longest reply asked for when nothing else is said: the wire demands a number. */
const MAX_OUTPUT = 32_000;

function thinking(slug: string, effort: Effort | undefined): SdkOptions[string] {
  if (!effort) return {};
  return effortControl(slug, 'adaptive') === 'budget'
    ? { thinking: { type: 'enabled', budgetTokens: THINKING_BUDGET[effort] } }
    : { thinking: { type: 'adaptive', display: 'summarized' }, effort };
}

/** Anthropic's Messages. What was sent before is marked to be cached: an agent sends it again with every step. */
export const createAnthropicWire: CreateWire = (endpoint, slug, fetch) => ({
  model: createAnthropic({ baseURL: endpoint.address, apiKey: endpoint.key ?? 'none', fetch })(slug),
  traits: {
    name: 'anthropic',
    reasoning: 'own',
    imageInResult: true,
    schemaWithTools: familyOf(slug)?.effort === 'adaptive',
    callId: (id) => id.replaceAll(/[^a-zA-Z0-9_-]/g, '_'),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  },
  settings({ effort, maxOutputTokens }) {
    return {
      providerOptions: { anthropic: thinking(slug, effort) },
      maxOutputTokens: maxOutputTokens ?? familyOf(slug)?.maxOutput ?? MAX_OUTPUT,
    };
  },
});
