import { basename } from 'node:path';
import { quoteRuleWord } from './rule-words.ts';
import type { CommandPart, ShellWord } from './shell/types.ts';
import type { Rule } from './types.ts';

function joined(words: readonly ShellWord[]): string {
  return words.map((word) => word.value ?? word.text).join(' ');
}

/** Whether an allow rule names the part by at least `least` of its words. */
function names(rule: Rule, words: readonly ShellWord[], least: number): boolean {
  const { form } = rule;
  switch (form.kind) {
    case 'all':
      return true;
    case 'regex':
      return words.every((word) => !word.loose) && form.regex.test(joined(words));
    case 'words':
      return form.sequences.some(
        (sequence) =>
          sequence.length >= least &&
          sequence.length <= words.length &&
          sequence.every((word, index) => words[index]?.value === word),
      );
    case 'nothing':
    case 'paths':
    case 'host':
    case 'mcp':
      return false;
    default:
      return form satisfies never;
  }
}

/** Whether allow rules cover a command and all that it starts. */
export function isCovered(part: CommandPart, allow: readonly Rule[]): boolean {
  if (allow.some((rule) => names(rule, part.words, Math.max(part.reach, 1)))) return true;
  const { inner } = part;
  if (!inner) return false;
  if (inner.reach > 0 && !allow.some((rule) => names(rule, part.words, inner.reach))) return false;
  return inner.parts.every((started) => isCovered(started, allow));
}

/** Exact rules that would cover a part that is not covered yet; undefined when none can. */
export function missingRules(part: CommandPart, allow: readonly Rule[]): string[] | undefined {
  if (isCovered(part, allow)) return [];
  const { inner } = part;
  if (inner && inner.reach === 0) {
    const rules = inner.parts.map((started) => missingRules(started, allow));
    return rules.some((found) => found === undefined) ? undefined : rules.flatMap((found) => found ?? []);
  }
  const known: string[] = [];
  for (const word of part.words) {
    if (word.value === undefined) break;
    known.push(quoteRuleWord(word.value));
  }
  return known.length >= Math.max(part.reach, 1) ? [`command(${known.join(' ')})`] : undefined;
}

/** Options of git before its sub-command, with their values. */
function withoutGitOptions(words: readonly ShellWord[]): ShellWord[] {
  const [program, ...rest] = words;
  let at = 0;
  for (; at < rest.length; at++) {
    const text = rest[at]?.value ?? '';
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(text)) at++;
    else if (!text.startsWith('-')) break;
  }
  return program ? [program, ...rest.slice(at)] : [];
}

/** Ways to look at a command, so that a deny rule is not dodged by a path, an option or an assignment before it. */
function disguises(part: CommandPart): (readonly ShellWord[])[] {
  const words = part.words.slice(part.assignments);
  const [program, ...args] = words;
  if (!program) return [part.words];
  const withoutOptions = [program, ...args.filter((word) => !word.value?.startsWith('-'))];
  const forms = [part.words, words, withoutOptions];
  if (basename(program.value ?? '') === 'git') forms.push(withoutGitOptions(words));
  return forms;
}

function isProgram(word: ShellWord, name: string): boolean {
  if (word.value === undefined) return true;
  return word.value === name || basename(word.value).toLowerCase() === name.toLowerCase();
}

/** Whether the words may, at run time, begin with the sequence. */
function mayBegin(words: readonly ShellWord[], sequence: readonly string[]): boolean {
  for (const [index, expected] of sequence.entries()) {
    const word = words[index];
    if (!word) return false;
    if (word.loose) return true;
    const same =
      index === 0 ? isProgram(word, expected) : word.value === undefined || word.value === expected;
    if (!same) return false;
  }
  return true;
}

/** Whether a deny or ask rule may concern a command or anything that it starts. In doubt it does. */
export function mayConcern(rule: Rule, part: CommandPart): boolean {
  if (part.inner?.parts.some((started) => mayConcern(rule, started))) return true;
  const { form } = rule;
  switch (form.kind) {
    case 'all':
      return true;
    case 'regex':
      return disguises(part).some(
        (words) =>
          form.regex.test(joined(words)) || form.regex.test(words.map((word) => word.text).join(' ')),
      );
    case 'words':
      return disguises(part).some((words) => form.sequences.some((sequence) => mayBegin(words, sequence)));
    case 'nothing':
    case 'paths':
    case 'host':
    case 'mcp':
      return false;
    default:
      return form satisfies never;
  }
}
