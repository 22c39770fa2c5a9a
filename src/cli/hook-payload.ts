import { isFields, parseJson } from '../contract/fields.ts';

/** What hook-wait needs of a PostToolUse payload. */
export interface HookPayload {
  toolName: string;
  /** Undefined = the payload names none. */
  jobId?: string;
  state?: string;
}

const MAX_DEPTH = 32;
const MAX_NODES = 1_048_576;

interface Budget {
  nodes: number;
}

/**
 * The first string that stands under a key, depth first. An object's own field decides, an empty one included: nothing
 * deeper is looked at then. Text that names the key is read as JSON and looked through as well.
 */
function findString(value: unknown, key: string, depth: number, budget: Budget): string | undefined {
  if (depth > MAX_DEPTH || budget.nodes <= 0) return undefined;
  budget.nodes--;
  if (typeof value === 'string') {
    if (!value.includes(`"${key}"`)) return undefined;
    const inner = parseJson(value);
    return typeof inner === 'object' ? findString(inner, key, depth + 1, budget) : undefined;
  }
  if (Array.isArray(value)) return findInEach(value, key, depth, budget);
  if (!isFields(value)) return undefined;
  const own = Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof own === 'string') return own;
  return findInEach(Object.values(value), key, depth, budget);
}

function findInEach(
  values: readonly unknown[],
  key: string,
  depth: number,
  budget: Budget,
): string | undefined {
  for (const value of values) {
    const found = findString(value, key, depth + 1, budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Structured content is the surer source; text of the content comes second, the rest of the response last. */
function findInResponse(response: unknown, key: string): string | undefined {
  const sources: unknown[] = isFields(response)
    ? [response.structuredContent, response.content, response]
    : [response];
  for (const source of sources) {
    if (source === undefined) continue;
    const found = findString(source, key, 0, { nodes: MAX_NODES });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads a payload, or undefined when it is no JSON object. */
export function readHookPayload(text: string): HookPayload | undefined {
  const value = parseJson(text);
  if (!isFields(value)) return undefined;
  return {
    toolName: typeof value.tool_name === 'string' ? value.tool_name : '',
    jobId: findInResponse(value.tool_response, 'job_id') || undefined,
    state: findInResponse(value.tool_response, 'state'),
  };
}
