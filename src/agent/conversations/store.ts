import { fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { makePrivateFolder } from '../../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { type HeldLock, tryAcquireLock } from '../../platform/kernel-lock.ts';
import { conversationArtifacts, conversationFile, conversationsFolder } from './folder.ts';
import { readHistory } from './history.ts';
import { type ConversationRecord, type NewRecord, RECORD_VERSION } from './records.ts';

/** A conversation that cannot be opened or written. The message is for the person who asked. */
export class ConversationError extends Error {
  override name = 'ConversationError';
}

export interface Conversation {
  readonly id: string;
  /** Private folder for what belongs to the conversation besides its records. It need not exist. */
  readonly artifacts: string;
  /** The records of the branch that is being gone on with, the newest last; grows with `append`. */
  readonly branch: readonly ConversationRecord[];
  /** Takes the next step index: they rise over the whole conversation. */
  takeStep: () => number;
  /**
   * Adds a record behind the last one. When it returns, the record is in the file: what is shown has been kept.
   * @throws {ConversationError} when the disk refuses; the file then ends where it ended before.
   */
  append(record: NewRecord): ConversationRecord;
  /** Lets the conversation go. Idempotent. */
  close(): void;
}

export interface NewConversation {
  stateDir: string;
  id: string;
  cwd: string;
  agent?: string | undefined;
  parentConversationId?: string | undefined;
}

type NewHeader = Extract<NewRecord, { type: 'conversation' }>;

/** Where a conversation stands and how its lines are kept. */
export interface Place {
  id: string;
  artifacts: string;
  branch: ConversationRecord[];
  lastId: number;
  lastStep: number;
  /** Called with each finished line. */
  write: (line: string) => void;
  close: () => void;
}

/** A conversation that goes on from a place. */
export function conversationAt(place: Place): Conversation {
  let { lastId, lastStep } = place;
  const append = (record: NewRecord): ConversationRecord => {
    const placed: ConversationRecord = {
      id: lastId + 1,
      parentId: place.branch.at(-1)?.id ?? 0,
      at: new Date().toISOString(),
      ...record,
    };
    place.write(`${JSON.stringify(placed)}\n`);
    lastId++;
    place.branch.push(placed);
    return placed;
  };
  return {
    id: place.id,
    artifacts: place.artifacts,
    branch: place.branch,
    takeStep: () => ++lastStep,
    append,
    close: place.close,
  };
}

/**
 * Takes the file for this process. The lock is on the file itself and goes with the process, however it ends.
 * @throws {ConversationError} that names who has it
 */
export function lockFile(file: string, id: string): HeldLock {
  const lock = tryAcquireLock(file);
  if (lock) return lock;
  const session = readHistory(readFileSync(file))?.branch.findLast((record) => record.type === 'session');
  const holder =
    session?.type === 'session'
      ? `process ${session.pid} (${session.program}, since ${session.at})`
      : 'another process';
  throw new ConversationError(
    `conversation "${id}" is in use by ${holder}; wait until it ends, or go on in a copy with --fork`,
  );
}

function writeLine(fd: number, id: string, line: string): void {
  const size = fstatSync(fd).size;
  const data = Buffer.from(line);
  try {
    for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
  } catch (error) {
    try {
      ftruncateSync(fd, size);
    } catch {
      // The torn line is dropped when the conversation is opened again.
    }
    throw new ConversationError(
      `conversation "${id}" could not be written: ${errorMessage(error)}; free some space, or use --ephemeral`,
      { cause: error },
    );
  }
}

/** Lines go to the locked file; letting the conversation go frees it. */
export function lockedPlace(lock: HeldLock, id: string): Pick<Place, 'write' | 'close'> {
  return {
    write: (line) => writeLine(lock.fd, id, line),
    close: () => lock.release(),
  };
}

/** The first record of a file. */
export function header(fields: NewConversation): NewHeader {
  return {
    type: 'conversation',
    version: RECORD_VERSION,
    conversationId: fields.id,
    cwd: fields.cwd,
    ...(fields.agent !== undefined && { agent: fields.agent }),
    ...(fields.parentConversationId !== undefined && { parentConversationId: fields.parentConversationId }),
  };
}

/** Makes and locks the file of a new conversation. @throws {ConversationError} */
export function createFile(stateDir: string, id: string): HeldLock {
  try {
    makePrivateFolder(conversationsFolder(stateDir));
    return lockFile(conversationFile(stateDir, id), id);
  } catch (error) {
    if (error instanceof ConversationError || errorCode(error) === undefined) throw error;
    throw new ConversationError(
      `conversations cannot be kept in ${conversationsFolder(stateDir)}: ${errorMessage(error)}; ` +
        'set BATON_STATE_DIR to a folder that can be written, or use --ephemeral',
      { cause: error },
    );
  }
}

/** A fresh conversation. Nothing is on the disk before its first record: a run that asks nothing leaves nothing. */
export function createConversation(fields: NewConversation): Conversation {
  let place: Pick<Place, 'write' | 'close'> | undefined;
  const conversation: Conversation = conversationAt({
    id: fields.id,
    artifacts: conversationArtifacts(fields.stateDir, fields.id),
    branch: [],
    lastId: 0,
    lastStep: -1,
    write(line) {
      place ??= lockedPlace(createFile(fields.stateDir, fields.id), fields.id);
      place.write(line);
    },
    close: () => place?.close(),
  });
  return {
    ...conversation,
    append(record) {
      if (conversation.branch.length === 0) conversation.append(header(fields));
      return conversation.append(record);
    },
  };
}

/** A conversation of which nothing is kept. `artifacts` is a folder that the caller makes and removes. */
export function ephemeralConversation(id: string, artifacts: string): Conversation {
  return conversationAt({ id, artifacts, branch: [], lastId: 0, lastStep: -1, write() {}, close() {} });
}
