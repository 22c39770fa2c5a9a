import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isFields } from '../contract/fields.ts';
import type { ServerCore } from './core.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import type { ToolCall } from './tool-call.ts';

const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

function clientOf(server: Server, context: ServerContext): ToolCall['client'] {
  const envelope: unknown = context.mcpReq.envelope;
  const info = isFields(envelope) ? envelope[CLIENT_INFO_KEY] : server.getClientVersion();
  if (!isFields(info) || typeof info.name !== 'string') return undefined;
  return { name: info.name, version: typeof info.version === 'string' ? info.version : '' };
}

/** Tells the clients of one server process apart; over HTTP without sessions, by what they call themselves. */
function clientKeyOf(context: ServerContext, client: ToolCall['client']): string {
  if (context.sessionId !== undefined) return `session ${context.sessionId}`;
  return context.http ? `http ${client?.name ?? ''} ${client?.version ?? ''}` : 'stdio';
}

function progressOf(context: ServerContext): ProgressReporter | undefined {
  const token = context.mcpReq._meta?.progressToken;
  // 0 and '' are tokens like any other.
  if (token === undefined) return undefined;
  return createProgressReporter(({ progress, message }) =>
    context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress, message },
    }),
  );
}

/** What a tool is told of the call that it serves. */
export function toolCallOf(core: ServerCore, server: Server, context: ServerContext): ToolCall {
  const client = clientOf(server, context);
  return {
    signal: context.mcpReq.signal,
    client,
    clientKey: clientKeyOf(context, client),
    progress: progressOf(context),
    arrivedAt: performance.now(),
    environment: core.environment,
  };
}
