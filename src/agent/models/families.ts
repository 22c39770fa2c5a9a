import type { Effort } from './types.ts';

/** How a model's reasoning is steered on the wire. */
export type EffortControl =
  /** `reasoning_effort` / `reasoning.effort` with the same words. */
  | 'words'
  /** Google's `thinkingLevel`. */
  | 'level'
  /** A number of thinking tokens. */
  | 'budget'
  /** Anthropic's `effort` with adaptive thinking. */
  | 'adaptive'
  | 'none';

/** What is known of a family of models. */
export interface Family {
  readonly match: RegExp;
  /** The provider whose bare slugs these are. */
  readonly provider: string;
  readonly contextWindow?: number;
  readonly effort?: EffortControl;
}

export const FAMILIES: readonly Family[] = [
  { match: /^(gpt-|chatgpt|o\d)/, provider: 'openai' },
  { match: /^claude-/, provider: 'anthropic' },
  { match: /^(gemini|gemma)-/, provider: 'google' },
  { match: /^grok-/, provider: 'xai' },
  { match: /^deepseek-/, provider: 'deepseek' },
  { match: /^(mistral|codestral|devstral|magistral|ministral)-/, provider: 'mistral' },
];

/** The family of a slug, with or without a maker's name before it (`anthropic/claude-…` on OpenRouter). */
export function familyOf(slug: string): Family | undefined {
  const bare = slug.toLowerCase().replace(/^.*\//, '');
  return FAMILIES.find((family) => family.match.test(bare));
}

export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
