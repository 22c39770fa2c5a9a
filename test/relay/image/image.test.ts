import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { JobStatus } from '../../../src/jobs/types.ts';
import { sniffImage } from '../../../src/platform/image-format.ts';
import { findRunImage, type ImageSearch, namedPaths } from '../../../src/relay/image/find-image.ts';
import { imageContent } from '../../../src/relay/image/image-content.ts';
import { nameForFormat, resolveImageTarget } from '../../../src/relay/image/image-target.ts';
import { openRoot } from '../../../src/relay/jail/root.ts';
import { finishImage } from '../../../src/relay/replies/image-reply.ts';
import { makeTree, PNG_HEAD, type Tree } from '../support/tree.ts';

const JPEG_HEAD = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1]);

/** A folder of a run's conversation and a project, with images of different age in them. */
function stage(): {
  brain: Tree;
  project: Tree;
  old: Date;
  search(reply: string): Partial<ImageSearch> & ImageSearch;
} & Disposable {
  const brain = makeTree();
  const project = makeTree({ 'src/a.ts': 'code' });
  const startedAt = Date.now() - 5000;
  return {
    brain,
    project,
    old: new Date(startedAt - 10_000),
    search: (reply) => ({ reply, ownFolders: [brain.path], sharedFolders: [project.path], startedAt }),
    [Symbol.dispose]() {
      brain[Symbol.dispose]();
      project[Symbol.dispose]();
    },
  };
}

test('formats are told by content, whatever the name', () => {
  expect(sniffImage(PNG_HEAD)?.mimeType).toBe('image/png');
  expect(sniffImage(JPEG_HEAD)?.mimeType).toBe('image/jpeg');
  expect(sniffImage(Buffer.from('GIF89a......'))?.mimeType).toBe('image/gif');
  expect(sniffImage(Buffer.from('RIFF\0\0\0\0WEBPVP8 '))?.mimeType).toBe('image/webp');
  expect(sniffImage(Buffer.from('RIFF\0\0\0\0WAVE'))).toBeUndefined();
  expect(sniffImage(new Uint8Array())).toBeUndefined();
});

test('TRAP 6: paths in a reply, also file addresses and plain paths of POSIX', () => {
  const reply =
    'Done: ![x](file:///a/b%20c.png) and [y](</d/e f.jpg>), `/g/h.webp`, "/i/j.jpeg". C:\\k\\l.png https://x/m.png n.txt';
  expect(namedPaths(reply)).toEqual(['/a/b c.png', '/d/e f.jpg', '/g/h.webp', '/i/j.jpeg', 'C:\\k\\l.png']);
});

describe('TRAP 6: only an image of this run is taken', () => {
  test("the one that the reply names, in the run's folder or the project", async () => {
    using s = stage();
    s.brain.write({ 'one.png': PNG_HEAD, 'two.png': PNG_HEAD });
    s.project.write({ 'out/three.png': PNG_HEAD });
    const path = join(s.brain.path, 'one.png');
    expect((await findRunImage(s.search(`![i](${pathToFileURL(path).href})`)))?.path).toBe(path);
    expect((await findRunImage(s.search(`saved to ${path}.`)))?.path).toBe(path);
    expect((await findRunImage(s.search('![i](out/three.png)')))?.path).toBe(
      join(s.project.path, 'out/three.png'),
    );
  });

  test("without a name the newest in the run's folder, never one of the project", async () => {
    using s = stage();
    s.project.write({ 'fresh.png': PNG_HEAD });
    expect(await findRunImage(s.search('Here it is.'))).toBeUndefined();
    s.brain.write({ 'a/first.png': PNG_HEAD, 'second.jpg': JPEG_HEAD });
    utimesSync(join(s.brain.path, 'a/first.png'), new Date(), new Date(Date.now() - 1000));
    expect((await findRunImage(s.search('Here it is.')))?.path).toBe(join(s.brain.path, 'second.jpg'));
  });

  test('not an older one, not one elsewhere on the disk, not through a link, not what is no image', async () => {
    using s = stage();
    using elsewhere = makeTree({ 'private.png': PNG_HEAD });
    s.brain.write({ 'old.png': PNG_HEAD, 'text.png': 'not an image' });
    utimesSync(join(s.brain.path, 'old.png'), s.old, s.old);
    s.brain.link({ 'link.png': join(elsewhere.path, 'private.png') });
    const named = ['old.png', 'text.png', 'link.png'].map((name) => `![x](${join(s.brain.path, name)})`);
    expect(
      await findRunImage(s.search(`${named.join(' ')} ![y](${join(elsewhere.path, 'private.png')})`)),
    ).toBeUndefined();
  });
});

describe('where the copy goes is checked before the paid call', () => {
  test.each([
    ['../x.png', 'escapes the project workspace directory'],
    ['/etc/x.png', 'escapes the project workspace directory'],
    ['~/x.png', 'escapes the project workspace directory'],
    ['way/x.png', 'escapes the project workspace directory'],
    ['way/new/x.png', 'escapes the project workspace directory'],
    ['link.png', 'escapes the project workspace directory'],
    ['src/a.ts', 'must name an image file (.png, .jpg, .jpeg, .gif, .webp)'],
    ['src', 'is a folder; name the file'],
    ['.', 'must name an image file (.png, .jpg, .jpeg, .gif, .webp)'],
    ['src/a.ts/x.png', 'cannot be made: "src/a.ts" is no folder'],
    ['fake.png', 'names a file that is no image; it is not replaced'],
    ['.git/x.png', 'lies in version control data'],
    ['dangling/x.png', 'cannot be made: "dangling" is no folder'],
  ])('%s', async (outputPath, why) => {
    using elsewhere = makeTree({ 'y.png': PNG_HEAD });
    using project = makeTree({ 'src/a.ts': 'code', 'fake.png': 'text', '.git/config': '' });
    project.link({ way: elsewhere.path, 'link.png': join(elsewhere.path, 'y.png'), dangling: '/no/where' });
    const root = await openRoot(project.path, '/nowhere');
    await expect(resolveImageTarget(root, outputPath)).rejects.toThrow(
      `Invalid outputPath: "${outputPath}" ${why}.`,
    );
  });

  test('TRAP 6: legal names that only look bad, and no name at all', async () => {
    using project = makeTree({ 'old.png': PNG_HEAD });
    const root = await openRoot(project.path, '/nowhere');
    for (const name of [
      '..foo/x.png',
      'assets/hero.png',
      'old.png',
      'no-ending',
      'a/../b.webp',
      join(project.path, 'c.png'),
    ])
      expect((await resolveImageTarget(root, name))?.name).toMatch(
        /^(\.\.foo\/x\.png|assets\/hero\.png|old\.png|no-ending|b\.webp|c\.png)$/,
      );
    expect(await resolveImageTarget(root, '  ')).toBeUndefined();
    expect(await resolveImageTarget(root, undefined)).toBeUndefined();
  });

  test('the ending follows the content', () => {
    const png = sniffImage(PNG_HEAD);
    const jpeg = sniffImage(JPEG_HEAD);
    if (!png || !jpeg) throw new Error('no formats');
    expect(nameForFormat('a/x.jpg', png)).toBe('a/x.png');
    expect(nameForFormat('a/x.JPEG', jpeg)).toBe('a/x.JPEG');
    expect(nameForFormat('a/x', jpeg)).toBe('a/x.jpg');
    expect(nameForFormat('a/v1.2', png)).toBe('a/v1.2.png');
  });
});

const status: JobStatus = {
  job_id: 'job-1',
  kind: 'gemini-image',
  state: 'done',
  elapsed_ms: 1000,
  result: 'Here it is.',
  notices: [],
};

test('the whole ending: found, copied, returned as content beside its path', async () => {
  using s = stage();
  s.brain.write({ 'made.png': PNG_HEAD });
  const root = await openRoot(s.project.path, '/nowhere');
  const target = await resolveImageTarget(root, 'assets/deep/hero.jpg');
  const run = {
    status,
    args: { prompt: 'a "hero"', aspectRatio: '16:9', size: '2K' },
    backend: 'agy',
    root,
    target,
    ownFolders: [s.brain.path],
    startedAt: Date.now() - 5000,
  } as const;
  const reply = await finishImage(run);
  expect(readFileSync(join(s.project.path, 'assets/deep/hero.png'))).toEqual(Buffer.from(PNG_HEAD));
  expect(readdirSync(join(s.project.path, 'assets/deep'))).toEqual(['hero.png']);
  const [text, image] = reply.content;
  expect(image).toEqual({
    type: 'image',
    data: Buffer.from(PNG_HEAD).toString('base64'),
    mimeType: 'image/png',
  });
  expect(text?.type === 'text' && text.text.replaceAll(s.brain.path, '/brain')).toMatchInlineSnapshot(`
    "⚠️ The image is image/png, so it was saved as assets/deep/hero.png instead of assets/deep/hero.jpg.

    ### 🎨 Gemini Image Generation Completed

    - **Prompt:** "a "hero""
    - **Aspect Ratio:** 16:9
    - **Size:** 2K
    - **Backend:** AGY

    💾 **Saved to Project:** \`assets/deep/hero.png\`

    ![Generated Image](file:///brain/made.png)

    *File: \`/brain/made.png\`*

    Here it is."
  `);
  expect(reply.isError).toBe(false);
});

test('TRAP 6: no image is a failure that says so, and writes nothing', async () => {
  using s = stage();
  const root = await openRoot(s.project.path, '/nowhere');
  const target = await resolveImageTarget(root, 'hero.png');
  const reply = await finishImage({
    status,
    args: { prompt: 'x' },
    backend: 'agy',
    root,
    target,
    ownFolders: [s.brain.path],
    startedAt: Date.now(),
  });
  expect(reply.isError).toBe(true);
  expect(reply.content).toEqual([
    {
      type: 'text',
      text: expect.stringMatching(
        /^Error executing gemini-image: no image was made in this run \(job job-1\)\. Nothing was written to hero\.png\./,
      ),
    },
  ]);
  expect(existsSync(join(s.project.path, 'hero.png'))).toBe(false);
});

test('a place that turned bad during the run costs the copy, not the image', async () => {
  using s = stage();
  using elsewhere = makeTree();
  s.brain.write({ 'made.png': PNG_HEAD });
  const root = await openRoot(s.project.path, '/nowhere');
  const target = await resolveImageTarget(root, 'assets/hero.png');
  s.project.link({ assets: elsewhere.path });
  const reply = await finishImage({
    status,
    args: { prompt: 'x' },
    backend: 'baton',
    root,
    target,
    ownFolders: [s.brain.path],
    startedAt: Date.now() - 5000,
  });
  expect(reply.content[0]).toEqual({
    type: 'text',
    text: expect.stringContaining(
      '⚠️ The image was made, but not copied into the project: Invalid outputPath',
    ),
  });
  expect(readdirSync(elsewhere.path)).toEqual([]);
});

test('an image too large for a message is only named', async () => {
  const format = sniffImage(PNG_HEAD);
  if (!format) throw new Error('no format');
  const image = { path: '/x.png', format, bytes: Buffer.alloc(100) };
  expect(imageContent(image, 99)).toBeUndefined();
  expect(imageContent(image, 100)?.mimeType).toBe('image/png');
});
