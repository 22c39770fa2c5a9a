import {
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isFields } from '../../contract/fields.ts';
import { ToolError } from '../tool.ts';

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const KEY = 'confirm';

/** Whether the client can put a question to its person. `{}` means forms, as the first revisions had nothing else. */
function canAsk(server: Server, context: ServerContext): boolean {
  const envelope: unknown = context.mcpReq.envelope;
  const declared = isFields(envelope) ? envelope[CLIENT_CAPABILITIES] : server.getClientCapabilities();
  const elicitation = isFields(declared) ? declared.elicitation : undefined;
  if (!isFields(elicitation)) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/**
 * Has a question confirmed by the person at the client.
 * @returns undefined once it was; else what is to be answered to the call, so that the client asks and calls again
 * @throws {ToolError} when the person said no, or the client cannot ask: then nothing is started
 */
export function confirmWithPerson(
  server: Server,
  context: ServerContext,
  question: string,
): InputRequiredResult | undefined {
  const answer: unknown = context.mcpReq.inputResponses?.[KEY];
  if (isFields(answer)) {
    if (answer.action === 'accept') return undefined;
    throw new ToolError(
      'The person did not confirm this run, so it was not started. Do not try again unless they ask for it; a run with mode "plan" only reads and needs no confirmation.',
    );
  }
  if (!canAsk(server, context)) {
    throw new ToolError(
      'BATON_CONFIRM=1 wants a person to confirm this run, and this client cannot ask one (it declares no elicitation): nothing was started. Use mode "plan", which only reads; or have the operator set BATON_RIGHTS=workspace, or unset BATON_CONFIRM for this client.',
    );
  }
  return inputRequired({
    inputRequests: {
      // No fields to fill in: to accept is the answer.
      [KEY]: inputRequired.elicit({ message: question, requestedSchema: { type: 'object', properties: {} } }),
    },
  });
}
