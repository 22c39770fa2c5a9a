import { printable } from '../printable.ts';
import type { InlineLimits } from './limits.ts';

/** Why something was left out, cut or changed, in the order in which the caller reads it. */
const sentences = [
  [
    'refusedSecret',
    'WITHHELD',
    'looks like a secret and was not sent',
    'look like secrets and were not sent',
  ],
  [
    'secret',
    'WITHHELD',
    'looks like a secret and was left out of an expansion; a file that is named is sent',
    'look like secrets and were left out of expansions; a file that is named is sent',
  ],
  [
    'namedSecret',
    'SENT',
    'looks like a secret and was sent, because it was named',
    'look like secrets and were sent, because they were named',
  ],
  [
    'system',
    'WITHHELD',
    'belongs to the running system and was not sent',
    'belong to the running system and were not sent',
  ],
  [
    'repository',
    'OMITTED',
    'is version control data and was not sent',
    'are version control data and were not sent',
  ],
  [
    'wideFolder',
    'OMITTED',
    'was not expanded: in so wide a folder only files that are named are sent',
    'were not expanded: in so wide a folder only files that are named are sent',
  ],
  [
    'omittedBytes',
    'OMITTED',
    'was not included: it does not fit into the {promptBytes} bytes of a prompt',
    'were not included: they do not fit into the {promptBytes} bytes of a prompt',
  ],
  [
    'omittedFiles',
    'OMITTED',
    'was not included: the limit of {files} files was reached',
    'were not included: the limit of {files} files was reached',
  ],
  [
    'stopped',
    'OMITTED',
    'was not gone through to its end, because a limit was reached; what else it holds is not known',
    'were not gone through to their end, because a limit was reached; what else they hold is not known',
  ],
  [
    'crowded',
    'OMITTED',
    'has more than {folderEntries} entries and was left out',
    'have more than {folderEntries} entries and were left out',
  ],
  [
    'truncated',
    'TRUNCATED',
    'was cut to its first {fileBytes} bytes',
    'were cut to their first {fileBytes} bytes',
  ],
  ['unreadable', 'UNREADABLE', 'exists but could not be read', 'exist but could not be read'],
  ['binary', 'BINARY', 'is binary and was not included', 'are binary and were not included'],
  [
    'image',
    'IMAGE',
    'is an image: the agent was given its path, to open it itself',
    'are images: the agent was given their paths, to open them itself',
  ],
  [
    'outside',
    'OMITTED',
    'leads outside the project folder and was left out',
    'lead outside the project folder and were left out',
  ],
  ['special', 'OMITTED', 'is no regular file and was left out', 'are no regular files and were left out'],
  [
    'ignored',
    'OMITTED',
    'was left out of an expansion (.gitignore, dependencies or build results)',
    'were left out of expansions (.gitignore, dependencies or build results)',
  ],
  [
    'noLines',
    'OMITTED',
    'has no such lines, so nothing of it was included',
    'have no such lines, so nothing of them was included',
  ],
  [
    'encoding',
    'DAMAGED',
    'is not valid text in its encoding; what could not be read shows as \uFFFD',
    'are not valid text in their encoding; what could not be read shows as \uFFFD',
  ],
  ['empty', 'EMPTY', 'holds no file to include', 'hold no file to include'],
  ['missing', 'NOT FOUND', 'was not found and was left as text', 'were not found and were left as text'],
  ['noMatch', 'NOT FOUND', 'matches no file and was left as text', 'match no file and were left as text'],
  [
    'outsideFolder',
    'NOT FOUND',
    'is a folder outside the project folder and was left as text',
    'are folders outside the project folder and were left as text',
  ],
  [
    'unexamined',
    'NOT FOUND',
    'was left as text: a prompt may hold {references} references',
    'were left as text: a prompt may hold {references} references',
  ],
  [
    'noRoot',
    'NOT FOUND',
    'was left as text: this server has no project folder to look in',
    'were left as text: this server has no project folder to look in',
  ],
] as const;

type ReportKind = (typeof sentences)[number][0];

const shownNames = 10;

export interface ReportLine {
  kind: ReportKind;
  /** One word for a marker line in the prompt. */
  word: string;
  /** A sentence with the names, the first ten of them. */
  text: string;
}

/** Collects what did not go the whole way, so that caller and model are told the same. */
export interface Report {
  /** @param name shown to people; the same name counts once per kind. */
  add(kind: ReportKind, name: string): void;
  /** Number of names so far, over all kinds. */
  size(): number;
  lines(): ReportLine[];
}

export function createReport(limits: InlineLimits): Report {
  const names = new Map<ReportKind, Set<string>>();
  return {
    add(kind, name) {
      const known = names.get(kind);
      if (known) known.add(name);
      else names.set(kind, new Set([name]));
    },
    size() {
      return [...names.values()].reduce((sum, set) => sum + set.size, 0);
    },
    lines() {
      return sentences.flatMap(([kind, word, one, many]) => {
        const all = names.get(kind);
        return all
          ? [{ kind, word, text: sentence([...all], withNumbers(all.size === 1 ? one : many, limits)) }]
          : [];
      });
    },
  };
}

function withNumbers(text: string, limits: InlineLimits): string {
  return Object.entries(limits).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, String(value)),
    text,
  );
}

function sentence(all: string[], predicate: string): string {
  const shown = all.slice(0, shownNames).map(printable).join(', ');
  const more = all.length > shownNames ? `, and ${all.length - shownNames} more` : '';
  return all.length === 1 ? `${shown} ${predicate}` : `${all.length} paths ${predicate}: ${shown}${more}`;
}
