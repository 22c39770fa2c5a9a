import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { InitPayload } from '../../contract/events.ts';
import { readContextFiles } from '../context/context-files.ts';
import { type CustomAgent, findSkills } from '../context/customizations.ts';
import type { Places } from '../context/places.ts';
import { buildSystemPrompt } from '../context/system-prompt.ts';
import { countTurns, deniedSoFar } from '../conversations/history.ts';
import type { Conversation } from '../conversations/store.ts';
import { openImageTools } from '../images/open-images.ts';
import type { McpTools } from '../mcp/open-mcp.ts';
import type { Model } from '../models/types.ts';
import { decide } from '../permissions/decide.ts';
import type { Mode, Policy } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import { createInvokeSubagent } from '../subagents/invoke-subagent.ts';
import { isInside } from '../tools/resolve-path.ts';
import type { Tool } from '../tools/types.ts';
import { createDenials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { RunError } from './failures.ts';
import { createLedger } from './ledger.ts';
import type { PrintOptions } from './options.ts';
import type { Output } from './output.ts';
import { pruneAfter } from './prune-after.ts';
import { createRedaction } from './redact.ts';
import { openRights } from './rights.ts';
import { createSession, type Session } from './session.ts';
import { expandPrompt, type ReadPrompt } from './slash.ts';
import { subagentConversations } from './subagent-conversations.ts';

export interface AssemblyParts {
  options: PrintOptions;
  output: Output;
  diagnostics: Diagnostics;
  places: Places;
  model: Model;
  /** The custom agent that the run is, and all there are. */
  agent: CustomAgent | undefined;
  agents: readonly CustomAgent[];
  conversation: Conversation;
  structured: StructuredOutput | undefined;
  /** Replaces the built-in introduction. */
  introduction: string | undefined;
}

/** A session that is ready for its first turn. */
export interface Assembly {
  session: Session;
  expand: (prompt: string) => ReadPrompt;
  /** What `init` says; with the first prompt, where it is known by then. */
  init: (first: ReadPrompt | undefined) => InitPayload;
  /** Ends what the run left running and lets the conversation go. */
  close: () => Promise<void>;
}

/** What fits in one request: `BATON_CONTEXT_WINDOW` in tokens, else what is known of the model. @throws {RunError} */
function contextWindowOf(model: Model, environment: NodeJS.ProcessEnv): number | undefined {
  const given = environment.BATON_CONTEXT_WINDOW ?? '';
  if (given === '') return model.contextWindow;
  if (/^[1-9]\d{2,8}$/.test(given)) return Number(given);
  throw new RunError(
    `BATON_CONTEXT_WINDOW=${JSON.stringify(given)} is no number of tokens; give one like 32768`,
  );
}

/** `--mode plan` counts as an expanded /plan, as in agy. */
function expandedCommands(
  expanded: ReadPrompt['expanded'],
  mode: Mode,
): Pick<InitPayload, 'expanded_commands'> {
  const plan = mode === 'plan' ? [{ name: 'plan', type: 'system' }] : [];
  const all = expanded && expanded.name !== plan[0]?.name ? [...plan, expanded] : plan;
  return all.length > 0 ? { expanded_commands: all } : {};
}

/** A custom agent may be given fewer tools. A name that no tool has is warned about, not waited for. */
function chooseTools(
  tools: readonly Tool[],
  agent: CustomAgent | undefined,
  diagnostics: Diagnostics,
): readonly Tool[] {
  const wanted = agent?.tools;
  if (!agent || !wanted) return tools;
  const names = tools.map((tool) => tool.declaration.name);
  for (const name of wanted.filter((name) => !names.includes(name))) {
    diagnostics.warn(
      `agent ${agent.name} names the tool "${name}", which does not exist; there are: ${names.join(', ')}`,
    );
  }
  return tools.filter((tool) => wanted.includes(tool.declaration.name));
}

/**
 * The MCP servers of the run. In plan mode none: what they change is not known.
 * @throws {McpConfigError}
 */
async function openMcpTools(parts: AssemblyParts, policy: Policy): Promise<McpTools> {
  const { options, places, conversation, diagnostics } = parts;
  if (options.noMcp || policy.mode === 'plan') return { tools: [], close: async () => {} };
  const { openMcp } = await import('../mcp/open-mcp.ts');
  return await openMcp({
    environment: process.env,
    config: places.config,
    gemini: places.gemini,
    home: places.home,
    workspace: policy.workspace,
    named: options.mcpConfigs,
    conversationId: conversation.id,
    conversationFolder: conversation.artifacts,
    decide: (requests) => decide(policy, requests),
    notice: (message) => diagnostics.warn(message),
  });
}

/**
 * Puts a run together: rights and tools, instructions and skills, and the session over them.
 * @throws {RunError} and what the user's settings and rules can be wrong in
 */
export async function assemble(parts: AssemblyParts): Promise<Assembly> {
  const { options, output, diagnostics, places, model, agent, conversation, structured } = parts;
  const { slashCommands } = options;
  const isNew = options.conversation.kind === 'new' && !options.ephemeral;
  const contextWindow = contextWindowOf(model, process.env);
  const toolbox = await openRights(options, process.env, conversation);
  for (const warning of toolbox.warnings) diagnostics.warn(warning);
  const { policy } = toolbox;
  const images = openImageTools(process.env, {
    runModel: model.id,
    base: policy.workspace[0] ?? options.cwd,
    conversationFolder: conversation.artifacts,
    isEphemeral: options.ephemeral,
  });
  const [contextFiles, skills, mcp] = await Promise.all([
    readContextFiles(places),
    findSkills(places),
    openMcpTools(parts, policy),
  ]);
  const offered = [...toolbox.tools, ...images, ...mcp.tools];
  for (const notice of [...contextFiles.notices, ...skills.notices]) diagnostics.say(`notice: ${notice}`);

  // The model reads a skill's file by itself, which it may only in the workspace; `/name` expands any of them.
  const readableSkills = skills.items.filter(({ path }) =>
    policy.workspace.some((folder) => isInside(path, folder)),
  );
  const systemFor = (introduction: string | undefined): string =>
    buildSystemPrompt({
      introduction,
      workspace: policy.workspace,
      mode: policy.mode,
      sandbox: toolbox.sandbox,
      contextFiles: contextFiles.files,
      skills: readableSkills,
      date: new Date().toISOString().slice(0, 10),
      platform: process.platform,
    });
  let isPlanTurn = false;
  const ledger = createLedger(model.price);
  const denials = createDenials(deniedSoFar(conversation.branch));
  const onNoTools = (message: string): void =>
    diagnostics.warn(`${model.id} takes no tools; the run goes on without them (${message})`);
  const rules = {
    caps: options.caps,
    ledger,
    denials,
    decide: (requests: Parameters<typeof decide>[1]) =>
      decide(isPlanTurn ? { ...policy, mode: 'plan' } : policy, requests),
    redact: createRedaction(process.env),
    onNoTools,
  };
  const subagents = createInvokeSubagent({
    model,
    contextWindow,
    effort: options.effort,
    hooks: rules,
    ledger,
    notice: (text) => diagnostics.say(`notice: ${text}`),
    agents: parts.agents,
    tools: offered,
    systemFor,
    ...subagentConversations(options, conversation),
    workspaceUris: policy.workspace.map((folder) => pathToFileURL(folder).href),
  });
  const tools = [
    ...chooseTools([...offered, subagents], agent, diagnostics),
    ...(structured ? [structured.tool] : []),
  ];
  const session = createSession({
    ...rules,
    conversation,
    cwd: options.cwd,
    model,
    system: systemFor(parts.introduction ?? agent?.introduction),
    tools,
    effort: options.effort,
    contextWindow,
    output,
    diagnostics,
    timeoutMs: options.timeoutMs,
    pastTurns: countTurns(conversation.branch),
    structured,
    onTurn: ({ isPlan }) => {
      isPlanTurn = isPlan;
    },
    now: () => performance.now(),
  });

  return {
    session,
    expand: (prompt) => expandPrompt(prompt, slashCommands ? skills.items : [], slashCommands),
    init: (first) => ({
      cwd: options.cwd,
      tools: tools.map((tool) => tool.declaration.name),
      permission_mode: policy.permissionMode,
      ...((options.model !== undefined || model.notice !== undefined) && { model: model.id }),
      ...(options.agent !== undefined && { agent: options.agent }),
      ...(structured && { json_schema: structured.schema }),
      ...expandedCommands(first?.expanded, policy.mode),
    }),
    async close() {
      const left = toolbox.running();
      if (left.length > 0) {
        const lines = left.map(({ commandLine }) => commandLine).join('; ');
        diagnostics.say(`terminating ${left.length} daemon task(s) on exit: ${lines}`);
      }
      await Promise.all([toolbox.close(), mcp.close()]);
      conversation.close();
      if (isNew) await pruneAfter(conversation, diagnostics);
      if (options.ephemeral) rmSync(conversation.artifacts, { recursive: true, force: true });
    },
  };
}
