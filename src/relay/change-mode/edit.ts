/** One replacement of text in a file. Line ends are `\n`, whatever the file has. */
export interface Edit {
  /** From the project root, with `/`. */
  path: string;
  /** First line as the model gave it; only a help for people. */
  line?: number;
  /** The text as it is now; '' = the file is new or empty. */
  old: string;
  /** The text as it shall be; '' = the old text is deleted. */
  new: string;
}

/** An edit as a model wrote it. Where a `NEW:` line occurs several times, each of them gives one reading. */
export interface ParsedEdit {
  path: string;
  line?: number;
  /** The first `NEW:` line first; never empty. */
  readings: { old: string; new: string }[];
}

export interface Parsed {
  edits: ParsedEdit[];
  /** What looked like an edit and was none, one sentence each. */
  problems: string[];
}

/** `src/a.ts:10`, as it is named to people. */
export function placeOf(edit: { path: string; line?: number }): string {
  return edit.line === undefined ? edit.path : `${edit.path}:${edit.line}`;
}
