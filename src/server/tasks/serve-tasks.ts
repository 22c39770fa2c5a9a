import { statSync } from 'node:fs';
import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Fields } from '../../contract/fields.ts';
import { isTerminal } from '../../contract/outcome.ts';
import { JobReadError, jobFiles, readRecord } from '../../jobs/job-folder.ts';
import { retentionMs } from '../../jobs/supervisor/retention.ts';
import type { JobStatus } from '../../jobs/types.ts';
import type { ServerCore } from '../core.ts';
import { jobAnswer } from '../job-answer.ts';
import { toResult } from '../tool-result.ts';
import { missingExtension, TASKS_EXTENSION, takesTasks } from './extension.ts';
import { taskView } from './task-view.ts';

const TASK_PARAMS = z.looseObject({ taskId: z.string() });

/** When something of a job last changed: its end, else its newest output. */
function changedAt(core: ServerCore, status: JobStatus, accepted: number): Date {
  if (isTerminal(status.state)) return new Date(accepted + status.elapsed_ms);
  const events = statSync(jobFiles(core.stateDir, status.job_id).events, { throwIfNoEntry: false });
  return new Date(Math.max(accepted, events?.mtimeMs ?? 0));
}

/** The handle of a job as it stands. @throws {JobReadError} */
export function taskOf(core: ServerCore, status: JobStatus): Fields {
  const accepted = Date.parse(readRecord(core.stateDir, status.job_id).accepted_at);
  return taskView({
    status,
    createdAt: new Date(accepted),
    changedAt: changedAt(core, status, accepted),
    retentionMs: retentionMs(core.environment.BATON_RETENTION),
  });
}

/** A task with what it came to: exactly what the tool call would have answered. */
async function detailedTask(core: ServerCore, id: string): Promise<Fields> {
  const status = await (await core.jobs()).status(id);
  const task = taskOf(core, status);
  if (task.status !== 'completed') return task;
  const result = toResult(await jobAnswer(core, core.environment, status), true);
  return { ...task, result: status.state === 'failed' ? { ...result, isError: true } : result };
}

/** What the methods of the extension are answered from. Each throws {@link JobReadError} for an id that it does not know. */
export interface TaskSource {
  /** The task as `tasks/get` gives it. */
  get(id: string): Promise<Fields>;
  /** Takes what the client answered to a task's questions. */
  update(id: string, inputResponses: Fields): Promise<void>;
  cancel(id: string): Promise<void>;
}

/** Jobs as tasks: a task is a job under the same id, so it outlives this server, and is found after a restart. */
export function jobTasks(core: ServerCore): TaskSource {
  return {
    get: (id) => detailedTask(core, id),
    async update(id) {
      // A run asks nothing on the way (whatever there is to ask, is asked before it starts), so nothing waits for this.
      await (await core.jobs()).status(id);
    },
    async cancel(id) {
      await (await core.jobs()).cancel(id);
    },
  };
}

/** Serves the tasks extension. For connections of revision 2026-07-28 and later. */
export function serveTasks(server: Server, source: TaskSource): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  const on = (
    method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
    handle: (id: string, context: ServerContext) => Promise<Fields | void>,
  ): void => {
    const serve = async ({ taskId }: { taskId: string }, context: ServerContext): Promise<Fields> => {
      if (!takesTasks(context)) throw missingExtension();
      try {
        return (await handle(taskId, context)) ?? {};
      } catch (error) {
        if (error instanceof JobReadError)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${error.message}`);
        throw error;
      }
    };
    server.setRequestHandler(method, { params: TASK_PARAMS, result: z.looseObject({}) }, serve);
  };
  on('tasks/get', (id) => source.get(id));
  on('tasks/update', (id, context) => source.update(id, context.mcpReq.inputResponses ?? {}));
  on('tasks/cancel', (id) => source.cancel(id));
}
