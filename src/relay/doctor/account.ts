import type { QuotaBucket, UsageReport } from '../../backends/types.ts';

/** How an account stands, in the end. */
export type AccountState = 'good' | 'exhausted' | 'unclear' | 'signed_out';

/** By what the answer says: agy ends with 0 also when it is signed out or out of quota. */
export function accountState(usage: UsageReport): AccountState {
  if ('problem' in usage) return usage.problem === 'unparsable' ? 'unclear' : 'signed_out';
  const buckets = usage.groups.flatMap((group) => group.buckets);
  return buckets.every((bucket) => bucket.remaining === 0) ? 'exhausted' : 'good';
}

/** `83%`, or `unknown` where no number was told. */
export function remainingText(bucket: QuotaBucket): string {
  return bucket.remaining === undefined ? 'unknown' : `${Math.round(bucket.remaining * 100)}%`;
}

const SIGN_IN = 'Run `agy` once interactively to sign in.';

type Problem = Extract<UsageReport, { problem: unknown }>;

const PROBLEMS: Record<Problem['problem'], (usage: Problem) => string> = {
  unparsable: () =>
    '`/usage` returned output this tool could not parse, so the account could not be verified.',
  status: ({ status }) =>
    `\`/usage\` reported status \`${status ?? ''}\` — most likely signed out. ${SIGN_IN}`,
  no_groups: () => `\`/usage\` returned no quota groups, so nobody seems to be signed in. ${SIGN_IN}`,
  no_buckets: () => `\`/usage\` returned no quota buckets, so nobody seems to be signed in. ${SIGN_IN}`,
  failed: () => `Login check failed — most likely signed out, offline, or out of quota. ${SIGN_IN}`,
};

/** What is wrong with an answer to `/usage`; undefined = nothing. */
export function usageProblem(usage: UsageReport): string | undefined {
  return 'problem' in usage ? PROBLEMS[usage.problem](usage) : undefined;
}
