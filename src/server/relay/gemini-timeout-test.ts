import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolDefinition } from '../tool.ts';
import { KEEPALIVE_MS } from './progress-form.ts';
import { relayTool } from './relay-tool.ts';

const STEP_MS = 5000;
const LEAST_MS = 10;

/** A call that only takes time, to see how long a client waits and what it does with progress. For tests of clients. */
export function geminiTimeoutTest(): ToolDefinition {
  return relayTool({
    name: 'gemini-timeout-test',
    title: 'Test a client’s time limit',
    description:
      'Wait for the given number of milliseconds, in steps of at most 5 s, and say so. Starts nothing.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    properties: {
      duration: { type: 'number', minimum: LEAST_MS, description: 'How long, in milliseconds, from 10.' },
    },
    required: ['duration'],
    async run(args, call) {
      const duration = Number(args.duration);
      const steps = Math.ceil(duration / STEP_MS);
      const from = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - from);
      const lines = [`Starting timeout test for ${duration}ms (${duration / 1000}s)`];
      const keepalive = setInterval(() => {
        call.progress?.report({ progress: elapsedMs() / 1000, message: lines.at(-1) ?? '' });
      }, KEEPALIVE_MS);
      try {
        for (let step = 1; step <= steps; step++) {
          await sleep(duration / steps, undefined, { signal: call.signal });
          lines.push(`Step ${step}/${steps} completed - Elapsed: ${Math.round(elapsedMs() / 1000)}s`);
        }
      } finally {
        clearInterval(keepalive);
      }
      lines.push(
        '',
        'Timeout test completed successfully!',
        `Target duration: ${duration}ms`,
        `Actual duration: ${elapsedMs()}ms`,
      );
      return { text: lines.join('\n') };
    },
  });
}
