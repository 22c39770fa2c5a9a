import { startModelServer } from '../../test/support/models/server.ts';
import type { Bench, Measure } from '../harness/bench.ts';
import { type Command, canMeasurePeak, nodeCommand, peakMb, wallMs } from '../harness/programs.ts';
import { atMostTimes, type Result, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

const WIRES = ['chat', 'responses', 'google', 'anthropic'] as const;
const MODELS = {
  chat: 'openai/mock-1',
  responses: 'openai/gpt-6-mock',
  google: 'google/gemini-3-mock',
  anthropic: 'anthropic/claude-opus-4-6-mock',
};
const NAMES = {
  chat: 'chat completions',
  responses: 'OpenAI responses',
  google: 'Gemini',
  anthropic: 'Anthropic',
};

async function peaks(bench: Bench, commands: Readonly<Record<string, Command>>): Promise<Result[]> {
  if (!canMeasurePeak()) {
    return [{ what: 'peak memory', skipped: 'GNU time is not installed (Debian package "time")' }];
  }
  const folder = bench.newFolder('peaks');
  const values = await interleave(
    bench.rounds(7),
    Object.fromEntries(
      Object.entries(commands).map(([name, command]) => [name, () => peakMb(command, folder)]),
    ),
  );
  const against = { what: '`node -e 0`', values: values('node') };
  return WIRES.map((wire) =>
    row(`\`baton-agent -p hi\`, ${NAMES[wire]}, peak memory`, 'MB', values(wire), {
      against,
      target: atMostTimes(1.6),
    }),
  );
}

/** One prompt, one streamed reply, over each wire: a whole run of the built-in agent. */
export const agentStart: Measure = {
  name: 'agent-start',
  title: 'One reply of `baton-agent -p hi` over http',
  async run(bench) {
    const home = bench.newFolder('home');
    const server = await startModelServer(() => ({ text: ['hello'] }));
    try {
      const commands: Record<string, Command> = {
        node: nodeCommand(['-e', '0'], { cwd: home, env: bench.environment(home) }),
      };
      for (const wire of WIRES) {
        commands[wire] = nodeCommand([bench.dist('baton-agent.js'), '--model', MODELS[wire], '-p', 'hi'], {
          cwd: home,
          env: bench.environment(home, server.environment(wire)),
          expect: 'hello',
        });
      }
      const values = await interleave(
        bench.rounds(25),
        Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, () => wallMs(command)])),
      );
      const against = { what: '`node -e 0`', values: values('node') };
      return [
        ...WIRES.map((wire) =>
          row(`\`baton-agent -p hi\`, ${NAMES[wire]}`, 'ms', values(wire), {
            against,
            target: atMostTimes(3.3),
          }),
        ),
        ...(await peaks(bench, commands)),
      ];
    } finally {
      await server.close();
    }
  },
};
