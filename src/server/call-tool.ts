import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Fields } from '../contract/fields.ts';
import { isTerminal } from '../contract/outcome.ts';
import { errorMessage } from '../platform/errors.ts';
import { toolCallOf } from './call-context.ts';
import { checkArguments } from './check-arguments.ts';
import { confirmWithPerson } from './confirm/confirm.ts';
import { wantsConfirmation } from './confirm/question.ts';
import type { ServerCore } from './core.ts';
import { jobAnswer } from './job-answer.ts';
import { takesTasks } from './tasks/extension.ts';
import { taskOf } from './tasks/serve-tasks.ts';
import type { ToolDefinition } from './tool.ts';
import type { ToolCall } from './tool-call.ts';
import { errorResult, knowsLinks, toResult } from './tool-result.ts';

/** The call as a task: its job is begun (or found), and the client asks for it from then on. Undefined = it is none. */
async function answerWithTask(
  core: ServerCore,
  start: NonNullable<ToolDefinition['startTask']>,
  args: Fields,
  call: ToolCall,
): Promise<CallToolResult | undefined> {
  const status = await start(args, call);
  if (!status) return undefined;
  if (isTerminal(status.state)) return toResult(await jobAnswer(core, call.environment, status), true);
  // The SDK knows no task handle: to its types this is a result without content (see BatonServer).
  return { resultType: 'task', ...taskOf(core, status), content: [] };
}

/** A tool call from its arguments to what goes over the wire; faults of the call are results that say so. */
export async function callTool(
  core: ServerCore,
  server: Server,
  tool: ToolDefinition,
  given: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const checked = checkArguments(given, tool.inputSchema);
  if (!checked.ok) {
    return errorResult(tool.wording?.invalid(checked.fault) ?? `validating "arguments": ${checked.fault}`);
  }
  const args = checked.arguments;
  const call = toolCallOf(core, server, context);
  try {
    const question = wantsConfirmation(call.environment) ? tool.question?.(args) : undefined;
    const asked = question === undefined ? undefined : confirmWithPerson(server, context, question);
    if (asked) return asked;
    const task =
      tool.startTask && takesTasks(context)
        ? await answerWithTask(core, tool.startTask, args, call)
        : undefined;
    if (task) return task;
    return toResult(await tool.run(args, call), knowsLinks(server.getNegotiatedProtocolVersion()));
  } catch (error) {
    const message = errorMessage(error);
    core.log.info('tool call failed', { tool: tool.name, error: message.slice(0, 300) });
    return errorResult(tool.wording?.failed(message) ?? message);
  }
}
