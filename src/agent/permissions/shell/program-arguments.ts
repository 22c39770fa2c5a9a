/**
 * Programs that run others only when certain arguments say so: how many of their arguments a rule must name, so that
 * `command(git)` does not also mean `git -c core.pager=…`.
 */
import type { Call, Unwrapped } from './unwrap.ts';
import { isRiskyVariable } from './variables.ts';

const GIT_VALUE = new Set(['-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--exec-path']);
const GIT_STARTS = /^(-x|--ex|--upl|--rec|--open|-O|ext::)/;

/** How many arguments a rule for git must name: options and sub-commands that run programs are not in `command(git)`. */
export function unwrapGit({ args }: Call): Unwrapped {
  let named = 0;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const text = word?.value;
    if (text === undefined) {
      named = at + 1;
      if (word?.loose) break;
    } else if (text === '-C') at++;
    else if (GIT_VALUE.has(text)) named = ++at + 1;
    else if (/^(-c.|--(git-dir|work-tree|namespace|config-env|exec-path)=|-p$|--paginate$)/.test(text))
      named = at + 1;
    else if (!text.startsWith('-')) break;
  }
  const [sub, subsub] = [args[at]?.value, args[at + 1]?.value];
  if (sub === 'config' || sub === 'difftool' || sub === 'mergetool') named = at + 1;
  if (
    sub === 'filter-branch' ||
    (sub === 'bisect' && subsub === 'run') ||
    (sub === 'submodule' && subsub === 'foreach')
  )
    named = args.length;
  for (let index = at + 1; index < args.length; index++) {
    if (GIT_STARTS.test(args[index]?.value ?? '')) named = args.length;
  }
  return { named };
}

export function unwrapTar(call: Call): Unwrapped {
  const starts = call.args.some((word) => /^--(to|us|ch|rs|ne|in)|^-[A-Za-z]*[IF]/.test(word.value ?? ''));
  return { named: starts ? call.args.length : 0 };
}

/** `export PATH=…` takes a rule that names the assignment. */
export function unwrapDeclare({ args, reader }: Call): Unwrapped {
  let named = 0;
  for (const [index, word] of args.entries()) {
    const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(word.text) ?? [];
    if (name !== undefined && isRiskyVariable(name)) named = index + 1;
    if (word.loose) reader.problem(`what ${word.text} sets is known only at run time`);
  }
  return { named };
}
