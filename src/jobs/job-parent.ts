import { RIGHTS, type Rights } from '../backends/headless/rights.ts';
import type { Environment } from '../backends/types.ts';
import { ancestorVariable } from '../platform/ancestors.ts';
import { findRecord, isSafeJobId } from './job-folder.ts';
import { JOB_VARIABLE } from './liveness.ts';

/** Where a new job stands below the job that starts it. */
export interface JobParent {
  jobId?: string;
  /** 0 = started by a person's client. */
  depth: number;
  /** What the parent may do; a child never may more. */
  rights: Rights;
}

/** What a command line lets its agent do: read from the flags that carry it, the same for all backends. */
export function rightsOfArguments(line: readonly string[]): Rights {
  // On builds that take the prompt as an argument it stands behind -p, and may look like any flag.
  const prompt = line.indexOf('-p');
  const args = prompt === -1 ? line : line.slice(0, prompt);
  const mode = args.indexOf('--mode');
  if (args.includes('--mode=plan') || (mode !== -1 && args[mode + 1] === 'plan')) return 'plan';
  return args.includes('--dangerously-skip-permissions') ? 'full' : 'workspace';
}

/** The same environment, its ceiling of rights lowered to what the parent may do. */
export function withParentRights(environment: Environment, ceiling: Rights, parent: JobParent): Environment {
  const lower = RIGHTS.indexOf(parent.rights) < RIGHTS.indexOf(ceiling) ? parent.rights : ceiling;
  return { ...environment, BATON_RIGHTS: lower };
}

/**
 * The job that the caller runs in, if any: by the variable that every run inherits, or, where an agent removed it, by
 * the processes above ours; depth and rights by that job's own record, which no agent can lower.
 */
export function findParent(stateDir: string, environment: Environment): JobParent {
  const id = environment[JOB_VARIABLE] || ancestorVariable(JOB_VARIABLE);
  if (!id || !isSafeJobId(id)) return { depth: 0, rights: 'full' };
  const inherited = Number(environment.BATON_DEPTH);
  const depth = Number.isInteger(inherited) && inherited > 0 ? inherited : 1;
  const record = findRecord(stateDir, id);
  if (!record) return { jobId: id, depth, rights: 'full' };
  return {
    jobId: id,
    depth: Math.max(depth, record.depth + 1),
    rights: rightsOfArguments(record.invocation.args),
  };
}
