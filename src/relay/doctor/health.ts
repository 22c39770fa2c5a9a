import { selectBackend } from '../../backends/select.ts';
import {
  BACKEND_NAMES,
  type BackendName,
  type Environment,
  type ProgramReport,
  type UsageReport,
} from '../../backends/types.ts';
import { errorMessage } from '../../platform/errors.ts';
import { type RelayDeadline, relayDeadline } from '../run/deadline.ts';

/** Everything that decides whether the relay tools work, as it is now. */
export interface RelayHealth {
  node: string;
  system: string;
  /** The backend of the relay tools; undefined = the choice is wrong (`choiceProblem`). */
  backend?: BackendName;
  /** What chose it. */
  chosenBy: 'BATON_BACKEND' | 'GEMINI_MCP_BACKEND' | 'auto-default';
  choiceProblem?: string;
  programs: Record<BackendName, ProgramReport>;
  /** Sign-in and quota of agy's account; undefined = not asked. */
  usage?: UsageReport;
  deadline: RelayDeadline;
}

function chosenBy(environment: Environment): RelayHealth['chosenBy'] {
  if (environment.BATON_BACKEND?.trim()) return 'BATON_BACKEND';
  return environment.GEMINI_MCP_BACKEND?.trim() ? 'GEMINI_MCP_BACKEND' : 'auto-default';
}

function choice(environment: Environment): Pick<RelayHealth, 'backend' | 'choiceProblem'> {
  try {
    return { backend: selectBackend(environment, { forRelay: true }).backend.name };
  } catch (error) {
    return { choiceProblem: errorMessage(error) };
  }
}

async function inspect(
  name: BackendName,
  environment: Environment,
  signal?: AbortSignal,
): Promise<ProgramReport> {
  return selectBackend(environment, { requested: name, forRelay: true }).backend.inspect(environment, signal);
}

/**
 * Looks at what the relay needs: the three programs, the choice between them, agy's account where agy is chosen. Costs no
 * tokens, changes nothing, never throws, and takes a dozen seconds at the most, whatever hangs.
 */
export async function relayHealth(environment: Environment, signal?: AbortSignal): Promise<RelayHealth> {
  const chosen = choice(environment);
  const asksUsage = chosen.backend === 'agy';
  const agy = selectBackend(environment, { requested: 'agy', forRelay: true }).backend;
  const [reports, usage] = await Promise.all([
    Promise.all(BACKEND_NAMES.map(async (name) => [name, await inspect(name, environment, signal)] as const)),
    asksUsage ? agy.usage?.(environment, signal) : undefined,
  ]);
  const found = new Map(reports);
  const report = (name: BackendName): ProgramReport => found.get(name) ?? {};
  return {
    node: process.version,
    system: `${process.platform} (${process.arch})`,
    ...chosen,
    chosenBy: chosenBy(environment),
    programs: { agy: report('agy'), gemini: report('gemini'), baton: report('baton') },
    ...(usage && report('agy').path !== undefined && { usage }),
    deadline: relayDeadline(environment),
  };
}
