import { type Fields, isFields } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';

export interface MarkdownFile {
  /** The YAML block at the top, empty when there is none. */
  fields: Fields;
  body: string;
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Splits a Markdown file into its YAML front matter and the rest. The parser is loaded only for a file that has some.
 * @throws {Error} when the block is no YAML
 */
export async function readFrontMatter(text: string): Promise<MarkdownFile> {
  const match = BLOCK.exec(text);
  if (!match) return { fields: {}, body: text };
  const { parseYaml } = await import('./parse-yaml.ts');
  let value: unknown;
  try {
    value = parseYaml(match[1] ?? '');
  } catch (error) {
    throw new Error(`its front matter is no YAML: ${errorMessage(error).split('\n', 1)[0]}`, {
      cause: error,
    });
  }
  return { fields: isFields(value) ? value : {}, body: text.slice(match[0].length) };
}
