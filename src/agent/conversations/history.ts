import type { DeniedAction } from '../../contract/events.ts';
import { createNdjsonReader } from '../../contract/ndjson-reader.ts';
import { type ConversationRecord, type HeaderRecord, isRecord } from './records.ts';

/** Records hold whole tool results, images included. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** All that a conversation file holds, and the branch that its last record stands on. */
export interface History {
  header: HeaderRecord;
  /** From the header to the newest record, in order. */
  branch: ConversationRecord[];
  /** The highest record id and step index of the whole file, all branches. */
  lastId: number;
  lastStep: number;
  /** Bytes up to the end of the last whole line. */
  wholeBytes: number;
  /** Lines that could not be read as records and were left out. */
  skipped: number;
}

/**
 * Reads the bytes of a conversation file. Lines that are no records are skipped and counted; a record whose parent is
 * lost follows the one before it in the file.
 * @returns undefined when there is no header, so nothing to go by
 */
export function readHistory(bytes: Uint8Array): History | undefined {
  const records = new Map<number, ConversationRecord>();
  let previous = 0;
  let foreign = 0;
  let header: HeaderRecord | undefined;
  let lastStep = -1;
  const reader = createNdjsonReader(
    (value) => {
      if (!isRecord(value) || records.has(value.id)) {
        foreign++;
        return;
      }
      if (value.parentId !== 0 && !records.has(value.parentId)) value.parentId = previous;
      records.set(value.id, value);
      previous = value.id;
      if (value.type === 'conversation') header ??= value;
      if ('step' in value) lastStep = Math.max(lastStep, value.step);
    },
    { maxLineBytes: MAX_RECORD_BYTES },
  );
  reader.push(bytes);
  const wholeBytes = reader.counts.consumed;
  if (!header) return undefined;
  const branch: ConversationRecord[] = [];
  for (let at = records.get(previous); at; at = records.get(at.parentId)) branch.push(at);
  branch.reverse();
  return {
    header,
    branch,
    lastId: Math.max(...records.keys()),
    lastStep,
    wholeBytes,
    skipped: foreign + reader.counts.junk + reader.counts.tooLong,
  };
}

/** How many turns a branch holds: each prompt begins one. */
export function countTurns(branch: readonly ConversationRecord[]): number {
  return branch.filter((record) => record.type === 'user' && !record.steering).length;
}

/** The denied actions of a branch so far. */
export function deniedSoFar(branch: readonly ConversationRecord[]): DeniedAction[] {
  const last = branch.findLast((record) => record.type === 'turn_end' && record.denied !== undefined);
  return last?.type === 'turn_end' ? [...(last.denied ?? [])] : [];
}
