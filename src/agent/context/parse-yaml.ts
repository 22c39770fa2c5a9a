import { parse } from 'yaml';

/** The value of a YAML text. A file of its own, since the parser is loaded only when there is something to parse. */
export function parseYaml(text: string): unknown {
  const value: unknown = parse(text, { logLevel: 'silent' });
  return value;
}
