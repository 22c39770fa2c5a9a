/** Lines of stream-json as an agent writes them: text pieces and tool steps, some 600 bytes each. */
export function eventLines(count: number): string {
  const lines: string[] = [];
  const output = 'a line of what a command printed, with "quotes" and a path /srv/app/src/index.ts\n'.repeat(
    6,
  );
  for (let index = 0; index < count; index++) {
    const step = { conversation_id: 'c1', step_index: index, state: 'DONE' };
    const usage = {
      input_tokens: 12_345 + index,
      output_tokens: 678,
      thinking_tokens: 90,
      cache_read_tokens: 11_000,
      total_tokens: 13_113 + index,
    };
    const update =
      index % 3 === 0
        ? {
            ...step,
            step_type: 'tool',
            tool_name: 'run_command',
            duration_seconds: 0.125,
            usage,
            tool_info: {
              name: 'run_command',
              parameters: { CommandLine: 'npm test', Cwd: '/srv/app' },
              output,
            },
          }
        : {
            ...step,
            step_type: 'agent_response',
            text_delta: 'Some words of the answer — with a dash, and a few more of them. '.repeat(5),
            usage,
          };
    lines.push(JSON.stringify({ event: 'step_update', step_update: update }));
  }
  return `${lines.join('\n')}\n`;
}
