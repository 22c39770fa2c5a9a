import type { EventSummary } from './event-summary.ts';
import type { ChildExit, EndCause, JobRecord } from './types.ts';

/** Everything a status is derived from: the files of the job and whether its run lives. */
export interface JobFacts {
  record: JobRecord;
  summary: EventSummary;
  /** Lines of the stream that could not be read. */
  skippedLines: number;
  /** The end of stderr, whole characters. */
  stderrTail: string;
  /** Undefined while the job is queued or running. */
  end?: { cause: EndCause; exit: ChildExit; spawnError?: string; forced?: boolean };
  begun: boolean;
  queuePosition?: number;
  /** Milliseconds since 1970. */
  now: number;
}
