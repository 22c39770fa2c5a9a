import { formatElapsed } from '../../contract/duration.ts';
import { isTerminal } from '../../contract/outcome.ts';
import type { ToolDefinition } from '../tool.ts';
import { ToolError } from '../tool.ts';
import { relayTool } from './relay-tool.ts';
import { CANCELLED_BEFORE, type RelayHouse } from './run-tool.ts';
import type { FlightEntry } from './runs.ts';

interface Stopped {
  tool: string;
  job_id?: string;
  /** How it stood when it was stopped. */
  state: 'preparing' | 'queued' | 'running';
  elapsed?: string;
  prompt: string;
}

async function stop(house: RelayHouse, flight: FlightEntry): Promise<Stopped | undefined> {
  const { tool, title, jobId } = flight;
  flight.cancel.abort(new ToolError(CANCELLED_BEFORE));
  if (jobId === undefined) return { tool, state: 'preparing', prompt: title };
  const jobs = await house.core.jobs();
  const { state, elapsed_ms } = await jobs.status(jobId);
  if (isTerminal(state) || state === 'done') return undefined;
  await jobs.cancel(jobId);
  return {
    tool,
    job_id: jobId,
    state: state === 'queued' ? 'queued' : 'running',
    elapsed: formatElapsed(elapsed_ms),
    prompt: title,
  };
}

function line({ tool, job_id, state, elapsed, prompt }: Stopped): string {
  const where = job_id === undefined ? state : `${state}, ${elapsed ?? ''}, job ${job_id}`;
  return `- ${tool} (${where}): ${prompt}`;
}

export function geminiCancel(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-cancel',
    title: 'Stop Gemini runs',
    description:
      'Stop every gemini-* run that you have in flight, waiting ones included, and say which they were. A call that waits for one gets an error instead of an answer. A single job can be stopped with agy_cancel.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    outputSchema: {
      type: 'object',
      properties: {
        cancelled: {
          type: 'array',
          description: 'The runs that were stopped, the oldest first; empty when none was in flight.',
          items: {
            type: 'object',
            properties: {
              tool: { type: 'string', description: 'The tool that started it.' },
              job_id: { type: 'string', description: 'Its job; absent when nothing had been started yet.' },
              state: { type: 'string', description: 'How it stood: preparing, queued or running.' },
              elapsed: { type: 'string', description: 'How old it was, as a Go duration.' },
              prompt: { type: 'string', description: 'First line of what was asked.' },
            },
            required: ['tool', 'state', 'prompt'],
            additionalProperties: false,
          },
        },
      },
      required: ['cancelled'],
      additionalProperties: false,
    },
    async run(_args, call) {
      const flights = house.flights.of(call.clientKey);
      const stopped = await Promise.all(flights.map((flight) => stop(house, flight)));
      const cancelled = stopped.filter((one) => one !== undefined);
      const text =
        cancelled.length === 0
          ? 'No gemini-* run of this client is in flight.'
          : `Stopped ${cancelled.length} run${cancelled.length === 1 ? '' : 's'}:\n${cancelled.map(line).join('\n')}`;
      return {
        content: [{ type: 'text', text }],
        structured: { cancelled: cancelled.map((one) => ({ ...one })) },
      };
    },
  });
}
