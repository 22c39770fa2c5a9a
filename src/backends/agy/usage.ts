import { isFields, textOr } from '../../contract/fields.ts';
import { findEnvelope } from '../headless/list-models.ts';
import { askProgram, briefly, type Program } from '../probe.ts';
import type { Environment, QuotaBucket, QuotaGroup, UsageReport } from '../types.ts';

const TIMEOUT_MS = 10_000;

function readBucket(value: unknown): QuotaBucket[] {
  if (!isFields(value)) return [];
  const bucket: QuotaBucket = {
    name: textOr(value.name) || textOr(value.window),
    window: textOr(value.window),
  };
  const remaining = value.remaining_fraction;
  if (typeof remaining === 'number' && Number.isFinite(remaining)) bucket.remaining = remaining;
  if (typeof value.reset_time === 'string') bucket.resetTime = value.reset_time;
  return [bucket];
}

function readGroups(envelope: Record<string, unknown>): QuotaGroup[] | undefined {
  const command = isFields(envelope.command) ? envelope.command : {};
  const groups = isFields(command.data) ? command.data.groups : undefined;
  if (!Array.isArray(groups)) return undefined;
  return groups.filter(isFields).map((group) => ({
    name: textOr(group.name),
    buckets: Array.isArray(group.buckets) ? group.buckets.flatMap(readBucket) : [],
  }));
}

/**
 * Whether the account is signed in and what is left of each quota, from agy's own `/usage`, which costs nothing and is
 * answered without a model. agy exits with 0 whatever it has to say, so the answer itself decides. Never throws.
 */
export async function readAgyUsage(
  program: Program,
  environment: Environment,
  signal?: AbortSignal,
): Promise<UsageReport> {
  const args = ['-p', '/usage', '--output-format', 'json'];
  const asked = await askProgram(program, args, environment, TIMEOUT_MS, signal);
  if ('problem' in asked) return { problem: 'failed', detail: asked.problem };
  const { ending, code, stdout, stderr } = asked.value;
  if (ending !== 'exit') return { problem: 'failed', detail: `agy -p /usage: ${ending} (limit 10s)` };
  const envelope = findEnvelope(stdout);
  if (!envelope) {
    const detail = briefly(stderr || stdout);
    return { problem: code === 0 ? 'unparsable' : 'failed', detail };
  }
  if (envelope.status !== 'SUCCESS') {
    return { problem: 'status', detail: textOr(envelope.error), status: textOr(envelope.status) };
  }
  const groups = readGroups(envelope);
  if (!groups || groups.length === 0) return { problem: 'no_groups' };
  if (groups.every((group) => group.buckets.length === 0)) return { problem: 'no_buckets' };
  return { groups };
}
