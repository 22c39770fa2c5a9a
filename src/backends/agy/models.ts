import type { Effort, ModelEntry } from '../types.ts';

/** What plan and image runs use when their caller names no model. */
export const PINNED_MODEL = 'gemini-3.8-flash-high';

const FLASH = 'gemini-3.8-flash';
const PRO = 'gemini-3.1-pro';
const ALIASES: Readonly<Record<string, string>> = {
  flash: FLASH,
  'gemini-flash': FLASH,
  'gemini-3.8-flash': FLASH,
  'gemini-2.5-flash': FLASH,
  'gemini-3.5-flash': FLASH,
  pro: PRO,
  'gemini-pro': PRO,
  'gemini-3.1-pro': PRO,
  'gemini-2.5-pro': PRO,
};

/** The models of agy as they were known last, for an account that cannot be asked. */
export const FALLBACK_MODELS: readonly ModelEntry[] = [
  { id: 'gemini-3.8-flash-high', label: 'Gemini 3.8 Flash (High)' },
  { id: 'gemini-3.8-flash-medium', label: 'Gemini 3.8 Flash (Medium)' },
  { id: 'gemini-3.8-flash-low', label: 'Gemini 3.8 Flash (Low)' },
  { id: 'gemini-3.7-flash-high', label: 'Gemini 3.7 Flash (High)' },
  { id: 'gemini-3.7-flash-medium', label: 'Gemini 3.7 Flash (Medium)' },
  { id: 'gemini-3.7-flash-low', label: 'Gemini 3.7 Flash (Low)' },
  { id: 'gemini-3.1-pro-high', label: 'Gemini 3.1 Pro (High)' },
  { id: 'gemini-3.1-pro-low', label: 'Gemini 3.1 Pro (Low)' },
];

/**
 * A model as agy takes it: white space trimmed, a row of `agy models` (`id<TAB>label`) cut down to its id. A value whose
 * id would be empty is handed on as it is, so that agy itself says what is wrong with it.
 */
export function reduceModel(value: string): string {
  const trimmed = value.trim();
  const id = trimmed.split('\t', 1)[0]?.trim() ?? '';
  return id === '' ? value : id;
}

/**
 * A model as the relay's callers name it. The short names stand for a family at its high effort; since agy refuses a
 * slug that contradicts `--effort`, another effort picks the slug of that effort.
 */
export function resolveRelayModel(value: string, effort?: Effort): string {
  const model = reduceModel(value);
  const family = ALIASES[model.toLowerCase()] ?? (model === PINNED_MODEL ? FLASH : undefined);
  return family === undefined ? model : `${family}-${effort ?? 'high'}`;
}
