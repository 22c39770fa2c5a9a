import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DurationError, parseDuration } from '../../contract/duration.ts';
import { PRIVATE_FILE } from '../../platform/atomic-file.ts';
import { errorMessage } from '../../platform/errors.ts';
import { titleOf, toJson, toMarkdown } from '../conversations/export.ts';
import { conversationFile, isConversationId, storedConversations } from '../conversations/folder.ts';
import { countTurns, type History, readHistory } from '../conversations/history.ts';
import { DEFAULT_MAX_BYTES, parseSize, pruneConversations } from '../conversations/prune.ts';
import { type Answered, tabbed } from './answer.ts';

/** What is wrong with the words behind `conversations`. */
export class CommandError extends Error {
  override name = 'CommandError';
}

const USAGE = `usage: baton-agent conversations list [--here]
       baton-agent conversations show <id>
       baton-agent conversations export <id> [--format md|json] [--output <path>]
       baton-agent conversations prune [--max-size 500MB] [--max-age 720h] [--dry-run]`;

interface Words {
  positional: string[];
  options: Map<string, string>;
}

/** Takes apart what follows the action; `takes` says which flags there are and whether they have a value. */
function readWords(words: readonly string[], takes: Record<string, boolean>): Words {
  const positional: string[] = [];
  const options = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const match = /^--?([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(word);
    if (!match) {
      positional.push(word);
      continue;
    }
    const [, name = '', attached] = match;
    const hasValue = takes[name];
    if (hasValue === undefined) throw new CommandError(`flags provided but not defined: -${name}\n${USAGE}`);
    const value = hasValue ? (attached ?? words[++at]) : 'true';
    if (value === undefined) throw new CommandError(`flag needs an argument: -${name}\n${USAGE}`);
    options.set(name, value);
  }
  return { positional, options };
}

function readStored(stateDir: string, ids: readonly string[]): History {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) throw new CommandError(`one conversation id is needed\n${USAGE}`);
  let history: History | undefined;
  try {
    history = isConversationId(id) ? readHistory(readFileSync(conversationFile(stateDir, id))) : undefined;
  } catch (error) {
    throw new CommandError(
      `conversation "${id}" not found (${errorMessage(error)}); list them with: baton-agent conversations list`,
    );
  }
  if (!history) {
    throw new CommandError(`conversation "${id}" not found; list them with: baton-agent conversations list`);
  }
  return history;
}

function list(stateDir: string, words: readonly string[], here: string): Answered {
  const { positional, options } = readWords(words, { here: false });
  if (positional.length > 0) throw new CommandError(`unexpected argument "${positional[0]}"\n${USAGE}`);
  const notices: string[] = [];
  const rows = storedConversations(stateDir).flatMap(({ id, file, bytes, modifiedMs }) => {
    const history = readHistory(readFileSync(file));
    if (!history) {
      notices.push(`${file} holds no conversation`);
      return [];
    }
    const { header, branch } = history;
    if (options.has('here') && header.cwd !== here) return [];
    return [
      {
        id,
        updated: new Date(modifiedMs).toISOString(),
        num_turns: countTurns(branch),
        bytes,
        cwd: header.cwd,
        title: titleOf(branch),
        ...(header.parentConversationId !== undefined && {
          parent_conversation_id: header.parentConversationId,
        }),
        ...(header.forkedFrom && { forked_from: header.forkedFrom.conversationId }),
      },
    ];
  });
  return {
    text: tabbed(rows.map((row) => [row.id, row.updated, `${row.num_turns} turns`, row.cwd, row.title])),
    answer: { name: 'conversations', data: { conversations: rows } },
    notices,
  };
}

function exportOne(stateDir: string, words: readonly string[], here: string): Answered {
  const { positional, options } = readWords(words, { format: true, output: true });
  const format = options.get('format') ?? 'md';
  if (format !== 'md' && format !== 'json') {
    throw new CommandError(`unknown --format "${format}" (valid: md, json)`);
  }
  const history = readStored(stateDir, positional);
  const text = format === 'md' ? toMarkdown(history) : toJson(history);
  const data = { id: history.header.conversationId, format };
  const output = options.get('output');
  if (output === undefined)
    return { text, answer: { name: 'conversations', data: { ...data, content: text } } };
  const path = resolve(here, output);
  try {
    writeFileSync(path, text, { mode: PRIVATE_FILE });
  } catch (error) {
    throw new CommandError(`--output ${JSON.stringify(output)} cannot be written: ${errorMessage(error)}`);
  }
  return {
    text: '',
    answer: { name: 'conversations', data: { ...data, path } },
    notices: [`written to ${path}`],
  };
}

function prune(stateDir: string, words: readonly string[]): Answered {
  const { positional, options } = readWords(words, { 'max-size': true, 'max-age': true, 'dry-run': false });
  if (positional.length > 0) throw new CommandError(`unexpected argument "${positional[0]}"\n${USAGE}`);
  const size = options.get('max-size');
  const maxBytes = size === undefined ? DEFAULT_MAX_BYTES : parseSize(size);
  if (maxBytes === undefined) {
    throw new CommandError(`invalid value ${JSON.stringify(size)} for -max-size: give a size such as 500MB`);
  }
  const age = options.get('max-age');
  let maxAgeMs: number | undefined;
  try {
    maxAgeMs = age === undefined ? undefined : parseDuration(age);
    if (maxAgeMs !== undefined && maxAgeMs < 0) throw new DurationError('it is negative');
  } catch (error) {
    throw new CommandError(`invalid value ${JSON.stringify(age)} for -max-age: ${errorMessage(error)}`);
  }
  const dryRun = options.has('dry-run');
  const pruned = pruneConversations(stateDir, {
    maxBytes,
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    dryRun,
  });
  return {
    text: tabbed(pruned.removed.map(({ id, bytes }) => [id, bytes, dryRun ? 'would be removed' : 'removed'])),
    answer: { name: 'conversations', data: { ...pruned, dry_run: dryRun } },
  };
}

/** `conversations list|show|export|prune`. @throws {CommandError} */
export function answerConversations(stateDir: string, words: readonly string[], here: string): Answered {
  const [action, ...rest] = words;
  switch (action) {
    case undefined:
    case 'list':
      return list(stateDir, rest, here);
    case 'show':
      return exportOne(stateDir, rest, here);
    case 'export':
      return exportOne(stateDir, rest, here);
    case 'prune':
      return prune(stateDir, rest);
    default:
      throw new CommandError(`unknown action "${action}"\n${USAGE}`);
  }
}
