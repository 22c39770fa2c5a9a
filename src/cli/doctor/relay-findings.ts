import type { QuotaBucket, UsageReport } from '../../backends/types.ts';
import { accountState, remainingText, usageProblem } from '../../relay/doctor/account.ts';
import type { RelayHealth } from '../../relay/doctor/health.ts';
import { type Finding, finding } from './finding.ts';

/** What gemini-doctor says, for people: the backend of the gemini-* tools, its account, its deadline. */
export function relayFindings(health: RelayHealth): Finding[] {
  return [choice(health), ...account(health), ...deadline(health)];
}

function choice({ backend, chosenBy, choiceProblem, programs }: RelayHealth): Finding {
  const topic = 'gemini tools';
  if (backend === undefined)
    return finding(topic, 'bad', `${choiceProblem ?? 'no backend'}; correct or unset ${chosenBy}`);
  const why = chosenBy === 'auto-default' ? 'by default' : chosenBy;
  if (programs[backend].path !== undefined)
    return finding(topic, 'good', `go to ${backend} (${why}); gemini-doctor tells a client the same`);
  const isAsked = chosenBy !== 'auto-default';
  return finding(
    topic,
    isAsked ? 'bad' : 'note',
    `would go to ${backend} (${why}), which is not there: install it, or set GEMINI_MCP_BACKEND or BATON_BACKEND to one that is`,
  );
}

/** The bucket with the least left. */
function tightest(usage: UsageReport): { group: string; bucket: QuotaBucket } | undefined {
  if ('problem' in usage) return undefined;
  const all = usage.groups.flatMap(({ name, buckets }) => buckets.map((bucket) => ({ group: name, bucket })));
  const known = all.filter(({ bucket }) => bucket.remaining !== undefined);
  return known.toSorted((a, b) => (a.bucket.remaining ?? 0) - (b.bucket.remaining ?? 0))[0];
}

function account({ usage }: RelayHealth): Finding[] {
  if (!usage) return [];
  const topic = 'agy account';
  const problem = usageProblem(usage);
  if (problem !== undefined) {
    const text = problem.replaceAll('`', '');
    const detail = 'detail' in usage && usage.detail ? ` (${usage.detail.split('\n', 1)[0]})` : '';
    // Only agy's own word that nobody is signed in is certain; a failed question may be the network's fault.
    const isCertain = 'problem' in usage && usage.problem !== 'failed' && usage.problem !== 'unparsable';
    return [finding(topic, isCertain ? 'bad' : 'note', `${text}${detail}`)];
  }
  const least = tightest(usage);
  const where = least ? `${least.group}, ${least.bucket.name}` : '';
  const reset = least?.bucket.resetTime ? `, resets ${least.bucket.resetTime}` : '';
  if (accountState(usage) === 'exhausted')
    return [
      finding(topic, 'note', `signed in, but every quota is used up (${where}${reset}): wait, or use baton`),
    ];
  const left = least ? `; least left: ${remainingText(least.bucket)} of ${where}${reset}` : '';
  return [finding(topic, 'good', `signed in${left}`)];
}

function deadline({ deadline: { problem } }: RelayHealth): Finding[] {
  return problem === undefined ? [] : [finding('deadline', 'note', `${problem}; correct it, such as 45`)];
}
