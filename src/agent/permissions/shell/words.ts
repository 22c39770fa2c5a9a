import type { Assignment, Word, WordPart } from 'unbash';
import type { ShellWord } from './types.ts';

type PartKind = 'fixed' | 'one' | 'many';

/** Whether a part of a word is fixed text, becomes exactly one piece of text, or may become several words or none. */
function kindOf(part: WordPart): PartKind {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return 'fixed';
    case 'DoubleQuoted':
      if (part.parts.every((child) => child.type === 'Literal')) return 'fixed';
      // "$@" and "${a[@]}" become as many words as there are arguments.
      return part.parts.some((child) => child.type !== 'Literal' && /@|\*/.test(child.text)) ? 'many' : 'one';
    case 'LocaleString':
      return 'one';
    case 'ProcessSubstitution':
    case 'ArithmeticExpansion':
      return 'one';
    case 'Glob':
    case 'ExtendedGlob':
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'BraceExpansion':
      return 'many';
    default:
      return part satisfies never;
  }
}

/** A glob behind a sure start (`./*`, `src/*.ts`) gives names that are no options. */
function startsSurely(part: WordPart | undefined): boolean {
  if (part?.type !== 'Literal' && part?.type !== 'SingleQuoted') return false;
  return part.value !== '' && !/^[-+(!,]/.test(part.value);
}

export function readWord(word: Word): ShellWord {
  const parts = word.parts ?? [];
  if (parts.every((part) => kindOf(part) === 'fixed'))
    return { value: word.value, text: word.text, loose: false };
  const splits = parts.some((part) => kindOf(part) === 'many' && part.type !== 'Glob');
  return { value: undefined, text: word.text, loose: splits || !startsSurely(parts[0]) };
}

/** An assignment as the one word `NAME=value`. */
export function readAssignment(assignment: Assignment): ShellWord {
  const { value, text } = assignment;
  if (value.type === 'ArrayValue' || assignment.index) return { value: undefined, text, loose: false };
  const inner = readWord(value);
  const name = `${assignment.name}${assignment.append ? '+' : ''}=`;
  return { value: inner.value === undefined ? undefined : name + inner.value, text, loose: false };
}

/** A word that is known only at run time, where nothing was written (what `xargs` appends). */
export const UNKNOWN_WORD: ShellWord = { value: undefined, text: '…', loose: true };
