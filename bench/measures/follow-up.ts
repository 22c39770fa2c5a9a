import { spawn } from 'node:child_process';
import { startModelServer } from '../../test/support/models/server.ts';
import type { Measure } from '../harness/bench.ts';
import { end, nodeCommand, runToEnd } from '../harness/programs.ts';
import { atMostTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

/** A second question: to the process that answered the first, or to a new one on the same conversation. */
export const followUp: Measure = {
  name: 'follow-up',
  title: 'A follow-up turn of `baton-agent`',
  async run(bench) {
    const home = bench.newFolder('home');
    const server = await startModelServer(() => ({ text: ['hello'] }));
    const env = bench.environment(home, server.environment('chat'));
    const agent = [bench.dist('baton-agent.js'), '--model', 'openai/mock-1', '--output-format'];
    const child = spawn(process.execPath, [...agent, 'stream-json', '--input-format', 'stream-json'], {
      cwd: home,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      let waiting: (() => void) | undefined;
      let rest = '';
      child.stdout.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('{"event":"result"')) waiting?.();
      });
      const turn = async (): Promise<number> => {
        const from = performance.now();
        const done = new Promise<void>((resolve, reject) => {
          waiting = resolve;
          child.once('exit', (code) => reject(new Error(`the session ended with ${code}`)));
        });
        child.stdin.write(`${JSON.stringify({ event: 'user', message: { content: 'hi again' } })}\n`);
        await done;
        child.removeAllListeners('exit');
        return performance.now() - from;
      };
      await turn();
      const first = nodeCommand([...agent, 'json', '-p', 'hi'], { cwd: home, env, expect: 'hello' });
      const { stdout } = await runToEnd(first);
      const envelope: { conversation_id?: string } = JSON.parse(stdout);
      const next = nodeCommand(
        [...agent, 'text', '--conversation', String(envelope.conversation_id), '-p', 'hi again'],
        { cwd: home, env, expect: 'hello' },
      );
      const values = await interleave(bench.rounds(25), {
        session: turn,
        process: async () => (await runToEnd(next)).ms,
      });
      return [
        row('turn in the running process', 'ms', values('session'), {
          against: { what: 'new process with `--conversation`', values: values('process') },
          target: atMostTimes(0.3),
        }),
      ];
    } finally {
      await end(child);
      await server.close();
    }
  },
};
