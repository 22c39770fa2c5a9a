import { isTerminal } from '../../contract/outcome.ts';
import type { ServerCore } from '../core.ts';

const MOST = 100;
const MODELS_KEPT_MS = 60_000;

/** Ids of jobs, newest first. */
export async function jobIds(core: ServerCore): Promise<string[]> {
  const jobs = await (await core.jobs()).list({ limit: MOST });
  return jobs.map(({ record }) => record.id);
}

/** Ids of jobs that have not ended, newest first; where there is none, of all. */
export async function liveJobIds(core: ServerCore): Promise<string[]> {
  const jobs = await (await core.jobs()).list({ limit: MOST });
  const live = jobs.filter(({ status }) => !isTerminal(status.state));
  return (live.length > 0 ? live : jobs).map(({ record }) => record.id);
}

const lists = new WeakMap<ServerCore, { at: number; models: Promise<string[]> }>();

/** Models of the configured agent, asked for at most once a minute; none where it cannot be asked. */
export function modelIds(core: ServerCore): Promise<string[]> {
  const known = lists.get(core);
  if (known && performance.now() - known.at < MODELS_KEPT_MS) return known.models;
  const models = core
    .backend(undefined)
    .then((backend) => backend.listModels(core.environment))
    .then((list) => list.map(({ id }) => id))
    .catch((): string[] => []);
  lists.set(core, { at: performance.now(), models });
  return models;
}
