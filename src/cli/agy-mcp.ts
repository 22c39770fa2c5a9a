import { endOnBrokenPipe, runMain } from './exit.ts';
import { parseFlags } from './flags.ts';

/** What the Go server's own supervisor command has become. */
const RUN_JOB =
  'agy-mcp run-job was how the Go server started its supervisor for one job. Here one supervisor serves all jobs of a state folder and is started on demand; start jobs with the tool agy_run, or with: baton run "prompt"';

async function main(argv: readonly string[]): Promise<number> {
  const [command = '', ...rest] = argv;
  if (command === 'wait-job') return (await import('./commands/wait-job.ts')).waitJob('agy-mcp', rest);
  if (command === 'hook-wait') return (await import('./commands/hook-wait.ts')).hookWait('agy-mcp', rest);
  if (command === 'run-job') {
    process.stderr.write(`${RUN_JOB}\n`);
    return 2;
  }
  if (/^--?h(elp)?$/.test(command)) {
    const { AGY_MCP_HELP } = await import('./help.ts');
    process.stdout.write(AGY_MCP_HELP);
    return 0;
  }
  if (/^--?version$/.test(command)) {
    const { VERSION } = await import('../platform/version.ts');
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  // As with Go's flag package, what follows the flags is of no interest to a bare start.
  const { SERVE_FLAGS, serve } = await import('./commands/serve.ts');
  const table = { ...SERVE_FLAGS, http: { kind: 'string' } } as const;
  return serve('agy-mcp', parseFlags(argv, table, { interspersed: false, command: 'agy-mcp' }));
}

endOnBrokenPipe();
runMain('agy-mcp', () => main(process.argv.slice(2)));
