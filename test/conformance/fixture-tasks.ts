import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/server';
import { ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server';
import { type Fields, isFields, textOr } from '../../src/contract/fields.ts';
import { isTerminal } from '../../src/contract/outcome.ts';
import { toolCallOf } from '../../src/server/call-context.ts';
import type { ServerCore } from '../../src/server/core.ts';
import { startToolRun } from '../../src/server/start-tool-run.ts';
import { missingExtension, takesTasks } from '../../src/server/tasks/extension.ts';
import { jobTasks, type TaskSource, taskOf } from '../../src/server/tasks/serve-tasks.ts';
import { FORMS } from './fixture-content.ts';
import { ask, type FixtureTool, form, say } from './fixture-tools.ts';

/**
 * Tasks that no job of ours ever is: they ask on the way, or break in the protocol itself. What the extension's methods
 * answer about them goes through the same code as for jobs.
 */
class FixtureTask {
  readonly id = randomUUID();
  readonly created = new Date();
  readonly pending = new Map<string, { request: Fields; resolve: (answer: unknown) => void }>();
  ending: Fields | undefined;

  constructor(work: (task: FixtureTask) => Promise<Result>) {
    work(this).then(
      (result) => this.end({ status: 'completed', result }),
      (error: unknown) =>
        this.end({
          status: 'failed',
          error: { code: error instanceof ProtocolError ? error.code : -32_603, message: String(error) },
        }),
    );
  }

  end(ending: Fields): void {
    this.ending ??= ending;
  }

  /** Asks the client; the answer comes by `tasks/update`. */
  ask(request: Fields): Promise<unknown> {
    return new Promise((resolve) => {
      this.pending.set(`question-${this.pending.size + 1}-${this.id.slice(0, 4)}`, { request, resolve });
    });
  }

  view(): Fields {
    const asking = this.pending.size > 0 && this.ending === undefined;
    const requests = Object.fromEntries([...this.pending].map(([key, { request }]) => [key, request]));
    return {
      taskId: this.id,
      status: asking ? 'input_required' : 'working',
      createdAt: this.created.toISOString(),
      lastUpdatedAt: new Date().toISOString(),
      ttlMs: 3_600_000,
      pollIntervalMs: 100,
      ...(asking && { inputRequests: requests }),
      ...this.ending,
    };
  }
}

const tasks = new Map<string, FixtureTask>();

/** Fixture tasks by their id, and jobs for everything else. */
export function fixtureTasks(core: ServerCore): TaskSource {
  const jobs = jobTasks(core);
  return {
    async get(id) {
      return tasks.get(id)?.view() ?? (await jobs.get(id));
    },
    async update(id, responses) {
      const task = tasks.get(id);
      if (!task) return jobs.update(id, responses);
      for (const [key, answer] of Object.entries(responses)) {
        const question = task.pending.get(key);
        task.pending.delete(key);
        question?.resolve(answer);
      }
    },
    async cancel(id) {
      const task = tasks.get(id);
      if (!task) return jobs.cancel(id);
      task.end({ status: 'cancelled' });
    },
  };
}

function begin(work: (task: FixtureTask) => Promise<Result>): FixtureTask {
  const task = new FixtureTask(work);
  tasks.set(task.id, task);
  return task;
}

async function asTaskOrPlain(task: FixtureTask, context: ServerContext): Promise<Result> {
  if (takesTasks(context)) {
    const { inputRequests: _asked, ...handle } = task.view();
    return { resultType: 'task', ...handle, content: [] };
  }
  while (!task.ending) await sleep(20);
  const { result, error } = task.ending;
  if (isFields(error)) throw new ProtocolError(Number(error.code), String(error.message));
  return isFields(result) ? result : say('cancelled');
}

const confirmed = (answer: unknown): string => JSON.stringify(isFields(answer) ? answer.content : answer);

/** The tools of the tasks scenarios. The first two are real jobs: of the stand-in agent, in real job folders. */
export function taskTools(core: ServerCore, server: Server): Readonly<Record<string, FixtureTool>> {
  const runJob = async (context: ServerContext, steps: Fields[], isRequired = false): Promise<Result> => {
    if (isRequired && !takesTasks(context)) throw missingExtension();
    const request = {
      prompt: `Do as told.\nDO ${JSON.stringify(steps)}`,
      cwd: core.cwd,
      timeoutMs: 60_000,
    };
    const call = toolCallOf(core, server, context);
    const status = await startToolRun(core, call, 'agy_run_sync', {}, request);
    if (takesTasks(context)) return { resultType: 'task', ...taskOf(core, status), content: [] };
    const jobs = await core.jobs();
    const ended = await jobs.wait(status.job_id, { timeoutMs: 60_000 });
    return isTerminal(ended.state) ? say(ended.result ?? '') : say('not over');
  };
  const seconds = { type: 'object', properties: { seconds: { type: 'number' } } };
  return {
    greet: {
      description: 'greets, without a task',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      call: ({ name }) => say(`Hello, ${String(name)}!`),
    },
    slow_compute: {
      description: 'takes some seconds',
      inputSchema: seconds,
      call({ seconds: given }, context) {
        const waited = typeof given === 'number' ? given : 0;
        return runJob(context, [{ sleep: waited * 1000 }, { text: `computed after ${waited}s` }]);
      },
    },
    failing_job: {
      description: 'fails, and only ever as a task',
      call: (_args, context) => runJob(context, [{ sleep: 300 }, { text: 'half' }, { exit: 1 }], true),
    },
    protocol_error_job: {
      description: 'breaks in the protocol',
      call: (_args, context) =>
        asTaskOrPlain(
          begin(async () => {
            await sleep(50);
            throw new ProtocolError(-32_603, 'internal failure');
          }),
          context,
        ),
    },
    confirm_delete: {
      description: 'asks before it goes on',
      inputSchema: { type: 'object', properties: { filename: { type: 'string' } } },
      call: ({ filename }, context) =>
        asTaskOrPlain(
          begin(async (task) => {
            const answer = await task.ask(form(`Delete ${textOr(filename, 'it')}?`, FORMS.confirm));
            return say(`confirm: ${confirmed(answer)}`);
          }),
          context,
        ),
    },
    multi_input: {
      description: 'asks twice at once',
      call: (_args, context) =>
        asTaskOrPlain(
          begin(async (task) => {
            const given = await Promise.all([
              task.ask(form('Name?', FORMS.name)),
              task.ask(form('Color?', FORMS.color)),
            ]);
            return say(given.map(confirmed).join(' '));
          }),
          context,
        ),
    },
    test_tool_with_task: {
      description: 'asks first, then becomes a task',
      call(_args, context) {
        const answer = context.mcpReq.inputResponses?.user_name;
        if (!isFields(answer)) return ask({ user_name: form('Your name?', FORMS.name) });
        return asTaskOrPlain(
          begin(async () => {
            await sleep(100);
            return say(`Hello ${confirmed(answer)}`);
          }),
          context,
        );
      },
    },
  };
}
