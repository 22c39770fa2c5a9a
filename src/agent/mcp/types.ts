/** A tool as its server describes it. */
export interface McpTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
}

/** A server could not be started or asked. The message names it and the cause. */
export class McpServerError extends Error {
  override name = 'McpServerError';
}

/** One configured server, started when it is first needed. */
export interface McpServer {
  readonly name: string;
  /** Its tools, as far as the configuration offers them. @throws {McpServerError} */
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  /** The answer as the protocol has it. @throws {McpServerError}; the signal's reason when aborted */
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** Ends it. Idempotent, never rejects. */
  close(): Promise<void>;
}
