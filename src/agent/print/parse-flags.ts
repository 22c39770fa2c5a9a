import { DurationError, parseDuration } from '../../contract/duration.ts';
import { FLAGS, type FlagKind, type FlagValues } from './flags.ts';

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
  /** Whether the usage text follows the message. */
  readonly showUsage: boolean;

  constructor(message: string, showUsage = false) {
    super(message);
    this.showUsage = showUsage;
  }
}

export interface ParsedCommandLine {
  values: FlagValues;
  /** From the first argument that is no flag on, or what follows `--`. */
  rest: string[];
  /** `rest` begins behind a `--`, so its first word is no subcommand. */
  afterDashes: boolean;
}

type Flag = (typeof FLAGS)[number];

const byName = new Map<string, Flag>();
for (const flag of FLAGS) {
  byName.set(flag.name, flag);
  const aliases: readonly string[] = 'aliases' in flag ? flag.aliases : [];
  for (const alias of aliases) byName.set(alias, flag);
}

const TRUE_WORDS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE_WORDS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function parseSwitch(given: string, value: string): boolean {
  if (TRUE_WORDS.has(value)) return true;
  if (FALSE_WORDS.has(value)) return false;
  const quoted = JSON.stringify(value);
  throw new UsageError(
    `invalid boolean value ${quoted} for -${given}: strconv.ParseBool: parsing ${quoted}: invalid syntax`,
    true,
  );
}

function invalidValue(given: string, value: string, why: string): UsageError {
  return new UsageError(`invalid value ${JSON.stringify(value)} for flag -${given}: ${why}`, true);
}

function parseNumber(kind: FlagKind, given: string, value: string): number {
  if (kind === 'duration') {
    try {
      const ms = parseDuration(value);
      if (ms < 0) throw new DurationError('a duration must not be negative');
      return ms;
    } catch (error) {
      if (error instanceof DurationError) throw invalidValue(given, value, error.message);
      throw error;
    }
  }
  const wanted = kind === 'count' ? /^\d+$/ : /^\$?(\d+\.?\d*|\.\d+)$/;
  const number = wanted.test(value) ? Number(value.replace('$', '')) : Number.NaN;
  if (!Number.isFinite(number)) {
    const form = kind === 'count' ? 'a whole number' : 'an amount in US dollars such as 0.50';
    throw invalidValue(given, value, `must be ${form}`);
  }
  return number;
}

function store(values: FlagValues, flag: Flag, given: string, value: string): void {
  switch (flag.kind) {
    case 'text':
      values.text[flag.name] = value;
      return;
    case 'switch':
      values.switches[flag.name] = parseSwitch(given, value);
      return;
    case 'list':
      (values.lists[flag.name] ??= []).push(value);
      return;
    case 'duration':
    case 'count':
    case 'money':
      values.numbers[flag.name] = parseNumber(flag.kind, given, value);
  }
}

interface FlagToken {
  flag: Flag;
  /** The name as it was given, for messages. */
  given: string;
  /** Undefined when the value is the next argument (or none is needed). */
  value: string | undefined;
}

/** Splits `--name`, `-name=value` or `-pvalue`; undefined for an argument that is no flag. */
function readToken(argument: string): FlagToken | undefined {
  if (argument.length < 2 || !argument.startsWith('-')) return undefined;
  const body = argument.startsWith('--') ? argument.slice(2) : argument.slice(1);
  if (body === '' || body.startsWith('-') || body.startsWith('=')) {
    throw new UsageError(`bad flag syntax: ${argument}`, true);
  }
  const equals = body.indexOf('=');
  const given = equals === -1 ? body : body.slice(0, equals);
  const known = byName.get(given);
  if (known) return { flag: known, given, value: equals === -1 ? undefined : body.slice(equals + 1) };
  const short = byName.get(body.charAt(0));
  if (!argument.startsWith('--') && short && short.kind !== 'switch') {
    return { flag: short, given: body.charAt(0), value: body.slice(1) };
  }
  throw new UsageError(`flags provided but not defined: -${given}`, true);
}

/** Whether an argument is one of our flags, value attached or not. */
function namesFlag(argument: string): boolean {
  const name = /^--?([A-Za-z][\w-]*)(=|$)/.exec(argument)?.[1];
  return name !== undefined && byName.has(name);
}

function refuseSwallowedFlag(prompt: string | undefined, rest: readonly string[]): void {
  if (prompt === undefined || !namesFlag(prompt)) return;
  const took = `Error: --print took ${JSON.stringify(prompt)} as its prompt`;
  throw new UsageError(
    rest.length > 0
      ? `${took}, so the intended prompt was left as an argument and ignored.`
      : `${took}; put the prompt right behind the flag, or write --print=${JSON.stringify(prompt)} if it is the prompt.`,
  );
}

/**
 * Reads a command line in the manner of Go's `flag` package: one or two dashes, `-name value` and `-name=value`, the
 * last of a repeated flag counts (lists collect), reading stops at the first argument that is no flag and behind `--`.
 * @throws {UsageError}
 */
export function parseFlags(argv: readonly string[]): ParsedCommandLine {
  const values: FlagValues = { text: {}, switches: {}, lists: {}, numbers: {} };
  let promptIsSeparate = false;
  let at = 0;
  let afterDashes = false;
  for (; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (argument === '--') {
      afterDashes = true;
      at++;
      break;
    }
    const token = readToken(argument);
    if (!token) break;
    const { flag, given } = token;
    let { value } = token;
    if (flag.name === 'print') promptIsSeparate = value === undefined;
    if (value === undefined) {
      if (flag.kind === 'switch') value = 'true';
      else {
        value = argv[++at];
        if (value === undefined) throw new UsageError(`flag needs an argument: -${given}`, true);
      }
    }
    store(values, flag, given, value);
  }
  const rest = argv.slice(at);
  if (promptIsSeparate) refuseSwallowedFlag(values.text.print, rest);
  return { values, rest, afterDashes };
}
