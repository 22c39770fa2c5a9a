/**
 * What is known of model families without asking anybody. As of 2026-11, from the providers' model pages and the limits
 * in the provider packages. A family that is missing is no error: its window is unknown and its provider decides what
 * it takes.
 */

/** How the reasoning of a family is steered on the wire. */
export type EffortControl =
  /** The words low, medium, high (OpenAI's `reasoning_effort` and `reasoning.effort`). */
  | 'words'
  /** Google's `thinkingLevel`. */
  | 'level'
  /** A number of thinking tokens. */
  | 'budget'
  /** Anthropic's `effort` with adaptive thinking. */
  | 'adaptive'
  /** There is no such control: asking for an effort is refused. */
  | 'none';

export interface Family {
  readonly match: RegExp;
  /** The provider whose own models these are. None for open models that many serve. */
  readonly provider?: string;
  /** Tokens of prompt and reply together that fit in one request. */
  readonly contextWindow?: number;
  /** Absent: not known, the server decides. */
  readonly effort?: EffortControl;
  /** Longest reply in tokens, where it must be named in the request and is shorter than the usual one. */
  readonly maxOutput?: number;
  /** It answers with images (for image generation), not only with text. */
  readonly makesImages?: boolean;
}

const M = 1_000_000;

/** The first match counts. */
const FAMILIES: readonly Family[] = [
  { match: /^gpt-(image|4o-image)|^chatgpt-image/, provider: 'openai', effort: 'none', makesImages: true },
  { match: /^gpt-oss/, contextWindow: 131_072, effort: 'words' },
  { match: /^gpt-\d.*-chat|^chatgpt/, provider: 'openai', contextWindow: 128_000, effort: 'none' },
  { match: /^gpt-([6-9]|5\.6)/, provider: 'openai', contextWindow: 1_050_000, effort: 'words' },
  { match: /^gpt-5/, provider: 'openai', contextWindow: 400_000, effort: 'words' },
  { match: /^gpt-4\.1/, provider: 'openai', contextWindow: 1_047_576, effort: 'none' },
  { match: /^gpt-4/, provider: 'openai', contextWindow: 128_000, effort: 'none' },
  { match: /^gpt-3/, provider: 'openai', contextWindow: 16_385, effort: 'none' },
  { match: /^o\d/, provider: 'openai', contextWindow: 200_000, effort: 'words' },
  { match: /^gpt-/, provider: 'openai' },

  {
    match: /^claude-3-haiku/,
    provider: 'anthropic',
    contextWindow: 200_000,
    effort: 'none',
    maxOutput: 4096,
  },
  { match: /^claude-3-5/, provider: 'anthropic', contextWindow: 200_000, effort: 'none', maxOutput: 8192 },
  { match: /^claude-3-7/, provider: 'anthropic', contextWindow: 200_000, effort: 'budget' },
  { match: /^claude-3/, provider: 'anthropic', contextWindow: 200_000, effort: 'none', maxOutput: 4096 },
  {
    match: /^claude-(opus|sonnet)-4-[6-9]/,
    provider: 'anthropic',
    contextWindow: 200_000,
    effort: 'adaptive',
  },
  { match: /^claude-\w+-4/, provider: 'anthropic', contextWindow: 200_000, effort: 'budget' },
  { match: /^claude-/, provider: 'anthropic', contextWindow: M, effort: 'adaptive' },

  { match: /^gemini-.*-image|^gemini-nano-banana|^nano-banana/, provider: 'google', makesImages: true },
  { match: /^gemini-(1|2\.0)/, provider: 'google', contextWindow: 1_048_576, effort: 'none' },
  { match: /^gemini-2\.5/, provider: 'google', contextWindow: 1_048_576, effort: 'budget' },
  { match: /^gemini-/, provider: 'google', contextWindow: 1_048_576, effort: 'level' },
  { match: /^gemma-/, provider: 'google', contextWindow: 128_000, effort: 'none' },

  { match: /^grok-3-mini/, provider: 'xai', contextWindow: 131_072, effort: 'words' },
  { match: /^grok-4\.5/, provider: 'xai', contextWindow: 500_000, effort: 'words' },
  { match: /^grok-(3|4(-0709|-latest)?$)/, provider: 'xai', effort: 'none' },
  { match: /^grok-/, provider: 'xai' },

  { match: /^deepseek-(v4|flash)/, provider: 'deepseek', contextWindow: M },
  { match: /^deepseek-/, provider: 'deepseek' },
  { match: /^(mistral|codestral|devstral|magistral|ministral|pixtral)-/, provider: 'mistral' },
];

/** The family of a model, with or without a maker's name before it (`anthropic/claude-…` on OpenRouter). */
export function familyOf(slug: string): Family | undefined {
  const bare = slug.toLowerCase().replace(/^.*\//, '');
  return FAMILIES.find((family) => family.match.test(bare));
}
