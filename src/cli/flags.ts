import { DurationError, parseDuration } from '../contract/duration.ts';

/** A command line that cannot be understood: the message says what, why and what instead. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type FlagKind = 'boolean' | 'string' | 'strings' | 'duration' | 'integer' | 'optional';

/**
 * The flags of one command by name. `strings` may be given more than once; `duration` is Go's notation and comes out as
 * milliseconds; `optional` may stand alone or carry a value after `=`.
 */
export type FlagTable = Readonly<Record<string, { kind: FlagKind; short?: string }>>;

export interface ParsedFlags {
  has(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): string[];
  number(name: string): number | undefined;
  /** What is not a flag, in order. */
  rest: string[];
}

function findFlag(table: FlagTable, name: string): string | undefined {
  if (Object.hasOwn(table, name)) return name;
  return Object.keys(table).find((key) => table[key]?.short === name);
}

function readNumber(name: string, kind: FlagKind, value: string): number {
  if (kind === 'integer') {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 0 && value !== '') return number;
    throw new UsageError(`invalid value ${JSON.stringify(value)} for --${name}: want a whole number`);
  }
  try {
    const ms = parseDuration(value);
    if (ms >= 0) return ms;
    throw new DurationError('it is negative');
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new UsageError(
      `invalid value ${JSON.stringify(value)} for --${name}: ${error.message}; want a Go duration such as 90s, 20m or 1h30m`,
    );
  }
}

function known(table: FlagTable): string {
  const names = Object.keys(table).map((name) => `--${name}`);
  return names.length > 0 ? `known flags: ${names.join(', ')}` : 'it takes no flags';
}

/**
 * Reads flags as Go's flag package and GNU programs both write them: `-name value`, `--name value`, `--name=value`,
 * `-n value`; `--` ends them.
 * @param options.interspersed flags may also stand behind other arguments (Go stops at the first argument that is none)
 * @throws {UsageError} naming the flag, what is wrong with it and which there are
 */
export function parseFlags(
  argv: readonly string[],
  table: FlagTable,
  options: { interspersed: boolean; command: string },
): ParsedFlags {
  const values = new Map<string, string[]>();
  const numbers = new Map<string, number>();
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (argument === '--') {
      rest.push(...argv.slice(at + 1));
      break;
    }
    const flag = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(argument);
    if (!flag) {
      if (!options.interspersed) {
        rest.push(...argv.slice(at));
        break;
      }
      rest.push(argument);
      continue;
    }
    const name = findFlag(table, flag[1] ?? '');
    if (name === undefined) {
      throw new UsageError(
        `unknown flag ${argument} for ${options.command}: ${known(table)}; see ${options.command} --help`,
      );
    }
    const kind = table[name]?.kind ?? 'boolean';
    let value = flag[2];
    if (kind === 'boolean') {
      if (value !== undefined && value !== 'true' && value !== 'false')
        throw new UsageError(`invalid value ${JSON.stringify(value)} for --${name}: want true or false`);
      if (value === 'false') values.delete(name);
      else values.set(name, ['true']);
      continue;
    }
    if (value === undefined && kind !== 'optional') {
      at++;
      value = argv[at];
      if (value === undefined) throw new UsageError(`flag --${name} of ${options.command} needs a value`);
    }
    if (kind === 'duration' || kind === 'integer') numbers.set(name, readNumber(name, kind, value ?? ''));
    const before = kind === 'strings' ? (values.get(name) ?? []) : [];
    values.set(name, [...before, value ?? '']);
  }
  return {
    has: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    texts: (name) => values.get(name) ?? [],
    number: (name) => numbers.get(name),
    rest,
  };
}
