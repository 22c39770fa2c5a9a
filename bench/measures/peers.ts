import { join } from 'node:path';
import { startModelServer } from '../../test/support/models/server.ts';
import type { Measure } from '../harness/bench.ts';
import { installPeer, PEERS, peerVersion, writeSettings } from '../harness/peers.ts';
import { type Command, canMeasurePeak, nodeCommand, peakMb, runToEnd, wallMs } from '../harness/programs.ts';
import { type Result, row } from '../harness/rows.ts';
import { interleave, quantile } from '../harness/samples.ts';

/** Nothing may leave the machine; what does not heed proxies must not have been told of an address. */
const NO_OUTSIDE = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
};

/** The same question to the headless agents of others. */
export const peers: Measure = {
  name: 'peers',
  title: 'One reply of the peers’ headless agents, against `baton-agent -p hi`',
  async run(bench) {
    const { peers: folder } = bench;
    if (folder === undefined)
      return PEERS.map(({ name }) => ({ what: name, skipped: 'not installed: use --peers' }));
    const server = await startModelServer(() => ({ text: ['hello'] }));
    const results: Result[] = [];
    try {
      const ours = bench.newFolder('home');
      const commands: Record<string, Command> = {
        node: nodeCommand(['-e', '0'], { cwd: ours, env: bench.environment(ours) }),
        ours: nodeCommand([bench.dist('baton-agent.js'), '--model', 'openai/mock-1', '-p', 'hi'], {
          cwd: ours,
          env: bench.environment(ours, server.environment('chat')),
          expect: 'hello',
        }),
      };
      const labels = new Map<string, string>();
      for (const peer of PEERS) {
        bench.say(`  ${peer.name}: ${peer.package}`);
        const home = bench.newFolder(peer.name);
        const { files, environment } = peer.settings(server.url);
        writeSettings(home, files);
        const command: Command = {
          program: join(folder, peer.name, 'node_modules', '.bin', peer.bin),
          args: peer.args,
          cwd: bench.newFolder('work'),
          env: bench.environment(home, { ...NO_OUTSIDE, ...environment }),
          expect: 'hello',
          limitMs: 60_000,
        };
        try {
          const problem = installPeer(peer, folder);
          if (problem !== undefined) throw new Error(problem);
          await runToEnd(command);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          bench.say(`  ${peer.name}: ${reason}`);
          results.push({ what: peer.name, skipped: reason.split('\n')[0]?.replaceAll('|', '/') ?? '' });
          continue;
        }
        commands[peer.name] = command;
        labels.set(peer.name, `${peer.name} ${peerVersion(peer, folder)}`);
      }
      const names = [...labels.keys()];
      const runs = (measure: (command: Command) => Promise<number>) =>
        Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, () => measure(command)]));
      const wall = await interleave(bench.rounds(10), runs(wallMs));
      const median = (name: string): number => quantile(wall(name), 0.5);
      const fastest = [...names].sort((a, b) => median(a) - median(b))[0];
      if (fastest !== undefined) {
        results.push(
          row('`baton-agent -p hi`', 'ms', wall('ours'), {
            against: { what: `the fastest, ${labels.get(fastest)}`, values: wall(fastest) },
            target: { of: 'ratio', atMost: 0.6 },
          }),
        );
      }
      const node = { what: '`node -e 0`', values: wall('node') };
      for (const name of names)
        results.push(row(labels.get(name) ?? name, 'ms', wall(name), { against: node }));
      if (!canMeasurePeak()) {
        results.push({ what: 'peak memory', skipped: 'GNU time is not installed (Debian package "time")' });
        return results;
      }
      const place = bench.newFolder('peaks');
      const peak = await interleave(
        bench.rounds(5),
        runs((command) => peakMb(command, place)),
      );
      const base = { what: '`node -e 0`', values: peak('node') };
      const leanest = [...names].sort((a, b) => quantile(peak(a), 0.5) - quantile(peak(b), 0.5))[0];
      if (leanest !== undefined) {
        results.push(
          row('`baton-agent -p hi`, peak memory', 'MB', peak('ours'), {
            against: { what: `the leanest, ${labels.get(leanest)}`, values: peak(leanest) },
            target: { of: 'ratio', atMost: 1 },
          }),
        );
      }
      for (const name of names)
        results.push(row(`${labels.get(name) ?? name}, peak memory`, 'MB', peak(name), { against: base }));
      return results;
    } finally {
      await server.close();
    }
  },
};
