import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { applyEnvironment } from '../backends/child-environment.ts';
import { rightsCeiling } from '../backends/headless/rights.ts';
import { type Backend, BackendError, type Environment, type RunRequest } from '../backends/types.ts';
import { errorCode } from '../platform/errors.ts';
import type { JobsClient } from './client.ts';
import { newJobId } from './job-folder.ts';
import { findParent, withParentRights } from './job-parent.ts';
import { maxJobs, outputLimitBytes } from './run-limits.ts';
import type { JobStatus } from './types.ts';

/** A run as a tool or command orders it, before any backend was asked. */
export interface RunOrder {
  /** The tool or command: decides the form of the job's answer. */
  kind: string;
  /** The caller's own arguments, where the form of the answer needs them again. */
  arguments?: Record<string, unknown>;
  request: RunRequest;
  backend: Backend;
  environment: Environment;
  stateDir: string;
  client?: { name: string; version: string };
  requestId?: string;
  /**
   * Undefined: wait for a free place at the cap, but be refused while another job runs on the conversation. True: wait
   * for both. False: be refused for both.
   */
  queue?: boolean;
  signal?: AbortSignal;
}

/** A folder as a run gets it: absolute, links resolved as far as they can be. It need not exist. */
export function normalizeFolder(folder: string, base: string): string {
  const absolute = resolve(base, folder);
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (errorCode(error) !== undefined) return absolute;
    throw error;
  }
}

function refuseTwoConversations(request: RunRequest): void {
  if (request.conversationId && request.continueLatest) {
    throw new BackendError(
      'conversation_id and continue_latest are mutually exclusive: pass one or the other',
    );
  }
}

/** A conversation that its backend does not know would silently become a fresh one. */
function refuseUnknownConversation({ request, backend, environment }: RunOrder): void {
  if (!request.conversationId || backend.hasConversation(environment, request.conversationId) !== false)
    return;
  throw new BackendError(
    `conversation ${JSON.stringify(request.conversationId)} is not known to ${backend.name}: list_sessions shows the newest one of each folder; leave conversation_id out to begin a fresh one`,
  );
}

/**
 * Turns an order into an accepted job: checks the conversation, lets the backend make the command line within the rights
 * of the operator and of the job that it is ordered from, and hands it to the supervisor.
 * @returns the job; `repeated` = its `requestId` was known and nothing new was started
 * @throws {BackendError} when the backend refuses
 * @throws {JobRefusedError} when the supervisor does (conversation busy, cap, depth, space)
 */
export async function startRun(
  jobs: JobsClient,
  order: RunOrder,
): Promise<{ job: JobStatus; repeated: boolean }> {
  refuseTwoConversations(order.request);
  const { request, backend, stateDir } = order;
  const parent = findParent(stateDir, order.environment);
  const environment = withParentRights(order.environment, rightsCeiling(order.environment), parent);
  const resolved = await backend.resolve(environment, order.signal);
  refuseUnknownConversation(order);
  const invocation = backend.invoke(request, resolved, environment);
  return jobs.submit({
    id: newJobId(),
    kind: order.kind,
    arguments: order.arguments,
    invocation,
    prompt: request.prompt,
    timeoutMs: request.timeoutMs,
    outputLimitBytes: outputLimitBytes(environment),
    requestId: order.requestId,
    queue: order.queue,
    maxJobs: maxJobs(environment),
    parentJobId: parent.jobId,
    depth: parent.depth,
    client: order.client && { ...order.client, pid: process.pid },
    environment: applyEnvironment(environment, invocation.environment),
  });
}
