import type { ServerCore } from '../core.ts';
import { createRelayTools } from '../relay/index.ts';
import type { ToolDefinition } from '../tool.ts';
import { agyCancel } from './agy-cancel.ts';
import { agyJobs } from './agy-jobs.ts';
import { agyRun } from './agy-run.ts';
import { agyRunSync } from './agy-run-sync.ts';
import { agyStatus } from './agy-status.ts';
import { agyWait } from './agy-wait.ts';
import { listModels } from './list-models.ts';
import { listSessions } from './list-sessions.ts';

/** The tools of a server, in the order in which they are listed. A wait can be taken up again whatever the set. */
export function createTools(core: ServerCore): ToolDefinition[] {
  const waiting = [agyWait(core), agyStatus(core)];
  const jobs = core.toolSets.includes('jobs');
  return [
    ...(jobs ? [agyRun(core), agyRunSync(core)] : []),
    ...waiting,
    ...(jobs ? [agyCancel(core), agyJobs(core), listModels(core), listSessions(core)] : []),
    ...(core.toolSets.includes('relay') ? createRelayTools(core) : []),
  ];
}
