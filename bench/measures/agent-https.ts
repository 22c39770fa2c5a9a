import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../../test/support/models/server.ts';
import type { Measure } from '../harness/bench.ts';
import { nodeCommand, wallMs } from '../harness/programs.ts';
import { atMostTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

/** The same over https, which every real provider speaks. */
export const agentHttps: Measure = {
  name: 'agent-https',
  title: 'One reply of `baton-agent -p hi` over https',
  async run(bench) {
    const home = bench.newFolder('home');
    const certificates = join(bench.root, 'test/support/certificates');
    const cert = join(certificates, 'models.test-cert.pem');
    const server = await startModelServer(() => ({ text: ['hello'] }), {
      tls: {
        key: readFileSync(join(certificates, 'models.test-key.pem'), 'utf8'),
        cert: readFileSync(cert, 'utf8'),
      },
    });
    try {
      // The certificate is for a name, which is not looked up here; how that is checked makes no difference in time.
      const env = bench.environment(home, {
        ...server.environment('chat'),
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_NO_WARNINGS: '1',
      });
      const rest = { cwd: home, env, expect: 'hello' };
      const ours = nodeCommand([bench.dist('baton-agent.js'), '--model', 'openai/mock-1', '-p', 'hi'], rest);
      const bare = nodeCommand(
        [bench.program('https-request.cjs'), `${server.url}/v1/chat/completions`],
        rest,
      );
      const values = await interleave(bench.rounds(25), {
        ours: () => wallMs(ours),
        bare: () => wallMs(bare),
      });
      return [
        row('`baton-agent -p hi`, https', 'ms', values('ours'), {
          against: { what: 'a bare `node:https` request', values: values('bare') },
          target: atMostTimes(1.6),
        }),
      ];
    } finally {
      await server.close();
    }
  },
};
