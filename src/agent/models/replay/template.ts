import { type Fields, isFields } from '../../../contract/fields.ts';
import type { ToolResult } from '../types.ts';
import { checkPiece, type ReplayPiece, type ReplayText } from './format.ts';
import { normalise, type Places } from './normalise.ts';

/** A piece that the result does not hold. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

export interface TemplateContext extends Places {
  /** The results of the turn so far, by call id. */
  results: ReadonlyMap<string, ToolResult>;
}

function* matches(text: string, pattern: string, flags = 'm'): Generator<RegExpExecArray> {
  yield* text.matchAll(new RegExp(pattern, `g${flags}`));
}

function lineOf(lines: string[], number: number): string {
  const line = number > 0 ? lines[number - 1] : lines.at(number);
  if (line === undefined) throw new TemplateError(`there is no line ${number} among ${lines.length}`);
  return line;
}

function groupOf(match: RegExpExecArray, group: number | undefined): string {
  return match[group ?? (match.length > 1 ? 1 : 0)] ?? '';
}

function extract(piece: ReplayPiece, text: string): string {
  if (piece.count !== undefined) return String([...matches(text, piece.count, piece.flags)].length);
  if (piece.match !== undefined) {
    const found = [...matches(text, piece.match, piece.flags)];
    const [first] = found;
    if (!first) throw new TemplateError(`nothing matches /${piece.match}/`);
    if (!piece.all) return groupOf(first, piece.group);
    return found.map((match) => groupOf(match, piece.group)).join(piece.join ?? ', ');
  }
  const lines = text.split('\n');
  if (piece.line !== undefined) return lineOf(lines, piece.line);
  if (piece.lines !== undefined) {
    const [from, to] = piece.lines;
    lineOf(lines, from);
    lineOf(lines, to);
    return lines.slice(from - 1, to).join('\n');
  }
  return text;
}

/** What a piece stands for. Taken from the normalised result, so that an answer is the same on every machine. */
function pieceText(piece: ReplayPiece, context: TemplateContext): string {
  const result = context.results.get(piece.result);
  if (!result) throw new TemplateError(`there is no result of a call ${JSON.stringify(piece.result)}`);
  try {
    return extract(piece, normalise(result.output, context));
  } catch (error) {
    if (error instanceof TemplateError) {
      throw new TemplateError(`${error.message} in the result of ${result.name} (${piece.result})`);
    }
    throw error;
  }
}

function withWorkspace(text: string, context: TemplateContext): string {
  return text.replaceAll('${workspace}', () => context.workspace);
}

/** @throws {TemplateError} when a result does not hold a piece. */
export function fillText(text: ReplayText, context: TemplateContext): string {
  if (typeof text === 'string') return withWorkspace(text, context);
  return text
    .map((piece) => (typeof piece === 'string' ? withWorkspace(piece, context) : pieceText(piece, context)))
    .join('');
}

function fillValue(value: unknown, context: TemplateContext): unknown {
  if (typeof value === 'string') return withWorkspace(value, context);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, context));
  if (!isFields(value)) return value;
  if (Object.keys(value).join() === '$result') {
    const piece = value.$result;
    checkPiece(piece, '$result');
    return pieceText(piece, context);
  }
  return fillArguments(value, context);
}

/** A call's arguments with their places and pieces filled in. */
export function fillArguments(value: Fields, context: TemplateContext): Fields {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fillValue(field, context)]));
}
