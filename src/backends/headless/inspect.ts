import type { Program } from '../probe.ts';
import { BackendError, type Environment, type ProgramReport } from '../types.ts';
import { formatVersion } from '../version.ts';
import { headlessProbe } from './probe-headless.ts';

/**
 * What can be said of a program without using it: where it is, which version, which flags. For the doctor, so it never
 * throws and judges nothing.
 * @param find throws a BackendError when there is none.
 */
export async function inspectProgram(
  find: () => Program,
  label: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<ProgramReport> {
  let program: Program;
  try {
    program = find();
  } catch (error) {
    if (error instanceof BackendError) return { problem: error.message };
    throw error;
  }
  const [version, help] = await Promise.all([
    headlessProbe.version(program, label, environment, signal),
    headlessProbe.capabilities(program, label, environment, signal),
  ]);
  const report: ProgramReport = { path: program.leadingArgs[0] ?? program.path };
  if ('value' in version) report.version = formatVersion(version.value);
  else report.problem = version.problem;
  if ('value' in help) report.capabilities = help.value;
  else report.helpProblem = help.problem;
  return report;
}
