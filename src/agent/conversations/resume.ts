import { fstatSync, ftruncateSync, readFileSync, statSync } from 'node:fs';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { conversationArtifacts, conversationFile, isConversationId, latestConversation } from './folder.ts';
import { type History, readHistory } from './history.ts';
import type { ConversationRecord } from './records.ts';
import {
  type Conversation,
  ConversationError,
  conversationAt,
  createFile,
  header,
  lockedPlace,
  lockFile,
  type NewConversation,
} from './store.ts';

function unknownConversation(stateDir: string, id: string, cwd: string): ConversationError {
  const latest = latestConversation(stateDir, cwd);
  const hint = latest === undefined ? '' : `; the newest one of this folder is ${latest}`;
  return new ConversationError(
    `conversation "${id}" not found${hint}; list them with: baton-agent conversations list`,
  );
}

export interface OpenedConversation {
  conversation: Conversation;
  history: History;
  /** What the person should know: torn or unreadable records. */
  notices: string[];
}

function readOrRefuse(stateDir: string, id: string, cwd: string): { bytes: Uint8Array; history: History } {
  if (!isConversationId(id)) throw unknownConversation(stateDir, id, cwd);
  const file = conversationFile(stateDir, id);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw unknownConversation(stateDir, id, cwd);
    throw new ConversationError(`conversation "${id}" cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  const history = readHistory(bytes);
  if (!history) {
    throw new ConversationError(
      `conversation "${id}" cannot be read: ${file} holds no conversation; start a new one, or restore the file`,
    );
  }
  return { bytes, history };
}

function readingNotices(id: string, bytes: Uint8Array, history: History): string[] {
  const notices: string[] = [];
  const torn = bytes.length - history.wholeBytes;
  if (torn > 0) {
    notices.push(`conversation "${id}" ended in the middle of a record; its last ${torn} bytes were dropped`);
  }
  if (history.skipped > 0) {
    notices.push(`conversation "${id}" has ${history.skipped} unreadable record(s); they were skipped`);
  }
  return notices;
}

/**
 * Goes on with a stored conversation, from its newest record.
 * @param cwd for the suggestion when the id is unknown
 * @throws {ConversationError} unknown id, no conversation in the file, or in use by another process
 */
export function resumeConversation(stateDir: string, id: string, cwd: string): OpenedConversation {
  // Looked up first, so that an unknown id creates no file.
  readOrRefuse(stateDir, id, cwd);
  const file = conversationFile(stateDir, id);
  const lock = lockFile(file, id);
  try {
    // Read again now that nobody else writes.
    const { bytes, history } = readOrRefuse(stateDir, id, cwd);
    if (fstatSync(lock.fd).ino !== statSync(file).ino) throw unknownConversation(stateDir, id, cwd);
    if (bytes.length > history.wholeBytes) ftruncateSync(lock.fd, history.wholeBytes);
    const conversation = conversationAt({
      id,
      artifacts: conversationArtifacts(stateDir, id),
      branch: history.branch,
      lastId: history.lastId,
      lastStep: history.lastStep,
      ...lockedPlace(lock, id),
    });
    return { conversation, history, notices: readingNotices(id, bytes, history) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Starts a new conversation with the records of another one's newest branch: the original is only read, so it may be in
 * use meanwhile.
 * @throws {ConversationError} as {@link resumeConversation}, save for one in use
 */
export function forkConversation(
  stateDir: string,
  sourceId: string,
  fields: NewConversation,
): OpenedConversation {
  const { bytes, history } = readOrRefuse(stateDir, sourceId, fields.cwd);
  const lock = createFile(stateDir, fields.id);
  try {
    const [first, ...rest] = history.branch;
    const copied: ConversationRecord[] = rest;
    if (first?.type === 'conversation') {
      const recordId = history.branch.at(-1)?.id ?? first.id;
      copied.unshift({ ...first, ...header(fields), forkedFrom: { conversationId: sourceId, recordId } });
    }
    const place = lockedPlace(lock, fields.id);
    place.write(copied.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const conversation = conversationAt({
      id: fields.id,
      artifacts: conversationArtifacts(stateDir, fields.id),
      branch: copied,
      lastId: history.lastId,
      lastStep: history.lastStep,
      ...place,
    });
    return { conversation, history, notices: readingNotices(sourceId, bytes, history) };
  } catch (error) {
    lock.release();
    throw error;
  }
}
