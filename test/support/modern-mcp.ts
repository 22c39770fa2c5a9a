import { isFields } from '../../src/contract/fields.ts';
import type { RawServer } from './raw-mcp.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';

/** The `_meta` of a request of revision 2026-07-28. */
export function envelope(capabilities: Record<string, unknown> = {}, name = 'raw'): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

export interface ModernClient {
  /** The result, or the error, of a request. */
  ask(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  call(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** Speaks the newest revision to a server by hand: what a client of it sends, and nothing that a library adds. */
export function modernClient(server: RawServer, capabilities: Record<string, unknown> = {}): ModernClient {
  let last = 0;
  const ask: ModernClient['ask'] = async (method, params = {}) => {
    const id = `modern-${Object.keys(capabilities).length}-${++last}`;
    const reply = await server.request(id, method, { ...params, _meta: envelope(capabilities) });
    const answer = reply.result ?? reply.error;
    return isFields(answer) ? answer : {};
  };
  return { ask, call: (tool, args = {}) => ask('tools/call', { name: tool, arguments: args }) };
}
