import { liveJobIds } from '../../jobs/job-folder.ts';
import { readStatus } from '../../jobs/read-status.ts';
import { findSupervisor, readRegistered } from '../../jobs/start-supervisor.ts';
import { stateDir } from '../../platform/paths.ts';
import { type FlagTable, parseFlags, UsageError } from '../flags.ts';

const FLAGS: FlagTable = { json: { kind: 'boolean' } };
const SILENT = { onChanged: () => {}, onClosed: () => {} };

interface Report {
  state_dir: string;
  running: boolean;
  pid?: number;
  version?: string;
  jobs_running: number;
  jobs_queued: number;
}

function countJobs(folder: string): Pick<Report, 'jobs_running' | 'jobs_queued'> {
  const states = liveJobIds(folder).map((id) => {
    try {
      return readStatus(folder, id).state;
    } catch {
      return 'unreadable';
    }
  });
  return {
    jobs_running: states.filter((state) => state === 'running').length,
    jobs_queued: states.filter((state) => state === 'queued').length,
  };
}

async function status(folder: string, json: boolean): Promise<number> {
  const connection = await findSupervisor(folder, SILENT);
  const registered = connection && readRegistered(folder);
  const report: Report = {
    state_dir: folder,
    running: connection !== undefined,
    pid: registered?.pid,
    version: registered?.version,
    ...countJobs(folder),
  };
  connection?.close();
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const who = report.running
      ? `running, pid ${report.pid}, version ${report.version}`
      : 'not running (it is started when it is needed)';
    process.stdout.write(
      `supervisor   ${who}\nstate folder ${folder}\njobs         ${report.jobs_running} running, ${report.jobs_queued} queued\n`,
    );
  }
  return 0;
}

async function stop(folder: string, json: boolean): Promise<number> {
  const connection = await findSupervisor(folder, SILENT);
  if (!connection) {
    process.stdout.write(json ? '{"stopped":false}\n' : 'no supervisor runs\n');
    return 0;
  }
  await connection.request({ op: 'leave' });
  connection.close();
  const { jobs_running: left } = countJobs(folder);
  const rest =
    left > 0
      ? `; ${left} run(s) go on without their time limit being kept, until the next command or client starts a supervisor, which adopts them`
      : '';
  process.stdout.write(
    json ? `${JSON.stringify({ stopped: true, jobs_running: left })}\n` : `the supervisor has left${rest}\n`,
  );
  return 0;
}

/** `baton supervisor status|stop`. @returns the exit code */
export async function supervisor(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, FLAGS, { interspersed: true, command: 'supervisor' });
  const [part = 'status', ...rest] = flags.rest;
  if (rest.length > 0)
    throw new UsageError(`supervisor ${part} takes no arguments, got ${JSON.stringify(rest[0])}`);
  const folder = stateDir(process.env);
  if (part === 'status') return status(folder, flags.has('json'));
  if (part === 'stop') return stop(folder, flags.has('json'));
  throw new UsageError(`unknown part ${JSON.stringify(part)}: want supervisor status or supervisor stop`);
}
