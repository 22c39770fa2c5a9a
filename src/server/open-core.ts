import { explicitAgyProblem, findAgy } from '../backends/agy/find-agy.ts';
import { rightsCeiling } from '../backends/headless/rights.ts';
import { BackendError, type Environment } from '../backends/types.ts';
import type { JobsClient } from '../jobs/client.ts';
import { maxJobs, outputLimitBytes } from '../jobs/run-limits.ts';
import { errorMessage } from '../platform/errors.ts';
import { stateDir } from '../platform/paths.ts';
import { relayDeadline } from '../relay/run/deadline.ts';
import { wantsConfirmation } from './confirm/question.ts';
import type { ServerCore } from './core.ts';
import { createLog, isLogLevel, type Log } from './log.ts';
import { parseToolSets, type ToolSet } from './tool-sets.ts';

/** The configuration cannot be used; the server does not start. The message is for whoever configures it. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/** The log of a server process: JSON lines on stderr, plain words where a person watches. */
export function openLog(name: string, environment: Environment): Log {
  const level = environment.BATON_LOG || 'info';
  if (!isLogLevel(level)) {
    throw new ConfigurationError(
      `config: BATON_LOG ${JSON.stringify(level)}: want debug, info, warn, error or off`,
    );
  }
  return createLog({
    name,
    level,
    plain: process.stderr.isTTY,
    write: (line) => process.stderr.write(line),
  });
}

/** What is wrong in the environment is said at the start, not at the first call. */
function checkConfiguration(environment: Environment): void {
  const problem = explicitAgyProblem(environment);
  if (problem !== undefined) throw new ConfigurationError(problem);
  try {
    rightsCeiling(environment);
    wantsConfirmation(environment);
    maxJobs(environment);
    outputLimitBytes(environment);
  } catch (error) {
    if (error instanceof BackendError) throw new ConfigurationError(`config: ${error.message}`);
    throw error;
  }
}

function readToolSets(value: string | undefined): readonly ToolSet[] {
  try {
    return parseToolSets(value);
  } catch (error) {
    throw new ConfigurationError(errorMessage(error));
  }
}

/** A missing agy is no reason not to start: it may be installed later, and discovery works without it. */
function warnWithoutAgy(environment: Environment, log: Log): void {
  const choice = environment.BATON_BACKEND?.trim().toLowerCase();
  if (choice && choice !== 'agy' && choice !== 'antigravity') return;
  try {
    findAgy(environment, false);
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    log.warn(error.message);
  }
}

/**
 * Makes what all connections of a server share. Touches no job, probes no program and opens no connection: those come
 * with the first call that needs them.
 * @throws {ConfigurationError}
 */
export function openCore(options: {
  name: 'baton' | 'agy-mcp';
  environment: Environment;
  cwd: string;
  /** The value of `--tools`; undefined = all. */
  tools?: string;
  http?: boolean;
}): {
  core: ServerCore;
  close(): Promise<void>;
} {
  const { name, environment, cwd } = options;
  const log = openLog(name, environment);
  checkConfiguration(environment);
  const toolSets = readToolSets(options.tools);
  warnWithoutAgy(environment, log);
  const { problem } = relayDeadline(environment);
  if (problem !== undefined && toolSets.includes('relay')) log.warn(problem);
  const folder = stateDir(environment, name);
  let client: Promise<JobsClient> | undefined;
  const core: ServerCore = {
    name,
    environment,
    cwd,
    stateDir: folder,
    toolSets,
    http: options.http ?? false,
    log,
    jobs() {
      client ??= import('../jobs/client.ts').then(({ createJobsClient }) =>
        createJobsClient({ stateDir: folder }),
      );
      return client;
    },
    async backend(requested) {
      const { selectBackend } = await import('../backends/select.ts');
      return selectBackend(environment, { requested }).backend;
    },
    async relayBackend(requested) {
      const { selectBackend } = await import('../backends/select.ts');
      return selectBackend(environment, { requested, forRelay: true });
    },
  };
  return {
    core,
    async close() {
      if (client) (await client).close();
    },
  };
}
