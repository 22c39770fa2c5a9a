import { type CommandPart, type Dialect, subshell } from './types.ts';
import type { Call, Unwrapped } from './unwrap.ts';

/** Shells whose scripts are read here, and those of another grammar. */
const DIALECTS: Readonly<Record<string, Dialect | undefined>> = {
  bash: 'bash',
  sh: 'posix',
  dash: 'posix',
  ash: 'posix',
};
export const SHELLS = new Set([
  ...Object.keys(DIALECTS),
  'zsh',
  'ksh',
  'mksh',
  'fish',
  'csh',
  'tcsh',
  'pwsh',
]);

const LONG_FLAGS = new Set(['--norc', '--noprofile', '--posix', '--login', '--verbose', '--restricted']);

interface ShellOptions {
  /** Index of the first word that is no option. */
  at: number;
  runsText: boolean;
  readsStdin: boolean;
}

/** The options of bash and sh; undefined when one of them is not known here. */
function scanShellOptions({ args }: Call): ShellOptions | undefined {
  let runsText = false;
  let readsStdin = false;
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.value;
    if (text === undefined || !/^[-+]/.test(text)) break;
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (text.startsWith('--')) {
      if (!LONG_FLAGS.has(text)) return undefined;
      continue;
    }
    if (!/^[-+][abefhiklmnprstuvxBCEHPToOc]+$/.test(text)) return undefined;
    if (text.includes('c')) runsText = true;
    if (text.includes('s')) readsStdin = true;
    for (const letter of text) if (letter === 'o' || letter === 'O') at++;
  }
  return { at, runsText, readsStdin };
}

function readStdinScript(name: string, dialect: Dialect | undefined, call: Call): CommandPart[] | undefined {
  const { stdin } = call.scope;
  if (stdin.from === 'nothing' || stdin.from === 'file') return undefined;
  if (stdin.from === 'text' && stdin.text !== undefined && dialect)
    return call.reader.script(stdin.text, subshell(call.scope, { dialect, stdin: { from: 'nothing' } }));
  call.reader.problem(`what ${name} reads as its script is known only at run time`);
  return undefined;
}

/** `bash -c "…"`, `sh script`, `bash <<EOF`: what a shell is told to run. */
export function readShellCall(name: string, call: Call): Unwrapped | undefined {
  const { args, reader, scope } = call;
  const dialect = DIALECTS[name];
  if (!dialect) {
    const readsStdin = args.every((word) => word.value?.startsWith('-') && !word.value.includes('c'));
    if (readsStdin) readStdinScript(name, undefined, call);
    // Their scripts have a grammar of their own, so a rule has to name the whole.
    return { named: args.length };
  }
  const options = scanShellOptions(call);
  if (!options) return { named: args.length };
  const first = args[options.at];
  if (first?.loose) reader.problem(`what ${first.text} means to ${name} is known only at run time`);
  if (options.runsText) {
    if (!first) return undefined;
    if (first.value === undefined) {
      reader.problem(`what ${name} -c runs is known only at run time`);
      return undefined;
    }
    return { parts: reader.script(first.value, subshell(scope, { dialect })), named: options.at + 1 };
  }
  if (first && !options.readsStdin) return undefined;
  const parts = readStdinScript(name, dialect, call);
  // The script is not among the words, so no rule for the shell can name it: only rules for what is in it count.
  return parts && { parts, named: Number.POSITIVE_INFINITY };
}
