import { type Backend, BackendError, type Environment, type RunRequest } from '../../backends/types.ts';
import type { Fields } from '../../contract/fields.ts';
import { normalizeFolder } from '../../jobs/start-run.ts';
import { resolveImageTarget } from '../image/image-target.ts';
import { checkReferences, inlineReferences } from '../inline/inline.ts';
import { chooseRoot, openRoot } from '../jail/root.ts';
import type { RelayContext } from '../replies/relay-context.ts';
import type { RelayRunTool } from '../replies/run-tools.ts';
import { relayDeadline } from './deadline.ts';
import { relayTask } from './task.ts';

export interface RelayCall {
  tool: RelayRunTool;
  /** Checked against the tool's schema. */
  args: Fields;
  backend: Backend;
  environment: Environment;
  /** The folder that the server was started in. */
  serverFolder: string;
  /** The server is shared by many clients, so its folder is nobody's project. */
  http: boolean;
  /** Ends the reading of files; nothing is started then. */
  signal?: AbortSignal;
}

export interface PreparedRun {
  request: RunRequest;
  /** What the form of the answer needs later. */
  context: RelayContext;
  /** The first words of progress. */
  startMessage: string;
}

/**
 * Everything that comes before a relay run is started: checks that cost nothing first, then the tool's prompt, then the
 * files that it references. Nothing is started and nothing is written.
 * @throws {BackendError} that says what is wrong with the call.
 */
export async function prepareRun(call: RelayCall): Promise<PreparedRun> {
  const { tool, args, backend, environment } = call;
  const task = relayTask(tool, args, backend);
  const imageProblem = tool === 'gemini-image' ? backend.imageProblem?.(environment) : undefined;
  if (imageProblem !== undefined) throw new BackendError(imageProblem);
  refuseUnknownConversation(call, task.request.conversationId);
  const { root, rootKind } = chooseRoot(call);
  // Where a project was declared the agent works in it: the names in the prompt mean files there.
  const cwd = normalizeFolder(rootKind === 'declared' ? root : '.', call.serverFolder);
  if (tool === 'gemini-image') await checkImageTarget(root, rootKind, args.outputPath);

  const references = { prompt: task.text, root, rootKind, signal: call.signal };
  // The legacy CLI reads files itself; here it is only seen to that none lies outside.
  const inlined =
    backend.name === 'gemini'
      ? { input: task.text, notices: [], files: [], refused: await checkReferences(references) }
      : await inlineReferences(references);
  if (inlined.refused !== undefined) throw new BackendError(inlined.refused);

  return {
    request: {
      ...task.request,
      prompt: task.prompt,
      input: inlined.input,
      cwd,
      dirs: task.dirs.map((dir) => normalizeFolder(dir, cwd)),
      timeoutMs: relayDeadline(environment).ms,
    },
    context: {
      root: normalizeFolder(root, call.serverFolder),
      sent: args.changeMode === true ? inlined.files : [],
      notices: inlined.notices,
    },
    startMessage: task.startMessage,
  };
}

function refuseUnknownConversation(call: RelayCall, id: string | undefined): void {
  if (id === undefined || call.backend.hasConversation(call.environment, id) !== false) return;
  throw new BackendError(
    `conversation ${JSON.stringify(id)} is not known to ${call.backend.name}: gemini-conversations lists the ones there are; leave conversationId out to begin a fresh one`,
  );
}

async function checkImageTarget(root: string, rootKind: string, outputPath: unknown): Promise<void> {
  if (typeof outputPath !== 'string' || outputPath.trim() === '') return;
  if (rootKind === 'none') {
    throw new BackendError(
      'outputPath needs a project folder, and this server has none: it is shared over HTTP. Set BATON_ROOT where it is started, or leave outputPath out',
    );
  }
  await resolveImageTarget(await openRoot(root), outputPath);
}
