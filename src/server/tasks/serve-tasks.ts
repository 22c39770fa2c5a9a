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

/**
 * Serves the tasks extension over the job folders: a task is a job under the same id, so it outlives this server, and
 * what is asked for after a restart is found. For connections of revision 2026-07-28 and later.
 */
export function serveTasks(server: Server, core: ServerCore): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  const on = (
    method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
    handle: (id: string) => Promise<Fields>,
  ): void => {
    const serve = async ({ taskId }: { taskId: string }, context: ServerContext): Promise<Fields> => {
      if (!takesTasks(context)) throw missingExtension();
      try {
        return await handle(taskId);
      } catch (error) {
        if (error instanceof JobReadError)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${error.message}`);
        throw error;
      }
    };
    server.setRequestHandler(method, { params: TASK_PARAMS, result: z.looseObject({}) }, serve);
  };
  on('tasks/get', (id) => detailedTask(core, id));
  // A run asks nothing on the way (whatever there is to ask, is asked before it starts), so no answer is waited for.
  on('tasks/update', async (id) => {
    await (await core.jobs()).status(id);
    return {};
  });
  on('tasks/cancel', async (id) => {
    await (await core.jobs()).cancel(id);
    return {};
  });
}
