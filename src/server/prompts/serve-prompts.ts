import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { ServerCore } from '../core.ts';
import { JOB_ID_VARIABLE } from '../resources/serve-resources.ts';
import { jobIds } from './job-values.ts';
import type { PromptArgument, PromptDefinition } from './prompt.ts';

/** Most values that one completion may carry, by the protocol. */
const MOST_VALUES = 100;

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function findPrompt(prompts: readonly PromptDefinition[], name: string): PromptDefinition {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt) return prompt;
  throw invalid(
    `No prompt defined for tool: ${name}; there are ${prompts.map((one) => one.name).join(', ')}`,
  );
}

/** Arguments that say something: an empty one counts as left out. */
function filledIn(
  prompt: PromptDefinition,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value.trim() !== ''));
  const missing = prompt.arguments.filter(({ name, required }) => required && filled[name] === undefined);
  if (missing.length > 0)
    throw invalid(`the prompt ${prompt.name} needs ${missing.map(({ name }) => name).join(', ')}`);
  return filled;
}

async function offered(
  core: ServerCore,
  { values, areChosen }: Pick<PromptArgument, 'values' | 'areChosen'>,
  begun: string,
): Promise<readonly string[]> {
  const all = values ? await values(core, begun) : [];
  if (areChosen) return all;
  const wanted = begun.toLowerCase();
  return all.filter((value) => value.toLowerCase().includes(wanted));
}

/**
 * Serves the recipes and what is offered while their arguments, and those of resources, are typed.
 * @param prompts asked for when a client wants one
 */
export function servePrompts(
  server: Server,
  core: ServerCore,
  prompts: () => readonly PromptDefinition[],
): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts().map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: taken.map((one) => ({
        name: one.name,
        description: one.description,
        required: one.required ?? false,
      })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = findPrompt(prompts(), params.name);
    const text = prompt.text(filledIn(prompt, params.arguments));
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const asked =
      ref.type === 'ref/prompt'
        ? findPrompt(prompts(), ref.name).arguments.find(({ name }) => name === argument.name)
        : argument.name === JOB_ID_VARIABLE
          ? { values: jobIds }
          : undefined;
    const found = await offered(core, asked ?? {}, argument.value);
    return {
      completion: {
        values: found.slice(0, MOST_VALUES),
        total: found.length,
        hasMore: found.length > MOST_VALUES,
      },
    };
  });
}
