import { type Fields, textOr } from '../../contract/fields.ts';
import { isTerminal } from '../../contract/outcome.ts';
import type { JobStatus } from '../../jobs/types.ts';
import type { RelayRunTool } from '../../relay/replies/run-tools.ts';
import type { ServerCore } from '../core.ts';
import { firstLine } from '../job-rows.ts';
import { type ToolAnswer, ToolError } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';
import { waitForJob } from '../waiting.ts';
import { relayProgress } from './progress-form.ts';
import type { FlightEntry, Flights } from './runs.ts';

/** What the relay tools of one server process share. */
export interface RelayHouse {
  core: ServerCore;
  flights: Flights;
  /** Whether the notice about the choice of the backend was told already. */
  toldChoice: boolean;
}

/** A run has a limit of its own; the wait for it ends with it, or where the client's patience does. */
const LONGEST_WAIT_MS = 8 * 24 * 3_600_000;

/**
 * Carries a relay call out: files inlined, prompt built, run started as a job, waited for as long as the client's patience
 * lasts, answered in the tool's form.
 * @throws anything whose message is meant for the caller
 */
export async function runRelayTool(
  house: RelayHouse,
  tool: RelayRunTool,
  args: Fields,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { flight, job, startMessage } = await begin(house, tool, args, call);
  let status = job;
  try {
    const form = relayProgress(tool, startMessage);
    status = await waitForJob(house.core, call, job.job_id, LONGEST_WAIT_MS, job, form);
  } finally {
    if (isTerminal(status.state)) house.flights.end(flight);
    else void finishLater(house, flight, call, status);
  }
  return answerOf(house.core, call, status);
}

/** The same for a client that takes tasks: only begun, not waited for. */
export async function startRelayTask(
  house: RelayHouse,
  tool: RelayRunTool,
  args: Fields,
  call: ToolCall,
): Promise<JobStatus> {
  const { flight, job } = await begin(house, tool, args, call);
  void finishLater(house, flight, call, job);
  return job;
}

interface Begun {
  flight: FlightEntry;
  job: JobStatus;
  startMessage: string;
}

async function begin(house: RelayHouse, tool: RelayRunTool, args: Fields, call: ToolCall): Promise<Begun> {
  const title = firstLine(textOr(tool === 'gemini-plan' ? args.task : args.prompt));
  const flight = house.flights.begin({ tool, clientKey: call.clientKey, title });
  try {
    return { flight, ...(await start(house, flight, args, call)) };
  } catch (error) {
    house.flights.end(flight);
    throw error;
  }
}

async function start(
  house: RelayHouse,
  flight: FlightEntry,
  args: Fields,
  call: ToolCall,
): Promise<Omit<Begun, 'flight'>> {
  const { core } = house;
  const { tool } = flight;
  const { prepareRun } = await import('../../relay/run/prepare.ts');
  const { startRelayRun } = await import('../../relay/run/start.ts');
  const { backend, notice } = await core.relayBackend(textOr(args.backend) || undefined);
  const relayCall = {
    tool,
    args,
    backend,
    environment: call.environment,
    serverFolder: core.cwd,
    http: core.http,
    // A client that goes away now leaves nothing behind: nothing has been started yet.
    signal: AbortSignal.any([call.signal, flight.cancel.signal]),
  };
  const prepared = await prepareRun(relayCall);
  if (flight.cancel.signal.aborted) throw new ToolError(CANCELLED_BEFORE);
  const notices = notice !== undefined && !house.toldChoice ? [notice] : [];
  const jobs = await core.jobs();
  const job = await startRelayRun(jobs, relayCall, prepared, {
    stateDir: core.stateDir,
    client: call.client,
    notices,
  });
  house.toldChoice ||= notices.length > 0;
  flight.jobId = job.job_id;
  core.log.info('job accepted', { job_id: job.job_id, kind: tool, backend: backend.name, state: job.state });
  if (flight.cancel.signal.aborted) await jobs.cancel(job.job_id);
  return { job, startMessage: prepared.startMessage };
}

export const CANCELLED_BEFORE = 'cancelled by gemini-cancel before anything was started';

async function answerOf(core: ServerCore, call: ToolCall, status: JobStatus): Promise<ToolAnswer> {
  const { relayAnswer } = await import('../../relay/run/answer.ts');
  const { boundedReply } = await import('./bounded-reply.ts');
  const { stateDir } = core;
  const { environment } = call;
  const answer = await relayAnswer({ stateDir, environment, signal: call.signal }, status);
  if (!answer) throw new ToolError(`job ${status.job_id} is over, but what its answer needs is gone`);
  const { content, isError } = boundedReply(answer.reply, { stateDir, jobId: status.job_id, environment });
  return { content, isError };
}

/**
 * Follows a run that goes on after its call: it stays this client's (gemini-cancel stops it) until it ends, and a picture
 * still gets to its place in the project.
 */
async function finishLater(
  { core, flights }: RelayHouse,
  flight: FlightEntry,
  call: ToolCall,
  job: JobStatus,
): Promise<void> {
  try {
    const jobs = await core.jobs();
    const status = await jobs.wait(job.job_id, { timeoutMs: LONGEST_WAIT_MS });
    if (flight.tool !== 'gemini-image') return;
    const { relayAnswer } = await import('../../relay/run/answer.ts');
    await relayAnswer({ stateDir: core.stateDir, environment: call.environment }, status);
  } catch (error) {
    core.log.debug('a run could not be followed to its end', { job_id: job.job_id, error: String(error) });
  } finally {
    flights.end(flight);
  }
}
