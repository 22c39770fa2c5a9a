/**
 * The variables that hold the keys of model providers, by provider; the first one that is set counts. The agent reads
 * them, `baton setup` keeps one of them in a file, `baton install` hands their names on.
 */
export const KEY_VARIABLES = {
  openai: ['OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
  groq: ['GROQ_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  deepseek: ['DEEPSEEK_API_KEY'],
  xai: ['XAI_API_KEY'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
