import { readCapabilities } from '../capabilities.ts';
import { type Answer, askProgram, briefly, createProbe, fileStamp, type Program } from '../probe.ts';
import type { Capabilities, Environment } from '../types.ts';
import { formatVersion, parseVersion, type VersionTriple } from '../version.ts';

const VERSION_TIMEOUT_MS = 10_000;
const HELP_TIMEOUT_MS = 4000;
const HELP_PROBLEM_MS = 60_000;

const versions = createProbe<VersionTriple>(0);
const helps = createProbe<Capabilities>(HELP_PROBLEM_MS);

function stampOf(program: Program): string {
  return [program.path, ...program.leadingArgs].map(fileStamp).join('\0\0');
}

/**
 * The version of a program, from `--version` within 10 s; whatever code it exits with, its output counts. A version is
 * remembered until the file changes, a problem never.
 * @param label how the program is called in messages.
 */
export function askVersion(
  program: Program,
  label: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<Answer<VersionTriple>> {
  const determine = `determine version of ${label} at ${program.path}`;
  const question = async (): Promise<Answer<VersionTriple>> => {
    const asked = await askProgram(program, ['--version'], environment, VERSION_TIMEOUT_MS);
    if ('problem' in asked) return { problem: `${determine}: ${asked.problem}` };
    const { ending, stdout, stderr } = asked.value;
    const output = `${stdout}\n${stderr}`.trim();
    if (ending !== 'exit') {
      const printed = output === '' ? 'it printed nothing' : `it printed ${JSON.stringify(briefly(output))}`;
      return { problem: `${determine}: ${label} --version did not complete within 10s: ${printed}` };
    }
    const value = parseVersion(output);
    if (value) return { value };
    const shown = JSON.stringify(briefly(output));
    return { problem: `parse ${label} version from ${shown} (${program.path}): no version number found` };
  };
  return versions
    .ask(stampOf(program), question, signal)
    .then((answer) =>
      'problem' in answer && answer.problem === 'cancelled'
        ? { problem: `${determine}: ${label} --version was cancelled: the caller gave up` }
        : answer,
    );
}

/** The help text of a program, from stdout and stderr, within 4 s. */
export async function askHelpText(
  program: Program,
  label: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<Answer<string>> {
  const asked = await askProgram(program, ['--help'], environment, HELP_TIMEOUT_MS, signal);
  if ('problem' in asked) return asked;
  const { ending, stdout, stderr } = asked.value;
  if (ending === 'cancelled') return { problem: 'the caller gave up' };
  if (ending === 'timeout') return { problem: `${label} --help did not complete within 4s` };
  const text = [stdout, stderr]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n');
  return text === '' ? { problem: `${label} --help printed nothing` } : { value: text };
}

/**
 * What a program's `--help` advertises. Remembered until the file changes; that it told nothing is remembered for a
 * minute.
 */
export function askCapabilities(
  program: Program,
  label: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<Answer<Capabilities>> {
  const question = async (): Promise<Answer<Capabilities>> => {
    const help = await askHelpText(program, label, environment);
    if ('problem' in help) return help;
    const value = readCapabilities(help.value);
    return value ? { value } : { problem: `${label} --help named none of the flags of a headless agent` };
  };
  return helps.ask(stampOf(program), question, signal);
}

/** A version in messages and results; '' for none. */
export function versionText(version: VersionTriple | undefined): string {
  return version ? formatVersion(version) : '';
}
