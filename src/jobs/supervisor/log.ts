/** One JSON line on stderr, which is the supervisor's log file. No prompts, no environment, no output of agents. */
export function log(
  message: string,
  fields: Record<string, string | number | boolean | undefined> = {},
): void {
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), pid: process.pid, message, ...fields })}\n`,
  );
}
