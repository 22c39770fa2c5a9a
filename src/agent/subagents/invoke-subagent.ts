import { addUsage, emptyUsage } from '../../contract/events.ts';
import { type Fields, isFields } from '../../contract/fields.ts';
import type { CustomAgent } from '../context/customizations.ts';
import type { Conversation } from '../conversations/store.ts';
import { readArguments } from '../tools/arguments.ts';
import { type Tool, ToolInputError } from '../tools/types.ts';
import { runSubagent, type SubagentResult, type SubagentRun } from './run-subagent.ts';
import type { SubagentEntry, SubagentOutcome } from './types.ts';

/** A subagent may call subagents down to this depth; the run itself is depth 0. */
export const MAX_DEPTH = 3;
/** Subagents of one call. */
export const MAX_FAN_OUT = 6;

/** What the built-in `research` may use: nothing that changes anything. */
const RESEARCH_TOOLS = ['view_file', 'list_dir', 'find_by_name', 'grep_search', 'read_url_content'];
const RESEARCH = `You are a research agent, called by another agent to find something out. Look, read and search; change \
nothing. Your last message is all that the caller gets: give what was found, with file paths and line numbers, and say \
what you could not find.`;
const SELF = `You are an agent, called by another agent to do one part of its work. You know only what this prompt says. \
Your last message is all that the caller gets: say what you found or changed, exactly, and what is left.`;

export interface SubagentHost
  extends Pick<SubagentRun, 'model' | 'contextWindow' | 'effort' | 'hooks' | 'ledger' | 'notice'> {
  /** Custom agents that may be called. */
  agents: readonly CustomAgent[];
  /** The parent's tools, without this one. */
  tools: readonly Tool[];
  /** The system prompt for an introduction. */
  systemFor: (introduction: string) => string;
  /** A fresh conversation below the parent's. */
  openConversation: (agent: string) => Conversation;
  /** Where a conversation's records are, as an URI; undefined when nothing is kept. */
  logUri: (conversationId: string) => string | undefined;
  workspaceUris: readonly string[];
}

interface Asked {
  typeName: string;
  role: string;
  prompt: string;
}

interface Kind {
  introduction: string;
  tools: readonly Tool[];
}

function readAsked(args: Fields): Asked[] {
  const list = readArguments(args).list('Subagents');
  if (list.length === 0) throw new ToolInputError('Subagents must be a list with at least one subagent');
  if (list.length > MAX_FAN_OUT) {
    throw new ToolInputError(
      `${list.length} subagents at once are too many; at most ${MAX_FAN_OUT} can be called`,
    );
  }
  return list.map((entry) => {
    const given = readArguments(isFields(entry) ? entry : {});
    const prompt = given.optionalText('Prompt')?.trim() ?? '';
    if (prompt === '') {
      throw new ToolInputError('each of Subagents must have a Prompt, the whole task in words');
    }
    return {
      typeName: given.optionalText('TypeName') || 'self',
      role: given.optionalText('Role') ?? '',
      prompt,
    };
  });
}

function findKind(host: SubagentHost, typeName: string, ownTools: readonly Tool[]): Kind {
  const pick = (names: readonly string[]): Tool[] =>
    ownTools.filter((tool) => names.includes(tool.declaration.name));
  const custom = host.agents.find(({ name, isSubagent }) => isSubagent && name === typeName);
  if (custom)
    return { introduction: custom.introduction, tools: custom.tools ? pick(custom.tools) : ownTools };
  if (typeName === 'self') return { introduction: SELF, tools: ownTools };
  if (typeName === 'research') return { introduction: RESEARCH, tools: pick(RESEARCH_TOOLS) };
  const names = [
    'self',
    'research',
    ...host.agents.filter((agent) => agent.isSubagent).map(({ name }) => name),
  ];
  throw new ToolInputError(`there is no agent "${typeName}"; there are: ${names.join(', ')}`);
}

function reportOf({ typeName, role }: Asked, { text, failure }: SubagentResult): string {
  const title = `## ${role === '' ? typeName : `${role} (${typeName})`}`;
  if (failure === undefined) return `${title}\n\n${text.trim()}`;
  return `${title}\n\nIt failed: ${failure}.${text.trim() === '' ? '' : ` So far it had said:\n\n${text.trim()}`}`;
}

const shown = ({ typeName, role, prompt }: Asked): Fields => ({
  TypeName: typeName,
  Role: role,
  Prompt: prompt,
});

function describe(agents: readonly CustomAgent[]): string {
  const custom = agents
    .filter(({ isSubagent, isHidden }) => isSubagent && !isHidden)
    .map(({ name, description }) => `- ${name}: ${description}`);
  return [
    'Hands parts of the work to other agents, which run side by side, and gives their answers. They know nothing of this ' +
      'conversation, so each Prompt must hold all they need. TypeName is one of:',
    '- self: has the tools you have',
    '- research: finds things out, changes nothing',
    ...custom,
  ].join('\n');
}

/** `invoke_subagent` at a depth. The tools of a subagent include it again, down to {@link MAX_DEPTH}. */
export function createInvokeSubagent(host: SubagentHost, depth = 0): Tool {
  const childTools =
    depth + 1 < MAX_DEPTH ? [...host.tools, createInvokeSubagent(host, depth + 1)] : [...host.tools];

  const runOne = async (
    asked: Asked,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<{ asked: Asked; id: string; result: SubagentResult }> => {
    const conversation = host.openConversation(asked.typeName);
    const result = await runSubagent({
      ...host,
      conversation,
      system: host.systemFor(kind.introduction),
      prompt: asked.prompt,
      tools: kind.tools,
      signal,
    });
    return { asked, id: conversation.id, result };
  };

  return {
    declaration: {
      name: 'invoke_subagent',
      description: describe(host.agents),
      parameters: {
        type: 'object',
        properties: {
          Subagents: {
            type: 'array',
            description: `One to ${MAX_FAN_OUT} subagents`,
            items: {
              type: 'object',
              properties: {
                TypeName: { type: 'string', description: 'Which agent; self when missing' },
                Role: { type: 'string', description: 'A few words: what this one is for' },
                Prompt: { type: 'string', description: 'The whole task' },
              },
              required: ['Prompt'],
            },
          },
        },
        required: ['Subagents'],
      },
    },
    displayName: 'InvokeSubagent',
    async prepare(args) {
      const tasks = readAsked(args).map((asked) => ({
        asked,
        kind: findKind(host, asked.typeName, childTools),
      }));
      return {
        requests: [],
        parameters: { Subagents: tasks.map(({ asked }) => shown(asked)) },
        async run({ signal }): Promise<SubagentOutcome> {
          const done = await Promise.all(tasks.map(({ asked, kind }) => runOne(asked, kind, signal)));
          const subagents = done.map(({ asked, id }): SubagentEntry => {
            const logUri = host.logUri(id);
            return {
              type_name: asked.typeName,
              role: asked.role,
              initial_prompt: asked.prompt,
              conversation_id: id,
              ...(logUri !== undefined && { log_uri: logUri }),
              workspace_uris: [...host.workspaceUris],
            };
          });
          const failures = done.flatMap(({ result }) => result.failure ?? []);
          const allFailed = failures.length === done.length;
          return {
            output: done.map(({ asked, result }) => reportOf(asked, result)).join('\n\n'),
            isError: allFailed,
            ...(allFailed && { errorMessage: failures.join('; ') }),
            subagents,
            usage: done.reduce((sum, { result }) => addUsage(sum, result.usage), emptyUsage()),
          };
        },
      };
    },
  };
}
