import type { ServerCore } from '../core.ts';
import type { ToolDefinition } from '../tool.ts';
import { agyCancel } from './agy-cancel.ts';
import { agyJobs } from './agy-jobs.ts';
import { agyRun } from './agy-run.ts';
import { agyRunSync } from './agy-run-sync.ts';
import { agyStatus } from './agy-status.ts';
import { agyWait } from './agy-wait.ts';
import { listModels } from './list-models.ts';
import { listSessions } from './list-sessions.ts';

/** The tools of a server, in the order in which they are listed. */
export function createTools(core: ServerCore): ToolDefinition[] {
  return [
    agyRun(core),
    agyRunSync(core),
    agyWait(core),
    agyStatus(core),
    agyCancel(core),
    agyJobs(core),
    listModels(core),
    listSessions(core),
  ];
}
