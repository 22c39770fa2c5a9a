import { isFields, textOr } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { findProcesses, signalProcess } from '../../platform/process-tree.ts';
import { randomBytes } from '../../platform/random.ts';
import { childEnvironment, RUN_MARK } from '../tools/child-environment.ts';
import { waitAtMost } from '../tools/wait.ts';
import type { ServerConfig } from './config.ts';
import type { Connection } from './connect.ts';
import { type McpServer, McpServerError, type McpTool } from './types.ts';

/** Longest wait for a server to start. */
const START_MS = 30_000;
/** A server that does not end by itself in this time is killed. */
const END_MS = 2_000;
const NEVER = new AbortController().signal;

export interface ServerHost {
  environment: Readonly<Record<string, string | undefined>>;
  conversationId: string;
  /** Where local servers run. */
  cwd: string;
  /** Called once for a server that cannot be had, with a line for stderr. */
  onDead: (message: string) => void;
}

function readTools(result: unknown): McpTool[] {
  const list: unknown[] = isFields(result) && Array.isArray(result.tools) ? result.tools : [];
  return list.filter(isFields).flatMap((tool) => {
    const name = textOr(tool.name);
    const inputSchema = isFields(tool.inputSchema) ? tool.inputSchema : {};
    return name === '' ? [] : [{ name, description: textOr(tool.description), inputSchema }];
  });
}

/** A server that is started when it is first asked, and again when it has died since. */
export function createMcpServer(config: ServerConfig, host: ServerHost): McpServer {
  const mark = randomBytes(12).toString('hex');
  const closing = new AbortController();
  let connection: Promise<Connection> | undefined;
  let tools: readonly McpTool[] | undefined;
  let wasNamed = false;
  let wasStarted = false;

  const fail = (what: string, error: unknown): McpServerError => {
    const message = `the MCP server "${config.name}" (${config.source}) ${what}: ${errorMessage(error)}`;
    return new McpServerError(message, { cause: error });
  };

  async function open(): Promise<Connection> {
    wasStarted = true;
    // The library is heavy, so it is loaded by the first server that is needed.
    const { connect } = await import('./connect.ts');
    const late = AbortSignal.timeout(START_MS);
    try {
      const opened = await connect(config, {
        environment: childEnvironment(host.environment, host.conversationId, mark),
        cwd: host.cwd,
        timeoutMs: START_MS,
        signal: AbortSignal.any([late, closing.signal]),
      });
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no event target
      opened.client.onclose = () => {
        connection = undefined;
      };
      return opened;
    } catch (error) {
      connection = undefined;
      const failure = late.aborted
        ? fail('did not start', new Error(`no answer within ${START_MS / 1_000} s`))
        : fail('could not be started', error);
      if (!wasNamed && !closing.signal.aborted) host.onDead(failure.message);
      wasNamed = true;
      throw failure;
    }
  }

  /** A start is not broken off by one caller that gives up: another may wait for it. */
  async function connected(signal: AbortSignal): Promise<Connection> {
    if (closing.signal.aborted) throw fail('was ended', new Error('the run is over'));
    connection ??= open();
    const opening = connection;
    opening.catch(() => {});
    await waitAtMost(
      opening.catch(() => {}),
      signal,
    );
    signal.throwIfAborted();
    return await opening;
  }

  return {
    name: config.name,
    async listTools(signal) {
      if (tools) return tools;
      const { client } = await connected(signal);
      try {
        const listed = await client.listTools(undefined, { signal, timeout: START_MS });
        tools = readTools(listed).filter((tool) => config.isOffered(tool.name));
        return tools;
      } catch (error) {
        signal.throwIfAborted();
        throw fail('does not list its tools', error);
      }
    },
    async callTool(name, args, signal) {
      if (!config.isOffered(name)) throw fail('is configured', new Error(`without its tool "${name}"`));
      const { client } = await connected(signal);
      try {
        return await client.request(
          { method: 'tools/call', params: { name, arguments: args } },
          { signal, timeout: config.timeoutMs, resetTimeoutOnProgress: true, onprogress: () => {} },
        );
      } catch (error) {
        signal.throwIfAborted();
        throw fail(`could not run "${name}"`, error);
      }
    },
    async close() {
      if (closing.signal.aborted) return;
      const opened = connection;
      closing.abort();
      if (opened) {
        const ended = opened.then((live) => live.close()).catch(() => {});
        await waitAtMost(ended, NEVER, END_MS);
      }
      if (!wasStarted || config.transport.type === 'http') return;
      for (const found of findProcesses({ marker: `${RUN_MARK}=${mark}` })) signalProcess(found, 'SIGKILL');
    },
  };
}
