import { resolve } from 'node:path';
import type { HereDoc, Redirect, Redirection, Word } from 'unbash';
import { addProblem, type Findings } from './findings.ts';
import type { Scope, ShellWord, Stdin } from './types.ts';
import { readWord } from './words.ts';

/** Files that are no files: nothing is read or written by opening them. */
const DEVICE = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** Where a path in the text may lead: one for each folder that may be the current one. */
function places(word: ShellWord, scope: Scope, home: string): string[] | undefined {
  const { value, text } = word;
  if (value === undefined) return undefined;
  if (text.startsWith('~')) return /^~(\/|$)/.test(text) ? [resolve(home, `.${value.slice(1)}`)] : undefined;
  if (value.startsWith('/')) return [resolve(value)];
  return scope.place.folders && [...scope.place.folders].map((folder) => resolve(folder, value));
}

export function noteFile(
  word: ShellWord,
  kind: 'reads' | 'writes',
  scope: Scope,
  home: string,
  findings: Findings,
): void {
  if (word.value !== undefined && DEVICE.test(word.value)) return;
  const found = places(word, scope, home);
  if (!found) {
    addProblem(findings, `which file a redirection to ${word.text} opens is known only at run time`);
    return;
  }
  for (const path of found) findings[kind].add(path);
  if (scope.repeated && word.value !== undefined && !/^[/~]/.test(word.text))
    findings.writesRepeatedly = true;
}

/** The text of a heredoc, or undefined when it holds something that the shell still changes. */
function heredocText(heredoc: HereDoc): string | undefined {
  const { body, delimiter } = heredoc;
  if (delimiter?.quoted) return body.text;
  return body.parts?.some((part) => part.type !== 'Literal') || body.text.includes('\\')
    ? undefined
    : body.text;
}

function isProcessSubstitution(word: Word): boolean {
  return word.parts?.length === 1 && word.parts[0]?.type === 'ProcessSubstitution';
}

function noteRedirect(redirect: Redirect, scope: Scope, home: string, findings: Findings): Stdin | undefined {
  const { operator, target } = redirect;
  const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
  const feedsInput = operator.startsWith('<') && (descriptor === undefined || descriptor === 0);
  if (!target) {
    addProblem(findings, 'a redirection has no target');
    return undefined;
  }
  if (isProcessSubstitution(target)) return feedsInput ? { from: 'pipe' } : undefined;
  const word = readWord(target);
  if (operator === '>&' || operator === '<&') {
    if (word.value !== undefined && /^(\d+-?|-)$/.test(word.value))
      return feedsInput ? { from: 'pipe' } : undefined;
    if (operator === '<&') {
      addProblem(findings, `which file <&${word.text} stands for is known only at run time`);
      return undefined;
    }
  }
  noteFile(word, operator === '<' ? 'reads' : 'writes', scope, home, findings);
  return feedsInput ? { from: 'file' } : undefined;
}

/** Notes the files that redirections open. @returns where the standard input comes from, when they change that */
export function noteRedirections(
  redirections: readonly Redirection[],
  scope: Scope,
  home: string,
  findings: Findings,
): Stdin | undefined {
  let stdin: Stdin | undefined;
  for (const redirection of redirections) {
    const { descriptor } = redirection;
    const toInput =
      descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0);
    if (redirection.type === 'HereDoc') {
      if (toInput) stdin = { from: 'text', text: heredocText(redirection) };
    } else if (redirection.type === 'HereString') {
      const text = redirection.target && readWord(redirection.target).value;
      if (toInput) stdin = { from: 'text', text };
    } else {
      stdin = noteRedirect(redirection, scope, home, findings) ?? stdin;
    }
  }
  return stdin;
}
