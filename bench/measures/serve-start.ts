import type { Measure } from '../harness/bench.ts';
import { initializeMs } from '../harness/mcp-server.ts';
import { nodeCommand, wallMs } from '../harness/programs.ts';
import { atMostTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

/** The wait of every client at its start: until the server has said hello. */
export const serveStart: Measure = {
  name: 'serve-start',
  title: 'Start of `baton serve` to its reply to `initialize`',
  async run(bench) {
    const home = bench.newFolder('home');
    const env = bench.environment(home, { AGY_MCP_AGY_PATH: bench.program('instant-agent.sh') });
    const rest = { cwd: home, env };
    const node = nodeCommand(['-e', '0'], rest);
    const ours = nodeCommand([bench.dist('baton.js'), 'serve'], rest);
    const smallest = nodeCommand([bench.program('smallest-server.mjs')], rest);
    const values = await interleave(bench.rounds(25), {
      node: () => wallMs(node),
      ours: () => initializeMs(ours),
      smallest: () => initializeMs(smallest),
    });
    const floor = { what: '`node -e 0`', values: values('node') };
    return [
      row('`baton serve`', 'ms', values('ours'), { against: floor, target: atMostTimes(2.6) }),
      row('`baton serve`', 'ms', values('ours'), {
        against: { what: 'smallest server on the same SDK, unbundled', values: values('smallest') },
        target: atMostTimes(0.4),
      }),
      row('smallest server', 'ms', values('smallest'), { against: floor }),
    ];
  },
};
