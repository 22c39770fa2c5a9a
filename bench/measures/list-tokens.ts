import type { Measure } from '../harness/bench.ts';
import { openHouse } from '../harness/house.ts';
import { atMost, row } from '../harness/rows.ts';

/** Tools that run and follow jobs; the rest are the relay's. */
const JOB_TOOLS = /^(agy_\w+|list_models|list_sessions)$/;
/**
 * Characters a token: what OpenAI's o200k_base makes of these texts (4.4), counted once. A tokenizer is not installed for
 * it: the usual one is 30 MB.
 */
const CHARACTERS = 4.4;

const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARACTERS);

function isTool(value: unknown): value is { name: string; description: string; inputSchema: object } {
  return typeof value === 'object' && value !== null && 'name' in value && 'inputSchema' in value;
}

/** What the list of tools costs a model in every conversation. */
export const listTokens: Measure = {
  name: 'list-tokens',
  title: `Size of \`tools/list\`, in tokens of ${CHARACTERS} characters`,
  async run(bench) {
    const house = openHouse(bench, 'instant-agent.sh');
    try {
      const server = await house.serve();
      const { tools } = await server.request('tools/list', {});
      if (!Array.isArray(tools)) throw new Error('tools/list gave no list');
      const all = tools.filter(isTool);
      const seen = all.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const jobs = seen.filter(({ name }) => JOB_TOOLS.test(name));
      const outputs = tools.flatMap((tool: { outputSchema?: object }) => tool.outputSchema ?? []);
      return [
        row(`all ${seen.length} tools: names, descriptions, input schemas`, 'tokens', tokens(seen), {
          target: atMost(4500),
        }),
        row(`the ${jobs.length} job tools of them`, 'tokens', tokens(jobs), { target: atMost(1800) }),
        row('output schemas, which clients do not show to models', 'tokens', tokens(outputs)),
        row('the whole reply', 'tokens', tokens(tools)),
      ];
    } finally {
      await house.close();
    }
  },
};
