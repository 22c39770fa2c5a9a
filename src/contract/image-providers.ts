import { KEY_VARIABLES } from './provider-keys.ts';

/** What makes images where no model is chosen: the first provider whose key is set. As of 2026-11. */
export const IMAGE_MODELS = [
  { provider: 'google', model: 'gemini-3.1-flash-image-preview' },
  { provider: 'openai', model: 'gpt-image-2' },
  { provider: 'openrouter', model: 'google/gemini-3.1-flash-image-preview' },
  { provider: 'xai', model: 'grok-imagine-image' },
] as const;

/** Why there are no images, and the ways out. */
export const NO_IMAGE_PROVIDER =
  'no provider that makes images is set up: set GEMINI_API_KEY, OPENAI_API_KEY (of OpenAI itself), OPENROUTER_API_KEY or ' +
  'XAI_API_KEY, or name one in BATON_IMAGE_MODEL as provider/model';

/**
 * Whether anything that makes images is set up: a model that was chosen (`BATON_IMAGE_MODEL`), or the key of a provider
 * that has one. A server that is only compatible with OpenAI seldom makes images, so it has to be chosen.
 */
export function hasImageProvider(environment: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string): boolean => (environment[name]?.trim() ?? '') !== '';
  if (isSet('BATON_IMAGE_MODEL')) return true;
  const isOwnServer = isSet('OPENAI_BASE_URL') || isSet('OPENAI_API_BASE');
  return IMAGE_MODELS.some(
    ({ provider }) => KEY_VARIABLES[provider].some(isSet) && !(provider === 'openai' && isOwnServer),
  );
}
