import { readCapabilities } from '../capabilities.ts';
import {
  type Answer,
  askProgram,
  briefly,
  CANCELLED,
  createProbe,
  fileStamp,
  type Program,
} from '../probe.ts';
import type { Capabilities, Environment } from '../types.ts';
import { formatVersion, parseVersion, type VersionTriple } from '../version.ts';

/** Time limits of the questions, and how long a `--help` that ran into its limit is remembered; milliseconds. */
export interface ProbeLimits {
  versionMs: number;
  helpMs: number;
  helpProblemMs: number;
}

export interface HeadlessProbe {
  /**
   * The version of a program, from `--version`; whatever code it exits with, its output counts. A version is remembered
   * until the file changes, a problem never.
   * @param label how the program is called in messages.
   */
  version(
    program: Program,
    label: string,
    environment: Environment,
    signal?: AbortSignal,
  ): Promise<Answer<VersionTriple>>;
  /**
   * What a program's `--help` advertises. Remembered until the file changes. A failure is not remembered, save one that
   * ran into the time limit, for a minute: else each run would wait for it again.
   */
  capabilities(
    program: Program,
    label: string,
    environment: Environment,
    signal?: AbortSignal,
  ): Promise<Answer<Capabilities>>;
  /** The help text itself, asked anew each time. */
  helpText(
    program: Program,
    label: string,
    environment: Environment,
    signal?: AbortSignal,
  ): Promise<Answer<string>>;
}

const LIMITS: ProbeLimits = { versionMs: 10_000, helpMs: 4000, helpProblemMs: 60_000 };

function stampOf(program: Program): string {
  return [program.path, ...program.leadingArgs].map(fileStamp).join('\0\0');
}

async function askVersion(
  program: Program,
  label: string,
  environment: Environment,
  timeoutMs: number,
): Promise<Answer<VersionTriple>> {
  const determine = `determine version of ${label} at ${program.path}`;
  const asked = await askProgram(program, ['--version'], environment, timeoutMs);
  if ('problem' in asked) return { problem: `${determine}: ${asked.problem}` };
  const { ending, stdout, stderr } = asked.value;
  const output = `${stdout}\n${stderr}`.trim();
  if (ending !== 'exit') {
    const printed = output === '' ? 'it printed nothing' : `it printed ${JSON.stringify(briefly(output))}`;
    const limit = `${timeoutMs / 1000}s`;
    return { problem: `${determine}: ${label} --version did not complete within ${limit}: ${printed}` };
  }
  const value = parseVersion(output);
  if (value) return { value };
  const shown = JSON.stringify(briefly(output));
  return { problem: `parse ${label} version from ${shown} (${program.path}): no version number found` };
}

async function askHelpText(
  program: Program,
  label: string,
  environment: Environment,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Answer<string>> {
  const asked = await askProgram(program, ['--help'], environment, timeoutMs, signal);
  if ('problem' in asked) return asked;
  const { ending, stdout, stderr } = asked.value;
  if (ending === 'cancelled') return { problem: CANCELLED };
  if (ending === 'timeout') {
    return { problem: `${label} --help did not complete within ${timeoutMs / 1000}s`, slow: true };
  }
  const text = [stdout, stderr]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n');
  return text === '' ? { problem: `${label} --help printed nothing` } : { value: text };
}

/** A probe with caches of its own. */
export function createHeadlessProbe(limits: ProbeLimits = LIMITS): HeadlessProbe {
  const versions = createProbe<VersionTriple>(0);
  const helps = createProbe<Capabilities>(limits.helpProblemMs);
  return {
    async version(program, label, environment, signal) {
      const question = () => askVersion(program, label, environment, limits.versionMs);
      const answer = await versions.ask(stampOf(program), question, signal);
      if (!('problem' in answer) || answer.problem !== CANCELLED) return answer;
      return {
        problem: `determine version of ${label} at ${program.path}: ${label} --version was cancelled: ${CANCELLED}`,
      };
    },
    capabilities(program, label, environment, signal) {
      const question = async (): Promise<Answer<Capabilities>> => {
        const help = await askHelpText(program, label, environment, limits.helpMs);
        if ('problem' in help) return help;
        const value = readCapabilities(help.value);
        return value ? { value } : { problem: `${label} --help named none of the flags of a headless agent` };
      };
      return helps.ask(stampOf(program), question, signal);
    },
    helpText: (program, label, environment, signal) =>
      askHelpText(program, label, environment, limits.helpMs, signal),
  };
}

/** The probe that the backends of one process share. */
export const headlessProbe: HeadlessProbe = createHeadlessProbe();

/** A version in messages and results; '' for none. */
export function versionText(version: VersionTriple | undefined): string {
  return version ? formatVersion(version) : '';
}
