import { type Fields, isFields } from '../../contract/fields.ts';

const OUR_PROGRAM = /(^|[\\/])(baton|agy-mcp)(\.(js|cmd|exe))?$|^baton-mcp(@|$)/;

/** Whether an entry starts this server, however it was installed. */
export function isOurs(entry: unknown): boolean {
  if (!isFields(entry)) return false;
  return [entry.command, entry.args]
    .flat()
    .some((word) => typeof word === 'string' && OUR_PROGRAM.test(word));
}

/**
 * A new entry over an old one of ours: what a person or the client added to it (approvals, a switch, variables) stays.
 * @param environmentKey where the entry keeps its variables
 */
export function mergeEntry(existing: unknown, entry: Fields, environmentKey: string): Fields {
  if (!isFields(existing)) return entry;
  const old = existing[environmentKey];
  const fresh = entry[environmentKey];
  const environment = { ...(isFields(old) ? old : {}), ...(isFields(fresh) ? fresh : {}) };
  const merged: Fields = { ...existing, ...entry };
  if (Object.keys(environment).length > 0) merged[environmentKey] = environment;
  return merged;
}
