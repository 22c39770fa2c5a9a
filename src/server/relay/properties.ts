import { EFFORTS } from '../../backends/types.ts';
import type { PropertySchema } from '../tool.ts';

/** Arguments that several relay tools take. Texts are data: what a model reads when it fills them in. */
export const MODEL: PropertySchema = {
  type: 'string',
  description: 'Model id from gemini-models, or flash or pro. Leave out for the backend’s own.',
};

export const EFFORT: PropertySchema = {
  type: 'string',
  enum: EFFORTS,
  description: 'Reasoning effort.',
};

export const ADD_DIRS: PropertySchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Further folders that the agent may look into.',
};

export const BACKEND: PropertySchema = {
  type: 'string',
  description: 'Which agent program answers: agy, gemini or baton. Leave out for the configured one.',
};
