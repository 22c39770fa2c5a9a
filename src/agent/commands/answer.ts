import type { CommandAnswer } from '../../contract/events.ts';

/** What a command that the CLI answers itself comes to: the text form, and the same as data. */
export interface Answered {
  /** Tab-separated, one record a line, each ended by a newline. */
  text: string;
  answer: CommandAnswer;
  /** What could not be found out, one sentence each, for stderr. */
  notices?: string[];
}

/** Records as lines of tab-separated fields. Tabs and line ends within a field become blanks. */
export function tabbed(records: readonly (readonly (string | number)[])[]): string {
  return records
    .map((fields) => `${fields.map((field) => String(field).replaceAll(/[\t\r\n]+/g, ' ')).join('\t')}\n`)
    .join('');
}
