import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { isFields } from '../../contract/fields.ts';

/** The official tasks extension (SEP-2663, of revision 2026-07-28): a tool call may answer with a handle to be polled. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const MISSING_CAPABILITY = -32_021;

/** Whether the client of this request takes tasks. One that does not say so never gets one. */
export function takesTasks(context: ServerContext): boolean {
  const envelope: unknown = context.mcpReq.envelope;
  const capabilities = isFields(envelope) ? envelope[CLIENT_CAPABILITIES] : undefined;
  const extensions = isFields(capabilities) ? capabilities.extensions : undefined;
  return isFields(extensions) && isFields(extensions[TASKS_EXTENSION]);
}

/** What a request of the extension gets that does not declare it. */
export function missingExtension(): ProtocolError {
  return new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}
