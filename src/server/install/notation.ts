import type { ConfigNotation, Dialect } from './config-text.ts';

/** The reader and editor of a notation; each brings a parser of its own, so only the one that is needed is loaded. */
export async function notationOf(dialect: Dialect): Promise<ConfigNotation> {
  if (dialect === 'toml') return (await import('./edit-toml.ts')).TOML_NOTATION;
  return (await import('./edit-json.ts')).jsonNotation(dialect);
}
