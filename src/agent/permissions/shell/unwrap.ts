/**
 * Programs that start other programs: what they start is judged like a command of its own. What is not known of them
 * is never guessed: then only a rule that names the whole command allows it.
 */
import { basename } from 'node:path';
import { type OptionSpec, scanOptions } from './options.ts';
import { unwrapDeclare, unwrapGit, unwrapTar } from './program-arguments.ts';
import { readShellCall, SHELLS } from './shell-programs.ts';
import { type CommandPart, type Scope, type ShellWord, subshell } from './types.ts';
import { isHarmlessVariable } from './variables.ts';
import { UNKNOWN_WORD } from './words.ts';

/** What the reading of one command needs of the reading of the whole script. */
export interface ScriptReader {
  /** Reads a nested script. */
  script(text: string, scope: Scope): CommandPart[];
  problem(message: string): void;
  /** Notes a file that is written, as a redirection would. */
  writes(target: ShellWord, scope: Scope): void;
}

export interface Call {
  args: readonly ShellWord[];
  scope: Scope;
  reader: ScriptReader;
}

/** What a command was found to start. Counts are of arguments, the program's name not among them. */
export interface Unwrapped {
  parts?: readonly CommandPart[];
  /** Arguments that a rule for the whole must name. */
  named: number;
  /** Arguments that a rule for the outer program must name where the inner ones have rules of their own; undefined when
   * the outer program needs no rule. */
  ownNamed?: number;
}

type Unwrap = (call: Call) => Unwrapped | undefined;

const whole = ({ args }: Call): Unwrapped => ({ named: args.length });

interface PrefixSpec extends OptionSpec {
  /** Words between the options and the program (the duration of `timeout`). */
  operands?: number;
  /** `NAME=value` words are taken (`env`, `sudo`). */
  assignments?: boolean;
  /** The program adds rights or effects of its own. */
  needsRule?: boolean;
  /** Flags with which nothing is started. */
  startsNothing?: RegExp;
}

const CHANGES_FOLDER = new Set(['-C', '--chdir', '-D', '-R']);

function prefix(spec: PrefixSpec): Unwrap {
  return (call) => {
    const { args, reader, scope } = call;
    if (spec.startsNothing && args.some((word) => spec.startsNothing?.test(word.text))) return undefined;
    const scanned = scanOptions(args, spec);
    if (!scanned) return whole(call);
    let { at } = scanned;
    let ownNamed = spec.needsRule ? 0 : undefined;
    if (spec.assignments && args[at]?.value === '-') at++;
    for (; spec.assignments && at < args.length; at++) {
      const [, name] = /^([A-Za-z_]\w*)=/.exec(args[at]?.text ?? '') ?? [];
      if (name === undefined || args[at]?.loose) break;
      if (!isHarmlessVariable(name)) ownNamed = at + 1;
    }
    for (let count = spec.operands ?? 0; count > 0; count--, at++) {
      if (args[at]?.loose) reader.problem(`what ${args[at]?.text} stands for is known only at run time`);
    }
    if (at >= args.length) return undefined;
    const moves = scanned.seen.some(({ name }) => CHANGES_FOLDER.has(name));
    const inside = moves ? subshell(scope, { place: { folders: undefined } }) : scope;
    const inner = readPart(args.slice(at), 0, inside, reader);
    return { parts: [inner], named: at + inner.reach, ...(ownNamed === undefined ? {} : { ownNamed }) };
  };
}

const XARGS: OptionSpec = {
  flags: '0rtpxo',
  values: 'nPLIdEsa',
  attached: 'ile',
  longFlags: ['--null', '--no-run-if-empty', '--verbose', '--interactive', '--exit', '--open-tty'],
  longValues: [
    '--max-args',
    '--max-procs',
    '--max-lines',
    '--replace',
    '--delimiter',
    '--max-chars',
    '--arg-file',
  ],
};

function unwrapXargs(call: Call): Unwrapped | undefined {
  const scanned = scanOptions(call.args, XARGS);
  if (!scanned) return whole(call);
  const given = call.args.slice(scanned.at);
  if (given.length === 0) return undefined;
  const replace = scanned.seen.filter(({ name }) => ['-I', '-i', '--replace'].includes(name)).at(-1);
  const mark = replace && (replace.value ?? '{}');
  const words =
    mark === undefined
      ? [...given, UNKNOWN_WORD]
      : given.map((word) => (word.value?.includes(mark) ? { ...word, value: undefined, loose: true } : word));
  const scope = subshell(call.scope, { stdin: { from: 'nothing' }, repeated: true });
  const inner = readPart(words, 0, scope, call.reader);
  return { parts: [inner], named: scanned.at + inner.reach };
}

const FIND_EXEC = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FIND_WRITE = new Set(['-fprint', '-fprint0', '-fls', '-fprintf']);

function unwrapFind({ args, scope, reader }: Call): Unwrapped | undefined {
  const parts: CommandPart[] = [];
  let named = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (!word) break;
    if (word.loose) reader.problem(`find: whether ${word.text} is an action is known only at run time`);
    const target = args[at + 1];
    if (FIND_WRITE.has(word.value ?? '') && target) reader.writes(target, scope);
    if (!FIND_EXEC.has(word.value ?? '')) continue;
    const start = at + 1;
    while (
      at < args.length &&
      args[at]?.value !== ';' &&
      !(args[at]?.value === '+' && args[at - 1]?.value === '{}')
    )
      at++;
    if (at >= args.length) reader.problem(`find: ${word.text} has no end`);
    const words = args
      .slice(start, at)
      .map((inner) => (inner.value?.includes('{}') ? { ...inner, value: undefined, loose: false } : inner));
    const place = word.value?.endsWith('dir') ? { folders: undefined } : { ...scope.place };
    const inner = readPart(words, 0, subshell(scope, { place, repeated: true }), reader);
    parts.push(inner);
    named = start + inner.reach;
  }
  return { named, ownNamed: 0, ...(parts.length > 0 ? { parts } : {}) };
}

function unwrapEval({ args, scope, reader }: Call): Unwrapped | undefined {
  if (args.some((word) => word.value === undefined)) {
    reader.problem('what eval runs is known only at run time');
    return undefined;
  }
  return { parts: reader.script(args.map((word) => word.value).join(' '), scope), named: args.length };
}

function unwrapTrap({ args, scope, reader }: Call): Unwrapped | undefined {
  const text = args[0]?.value;
  if (args.length === 0 || text === '-' || text === '' || text === '-l' || text === '-p') return undefined;
  if (text === undefined) {
    reader.problem('what trap runs is known only at run time');
    return undefined;
  }
  return { parts: reader.script(text, { ...scope, repeated: true }), named: 1 };
}

const SUDO: PrefixSpec = {
  flags: 'AbEHKkNnPS',
  values: 'ugpChrtTUDR',
  longFlags: ['--non-interactive', '--preserve-env', '--set-home', '--stdin', '--reset-timestamp'],
  longValues: ['--user', '--group', '--host', '--prompt', '--chdir'],
  assignments: true,
  needsRule: true,
};

const UNWRAP: Readonly<Record<string, Unwrap>> = {
  env: prefix({
    flags: 'i0v',
    values: 'uC',
    longFlags: ['--ignore-environment', '--null', '--debug'],
    longValues: ['--unset', '--chdir'],
    assignments: true,
  }),
  nohup: prefix({}),
  command: prefix({ flags: 'p', startsNothing: /^-p*[vV]/ }),
  builtin: prefix({}),
  exec: prefix({ flags: 'cl', values: 'a' }),
  nice: prefix({ flags: '0123456789', values: 'n', longValues: ['--adjustment'] }),
  ionice: prefix({ flags: 't', values: 'cn', longValues: ['--class', '--classdata'] }),
  timeout: prefix({
    flags: 'v',
    values: 'ks',
    longFlags: ['--foreground', '--preserve-status', '--verbose'],
    longValues: ['--kill-after', '--signal'],
    operands: 1,
  }),
  gtimeout: prefix({ values: 'ks', operands: 1 }),
  stdbuf: prefix({ values: 'ioe', longValues: ['--input', '--output', '--error'] }),
  setsid: prefix({ flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'] }),
  time: prefix({ flags: 'pvq', values: 'f' }),
  busybox: prefix({}),
  toybox: prefix({}),
  sudo: prefix(SUDO),
  doas: prefix({ flags: 'n', values: 'uC', needsRule: true }),
  xargs: unwrapXargs,
  find: unwrapFind,
  git: unwrapGit,
  tar: unwrapTar,
  eval: unwrapEval,
  trap: unwrapTrap,
  export: unwrapDeclare,
  declare: unwrapDeclare,
  typeset: unwrapDeclare,
  local: unwrapDeclare,
  readonly: unwrapDeclare,
};

/** Programs that run what their arguments say in a way that is not read here, and shell commands that change what later
 * names mean: only a rule that names the whole command allows them. */
const WHOLE = new Set(
  (
    'parallel watch su runuser script flock chroot unshare nsenter systemd-run pkexec strace ltrace ' +
    'read mapfile readarray getopts alias unalias hash enable shopt'
  ).split(' '),
);

/** Whether a program's name, as written, means the one of that name and not some script beside it. */
function isPlainName(name: string): boolean {
  return !name.includes('/') || /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/.test(name);
}

function unwrap(name: string, call: Call): Unwrapped | undefined {
  if (SHELLS.has(name)) return readShellCall(name, call);
  if (WHOLE.has(name)) return whole(call);
  return Object.hasOwn(UNWRAP, name) ? UNWRAP[name]?.(call) : undefined;
}

/** Reads one command: `words` are its assignments, its program and its arguments. */
export function readPart(
  words: readonly ShellWord[],
  assignments: number,
  scope: Scope,
  reader: ScriptReader,
): CommandPart {
  const before = assignments + 1;
  const program = words[assignments];
  if (!program) return { words, assignments, reach: words.length };
  if (program.value === undefined) {
    reader.problem(`which program ${program.text} starts is known only at run time`);
    return { words, assignments, reach: words.length };
  }
  const found = unwrap(basename(program.value), { args: words.slice(before), scope, reader });
  if (!found) return { words, assignments, reach: before };
  const reach = before + found.named;
  if (!found.parts) return { words, assignments, reach };
  const needsRule = found.ownNamed !== undefined || assignments > 0 || !isPlainName(program.value);
  return {
    words,
    assignments,
    reach,
    inner: { parts: found.parts, reach: needsRule ? before + (found.ownNamed ?? 0) : 0 },
  };
}
