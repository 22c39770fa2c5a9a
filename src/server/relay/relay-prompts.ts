import { BACKEND_NAMES } from '../../backends/types.ts';
import type { PromptArgument, PromptDefinition } from '../prompts/prompt.ts';
import type { PropertySchema, ToolDefinition } from '../tool.ts';
import { conversationIds, folders, paths, references, relayModelIds } from './prompt-values.ts';

type Values = PromptArgument['values'];

/** What is offered for an argument by its name, whatever the tool. */
const VALUES: Readonly<Record<string, Values>> = {
  prompt: references,
  task: references,
  context: references,
  existingContext: references,
  model: relayModelIds,
  conversationId: conversationIds,
  outputPath: paths,
  addDirs: folders,
  backend: () => BACKEND_NAMES,
};

/** Those that look at what was typed themselves. */
const CHOSEN: ReadonlySet<Values> = new Set([references, paths, folders]);

function valuesOf(name: string, schema: PropertySchema): Values {
  const { enum: choices } = schema;
  if (choices) return () => choices;
  return schema.type === 'boolean' ? () => ['true', 'false'] : VALUES[name];
}

/** The argument that the words of a call begin with. */
const MAIN = ['prompt', 'task'];

/** `Use the <tool> tool: <what> (key: value) [flag]`; a flag that is off is left out. */
function callText(tool: string, given: Readonly<Record<string, string>>): string {
  const main = MAIN.map((name) => given[name]).find((value) => value !== undefined);
  const others = Object.entries(given)
    .filter(([name, value]) => !MAIN.includes(name) && value !== 'false')
    .map(([name, value]) => (value === 'true' ? ` [${name}]` : ` (${name}: ${value})`));
  return `Use the ${tool} tool${main === undefined ? '' : `: ${main}`}${others.join('')}`;
}

function promptOf(tool: ToolDefinition): PromptDefinition {
  const { properties, required = [] } = tool.inputSchema;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    arguments: Object.entries(properties).map(([name, schema]) => {
      const values = valuesOf(name, schema);
      return {
        name,
        description: schema.description,
        required: required.includes(name),
        ...(values && { values, areChosen: CHOSEN.has(values) }),
      };
    }),
    text: (given) => callText(tool.name, given),
  };
}

/** Each relay tool as a prompt of the same name: what a person picks in the client to have the tool called. */
export function relayPrompts(tools: Iterable<ToolDefinition>): PromptDefinition[] {
  return [...tools].filter((tool) => tool.name.startsWith('gemini-')).map(promptOf);
}
