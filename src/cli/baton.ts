import { endOnBrokenPipe, runMain } from './exit.ts';
import { parseFlags, UsageError } from './flags.ts';

const COMMANDS = 'serve, run, continue, jobs, wait-job, hook-wait, supervisor, install, setup, doctor, demo';

async function printHelp(topic?: string): Promise<number> {
  const { helpFor } = await import('./help.ts');
  process.stdout.write(helpFor(topic));
  return 0;
}

async function serveMcp(argv: readonly string[]): Promise<number> {
  const { SERVE_FLAGS, serve } = await import('./commands/serve.ts');
  return serve('baton', parseFlags(argv, SERVE_FLAGS, { interspersed: true, command: 'baton serve' }));
}

/** Each command is loaded only when it is the one that was asked for: waiting commands start without the server. */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (rest.includes('--help') || rest.includes('-h')) return printHelp(command);
  switch (command) {
    case 'serve':
      return serveMcp(rest);
    case 'run':
      return (await import('./commands/run.ts')).run(rest);
    case 'continue':
      return (await import('./commands/run.ts')).continueRun(rest);
    case 'jobs':
      return (await import('./commands/jobs.ts')).jobs(rest);
    case 'wait-job':
      return (await import('./commands/wait-job.ts')).waitJob('baton', rest);
    case 'hook-wait':
      return (await import('./commands/hook-wait.ts')).hookWait('baton', rest);
    case 'supervisor':
      return (await import('./commands/supervisor.ts')).supervisor(rest);
    case 'install':
      return (await import('./commands/install.ts')).install(rest);
    case 'setup':
      return (await import('./commands/setup.ts')).setup(rest);
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor(rest);
    case 'demo':
      return (await import('./commands/demo.ts')).demo(rest);
    case 'help':
    case '--help':
    case '-h':
      return printHelp(rest[0]);
    case 'version':
    case '--version':
    case '-v': {
      const { VERSION } = await import('../platform/version.ts');
      process.stdout.write(`${VERSION}\n`);
      return 0;
    }
    case undefined:
      // A client that starts the bare program talks over a pipe; a person sits at a terminal.
      if (process.stdin.isTTY) return printHelp();
      return serveMcp(rest);
    default:
      throw new UsageError(
        `unknown command ${JSON.stringify(command)}: known are ${COMMANDS}; see baton --help`,
      );
  }
}

endOnBrokenPipe();
runMain('baton', () => main(process.argv.slice(2)));
