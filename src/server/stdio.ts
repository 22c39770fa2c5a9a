import type { Writable } from 'node:stream';
import type { McpRequestContext, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { watchParent } from '../platform/parent-watch.ts';
import type { ServerCore } from './core.ts';
import { createServerFactory } from './create-server.ts';
import { drainedInput } from './drained-input.ts';
import { listenedResources, tapMessages } from './resources/listened.ts';
import { createResourceWatch } from './resources/watch.ts';

/** A message from the client may carry a large prompt; what is larger than this closes the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** After this the process goes, whatever still hangs. */
const LAST_MOMENT_MS = 500;

/**
 * Serves one client over this process's stdin and stdout until it goes: stdin ends, stdout breaks, SIGINT, SIGTERM or
 * SIGHUP comes, or the parent process dies. Jobs live on; the process ends within a second.
 * @param output from `claimStdout`
 * @returns when the client is gone, with the word for the log
 */
export function serveOverStdio(core: ServerCore, output: Writable): Promise<string> {
  return new Promise((resolve) => {
    let active = 0;
    const factory = createServerFactory(core, (change) => {
      active += change;
    });
    /** The one that serves the connection: the last that was made (an earlier one only answered a first question). */
    let serving: Server | undefined;
    const watch = createResourceWatch(core.stateDir, (uri) => {
      serving?.sendResourceUpdated({ uri }).catch(() => {});
    });
    const input = drainedInput(process.stdin, () => active > 0);
    const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
    // The SDK keeps to itself which addresses are listened to; it drops what nobody asked for.
    tapMessages(transport, (message) => listenedResources(message).forEach((uri) => watch.add(uri)));
    const make = (context: McpRequestContext): Server => {
      serving = factory(context);
      return serving;
    };
    const handle = serveStdio(make, {
      transport,
      onerror: (error) => core.log.debug('protocol', { error: error.message.slice(0, 300) }),
    });
    let ending = false;
    const end = (why: string): void => {
      if (ending) return;
      ending = true;
      unwatch();
      watch.close();
      core.log.info('client gone', { why });
      // Nothing of the ending may keep the process: not a stuck pipe, not an open wait.
      setTimeout(() => process.exit(0), LAST_MOMENT_MS).unref();
      void handle.close().then(() => output.end(() => resolve(why)));
    };
    const unwatch = watchParent(() => end('parent process died'));
    input.once('end', () => end('stdin ended'));
    input.once('error', () => end('stdin broke'));
    output.once('error', () => end('stdout broke'));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(signal));
    core.log.info('serving over stdio', { state: core.stateDir });
  });
}
