import type { ShellWord } from './types.ts';

/** The options of a program that starts another one. */
export interface OptionSpec {
  /** Letters of options without a value. */
  flags?: string;
  /** Letters of options with a value, attached or in the next word. */
  values?: string;
  /** Letters whose value can only be attached (`xargs -i{}`). */
  attached?: string;
  longFlags?: readonly string[];
  longValues?: readonly string[];
}

export interface ScannedOptions {
  /** Index of the first word that is no option. */
  at: number;
  /** Options in order, `-I` or `--replace`, with their values. */
  seen: readonly { name: string; value: string | undefined }[];
}

type Step = { words: number; name: string; value: string | undefined };

function scanLong(text: string, next: ShellWord | undefined, spec: OptionSpec): Step | undefined {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const attached = equals === -1 ? undefined : text.slice(equals + 1);
  if (spec.longValues?.includes(name)) {
    if (attached !== undefined) return { words: 1, name, value: attached };
    return next && !next.loose ? { words: 2, name, value: next.value } : undefined;
  }
  return attached === undefined && spec.longFlags?.includes(name)
    ? { words: 1, name, value: undefined }
    : undefined;
}

/** Reads a cluster such as `-0rn1`; the last letter may take a value. */
function scanShort(text: string, next: ShellWord | undefined, spec: OptionSpec): Step[] | undefined {
  const steps: Step[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    const rest = text.slice(at + 1);
    const name = `-${letter}`;
    if (spec.flags?.includes(letter)) {
      steps.push({ words: 0, name, value: undefined });
    } else if (spec.attached?.includes(letter)) {
      steps.push({ words: 0, name, value: rest === '' ? undefined : rest });
      break;
    } else if (spec.values?.includes(letter)) {
      if (rest !== '') steps.push({ words: 0, name, value: rest });
      else if (next && !next.loose) steps.push({ words: 1, name, value: next.value });
      else return undefined;
      break;
    } else return undefined;
  }
  return steps;
}

/**
 * Passes over the options of a program that starts another one.
 * @returns undefined when an option is not in the spec, so that it is not known where the other program starts
 */
export function scanOptions(args: readonly ShellWord[], spec: OptionSpec): ScannedOptions | undefined {
  const seen: { name: string; value: string | undefined }[] = [];
  let at = 0;
  for (;;) {
    const text = args[at]?.value;
    // A word known only at run time is taken for the program, which is then refused as unknown.
    if (text === undefined || text === '-' || !text.startsWith('-')) return { at, seen };
    if (text === '--') return { at: at + 1, seen };
    if (text.startsWith('--')) {
      const step = scanLong(text, args[at + 1], spec);
      if (!step) return undefined;
      seen.push(step);
      at += step.words;
      continue;
    }
    const steps = scanShort(text, args[at + 1], spec);
    if (!steps) return undefined;
    seen.push(...steps);
    at += 1 + steps.reduce((sum, step) => sum + step.words, 0);
  }
}
