import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inlineReferences } from '../../../src/relay/inline/inline.ts';
import { realPathOf } from '../../../src/relay/jail/descriptor.ts';
import { programs } from '../../support/jobs.ts';
import { makeTree } from '../support/tree.ts';

const names = ['a.txt', 'b', 'way', 'link', 'deep'];

test('property: no prompt brings a byte of outside the root, whatever links there are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.record({
          at: fc.constantFrom('way', 'link', 'b/way', 'b/link', 'deep/er/link'),
          to: fc.constantFrom(
            'OUT',
            'OUT/secret.txt',
            'OUT/sub',
            '..',
            '../..',
            '/',
            '.',
            'b',
            'way',
            'link',
            '../OUTREL/secret.txt',
            '../a.txt',
            'deep/er',
            'IN/deep',
          ),
        }),
        { selector: (link) => link.at, maxLength: 5 },
      ),
      fc.array(
        fc.tuple(
          fc.constantFrom(
            '@',
            '@"',
            '`@',
            '(@',
            '@./',
            '@OUT/',
            '@IN/',
            '@../',
            '@/',
            '@~/',
            '@OUT',
            '@IN/../',
          ),
          fc.array(
            fc.constantFrom(
              ...names,
              '..',
              '.',
              '*',
              '**',
              'secret.txt',
              'sub',
              '?',
              '[a-z]*',
              '{way,link}',
              'OUTBASE',
            ),
            {
              minLength: 1,
              maxLength: 5,
            },
          ),
          fc.constantFrom('', '"', ':1-2', '`', ')', ',', '/', '\0', '\\'),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      async (links, tokens) => {
        using outside = makeTree({
          'secret.txt': 'OUTSIDE-BYTES',
          'sub/a.txt': 'OUTSIDE-BYTES',
          'a.txt': 'OUTSIDE-BYTES',
        });
        using tree = makeTree({ 'a.txt': 'inside', 'b/a.txt': 'inside', 'deep/er/a.txt': 'inside' });
        const fill = (text: string): string =>
          text
            .replaceAll('OUTREL', outside.path.slice(outside.path.lastIndexOf('/') + 1))
            .replaceAll('OUTBASE', outside.path.slice(1))
            .replaceAll('OUT', outside.path)
            .replaceAll('IN', tree.path);
        tree.link(Object.fromEntries(links.map((link) => [link.at, fill(link.to)])));
        const prompt = fill(
          tokens.map(([open, path, close]) => `${open}${path.join('/')}${close}`).join(' '),
        );
        const result = await inlineReferences({
          prompt,
          root: tree.path,
          rootKind: 'server-folder',
          home: '/nowhere',
          limits: { walkedEntries: 500 },
        });
        expect(result.input).not.toContain('OUTSIDE-BYTES');
        for (const file of result.files) expect(file.realPath.startsWith(`${tree.path}/`)).toBe(true);
        expect(result.refused ? result.input : prompt).toBe(prompt);
      },
    ),
    { numRuns: 300 },
  );
});

test('TRAP 2.8: a link that changes between the check and the read brings nothing of outside', async () => {
  using outside = makeTree({
    'secret.txt': 'OUTSIDE-BYTES',
    'x.txt': 'OUTSIDE-BYTES',
    'outside-name.txt': '',
  });
  using tree = makeTree({ 'flip.txt': 'INSIDE', 'real/x.txt': 'INSIDE', 'solid/x.txt': 'INSIDE' });
  tree.link({ way: 'real' });
  const swapper = spawn(process.execPath, [join(programs, 'swap-links.mjs'), tree.path, outside.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(swapper.stdout, 'data');
    const seen = { refused: 0, inlined: 0 };
    for (let round = 0; round < 2000 && (round < 600 || !seen.refused || !seen.inlined); round += 1) {
      const prompt =
        ['@flip.txt', '@solid/x.txt', '@way/x.txt', '@.', '@solid', '@way/*.txt'][round % 6] ?? '';
      const result = await inlineReferences({
        prompt,
        root: tree.path,
        rootKind: 'declared',
        home: '/nowhere',
      });
      expect(result.input).not.toContain('OUTSIDE-BYTES');
      // Nor the names of what lies there.
      expect(result.input).not.toContain('outside-name');
      if (result.refused) seen.refused += 1;
      else if (result.input.includes('INSIDE')) seen.inlined += 1;
    }
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.inlined).toBeGreaterThan(0);
  } finally {
    swapper.stdin.end();
    await once(swapper, 'exit');
  }
});

test('where the kernel does not name an open file, its inode must be that of the path', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform');
  if (!platform) throw new Error('no platform');
  using outside = makeTree({ 'secret.txt': 'OUTSIDE-BYTES' });
  using tree = makeTree({ 'a.txt': 'INSIDE', 'dir/b.txt': 'INSIDE', other: 'x' });
  tree.link({ 'out.txt': join(outside.path, 'secret.txt'), way: outside.path });
  const handle = await open(join(tree.path, 'a.txt'));
  try {
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    expect(await realPathOf(handle, join(tree.path, 'a.txt'))).toBe(join(tree.path, 'a.txt'));
    expect(await realPathOf(handle, join(tree.path, 'other'))).toBeUndefined();
    expect(await realPathOf(handle, join(tree.path, 'gone'))).toBeUndefined();
    const result = await inlineReferences({
      prompt: '@.',
      root: tree.path,
      rootKind: 'declared',
      home: '/nowhere',
    });
    expect(result.files.map((file) => file.path)).toEqual(['a.txt', 'dir/b.txt', 'other']);
    expect(result.input).not.toContain('OUTSIDE-BYTES');
  } finally {
    Object.defineProperty(process, 'platform', platform);
    await handle.close();
  }
});
