import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';

/**
 * The SDK's server, which knows no tasks: it makes every result of a tool call look like one of a finished tool, and so
 * would give a task handle an empty `content`. (SDK 2.4.0; when it learns the extension, this class goes.)
 */
export class BatonServer extends Server {
  protected override _wrapHandler(
    method: string,
    handler: (request: JSONRPCRequest, context: ServerContext) => Promise<Result>,
  ): (request: JSONRPCRequest, context: ServerContext) => Promise<Result> {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return wrapped;
    return async (request, context) => {
      const result = await wrapped(request, context);
      if (result.resultType !== 'task') return result;
      const { content: _empty, ...task } = result;
      return task;
    };
  }
}
