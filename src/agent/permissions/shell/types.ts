/** One word of a command, as far as it is known before the shell runs it. */
export interface ShellWord {
  /** The text after quote removal, or undefined when it is known only at run time (`$x`, `*`, `{a,b}`). */
  value: string | undefined;
  /** As written. */
  text: string;
  /** At run time it may be an option, several words or none: nothing behind it has a sure place. */
  loose: boolean;
}

/** One program that a command line starts. */
export interface CommandPart {
  /** Leading assignments that may change what the program does, then the program and its arguments. */
  words: readonly ShellWord[];
  /** How many of `words` are assignments. */
  assignments: number;
  /** A rule allows the part only if it names at least this many of its words: `git -c x=y` takes more than `git`. */
  reach: number;
  /** What the program starts itself (`env git`, `find -exec rm`, `sh -c "…"`). */
  inner?: {
    parts: readonly CommandPart[];
    /** How many words a rule must name for the outer program, so that the inner ones need only rules of their own. 0:
     * none, the outer program adds nothing (`nohup`). */
    reach: number;
  };
}

/** What a command line will do, read from its text alone. */
export interface ScriptAnalysis {
  parts: readonly CommandPart[];
  /** Files opened by redirections: absolute, `..` taken out, links not followed. */
  reads: readonly string[];
  writes: readonly string[];
  /** Why it cannot be judged: it does not parse, or a program's name is known only at run time. One sentence. */
  problem?: string;
}

/** The grammar that will run a text. `posix` is a plain sh, to which some of bash's quotes and brackets mean less. */
export type Dialect = 'bash' | 'posix';

/** Where a command's standard input comes from. */
export type Stdin =
  | { from: 'nothing' | 'pipe' | 'file' }
  /** A text written in the command line; undefined when it holds expansions. */
  | { from: 'text'; text: string | undefined };

/** What a part of a script is read with. */
export interface Scope {
  readonly dialect: Dialect;
  readonly stdin: Stdin;
  /** The folders that may be the current one, undefined when unknown. `cd` changes them for all that share the object. */
  readonly place: { folders: ReadonlySet<string> | undefined };
  /** Commands here may run any number of times, or later (loops, functions). */
  readonly repeated: boolean;
  readonly depth: number;
}

/** The scope of a process of its own: a `cd` in it is not seen outside. */
export function subshell(scope: Scope, changes: Partial<Scope> = {}): Scope {
  return { ...scope, place: { ...scope.place }, ...changes };
}
