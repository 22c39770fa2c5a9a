import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/jobs.ts';
import { type ServerHouse, type Session, script, serverHouse } from '../../support/mcp.ts';
import { startModelServer } from '../../support/models/server.ts';
import { callRelay } from '../../support/relay.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let house: ServerHouse;
let session: Session;
beforeAll(async () => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
  session = await house.connect();
});
afterAll(() => house.remove());

const shownFor = (text: string): string => text.replaceAll(house.folder, '<house>');

describe('gemini-image on agy', () => {
  it('gives the picture of this run, its path, and a copy in the project under the right ending', async () => {
    const reply = await callRelay(session, 'gemini-image', {
      prompt: script({ image: 'hero.png' }, { text: 'Here is your hero.' }),
      aspectRatio: '16:9',
      size: '2K',
      outputPath: 'assets/hero.jpg',
    });
    expect(shownFor(reply.shown)).toMatchSnapshot();
    expect(readFileSync(join(house.work, 'assets/hero.png'))).toEqual(PNG);
    expect(existsSync(join(house.work, 'assets/hero.jpg'))).toBe(false);
  });

  it('finds the one that the answer names (TRAP 6: file:/// and plain paths)', async () => {
    const reply = await callRelay(session, 'gemini-image', {
      prompt: script({ image: 'a.jpg', named: true }, { image: 'b.png' }),
    });
    expect(reply.items[0]).toMatch(/!\[Generated Image\]\(file:\/\/\/[^/].*\/a\.jpg\)/);
    expect(reply.items[1]).toMatch(/^<image\/jpeg/);
  });

  it('TRAP 6: no picture is an error, whatever the agent says, and nothing is written', async () => {
    const reply = await callRelay(session, 'gemini-image', {
      prompt: script({ text: 'Done! I made a beautiful picture.' }),
      outputPath: 'assets/none.png',
    });
    expect(shownFor(reply.shown)).toMatchSnapshot();
    expect(existsSync(join(house.work, 'assets/none.png'))).toBe(false);
  });

  it('TRAP 6: neither another run’s picture, nor an old one, nor any other on disk is taken', async () => {
    const brain = join(house.home, '.gemini/antigravity-cli/brain');
    mkdirSync(join(brain, 'other'), { recursive: true });
    const foreign = join(brain, 'other', 'foreign.png');
    const old = join(house.work, 'old.png');
    const outside = join(house.folder, 'outside.png');
    for (const file of [foreign, old, outside]) writeFileSync(file, PNG);
    utimesSync(old, 1000, 1000);
    const future = Date.now() / 1000 + 60;
    utimesSync(foreign, future, future);
    for (const path of [foreign, old, outside]) {
      const reply = await callRelay(session, 'gemini-image', {
        prompt: script({ text: `![made](file://${path})` }),
      });
      expect(reply.isError).toBe(true);
      expect(reply.items[0]).toContain('no image was made in this run');
    }
  });

  it('TRAP 6: a place that cannot be used is refused before the paid call', async () => {
    const before = (await session.call('agy_jobs')).value.total;
    symlinkSync(house.folder, join(house.work, 'away'));
    writeFileSync(join(house.work, 'notes.md'), 'text');
    for (const outputPath of ['../x.png', '/etc/x.png', 'away/x.png', 'notes.md', 'assets/', '.git/x.png']) {
      const reply = await callRelay(session, 'gemini-image', { prompt: 'x', outputPath });
      expect(reply.isError).toBe(true);
      expect(reply.items[0]).toMatch(/^Error executing gemini-image: Invalid outputPath: /);
    }
    expect((await session.call('agy_jobs')).value.total).toBe(before);
    const legal = await callRelay(session, 'gemini-image', {
      prompt: script({ image: 'x.png' }),
      outputPath: '..foo/x.png',
    });
    expect(legal.items[0]).toContain('💾 **Saved to Project:** `..foo/x.png`');
  });

  it('gives the same later, and makes the copy once', async () => {
    const gate = join(house.folder, 'image-gate');
    const capped = await house.connect({ environment: { AGY_MCP_SYNC_WAIT_CAP: '100ms' } });
    const early = await callRelay(capped, 'gemini-image', {
      prompt: script({ waitFor: gate }, { image: 'late.png' }),
      outputPath: 'assets/late.png',
    });
    const job_id = /^Job: (\S+)$/m.exec(early.items[0] ?? '')?.[1];
    writeFileSync(gate, '');
    const copy = join(house.work, 'assets/late.png');
    // Nobody asks: the server puts the picture in its place all the same.
    await until(() => existsSync(copy), 'the copy');
    writeFileSync(copy, 'retouched');
    const late = await callRelay(capped, 'agy_wait', { job_id });
    expect(late.items[0]).toContain('### 🎨 Gemini Image Generation Completed');
    expect(late.items[1]).toBe('<image/png, 70 bytes>');
    const again = await callRelay(session, 'agy_status', { job_id });
    expect(again.items).toEqual(late.items);
    expect(readFileSync(copy, 'utf8')).toBe('retouched');
    await capped.close();
  });
});

describe('gemini-image on the other backends', () => {
  it('our own agent makes it with its image tool, kept with its conversation', async () => {
    const models = await startModelServer(
      [
        { calls: [{ name: 'generate_image', arguments: { Prompt: 'a fox', ImageName: 'fox' } }] },
        { text: 'Made it.' },
      ],
      { image: PNG },
    );
    const connected = await house.connect({
      environment: { ...models.environment('google'), BATON_BACKEND: 'baton', BATON_MODEL: 'gemini/mock-1' },
    });
    const reply = await callRelay(connected, 'gemini-image', { prompt: 'a fox', outputPath: 'fox.png' });
    expect(shownFor(reply.shown)).toMatchSnapshot();
    expect(models.imageCalls).toHaveLength(1);
    expect(readFileSync(join(house.work, 'fox.png'))).toEqual(PNG);
    await connected.close();
    await models.close();
  });

  it('our own agent without a provider of images refuses beforehand', async () => {
    const connected = await house.connect({
      environment: { BATON_BACKEND: 'baton', ANTHROPIC_API_KEY: 'x' },
    });
    const reply = await callRelay(connected, 'gemini-image', { prompt: 'a fox' });
    expect(reply.isError).toBe(true);
    expect(reply.items[0]).toContain('baton-agent cannot make images here');
    await connected.close();
  });

  it('the legacy CLI may leave one in the project, if its answer names it', async () => {
    const program = join(house.folder, 'gemini');
    writeFileSync(
      program,
      `#!/bin/sh\ncase "$*" in *--version*) echo 0.9.0;; *)\nmkdir -p out\nprintf '%s' '${PNG.toString('base64')}' | base64 -d > out/pic.png\necho 'Saved as \`out/pic.png\`'\nesac\n`,
      { mode: 0o755 },
    );
    const connected = await house.connect({
      environment: { GEMINI_MCP_BACKEND: 'gemini', GEMINI_CLI_PATH: program },
    });
    const reply = await callRelay(connected, 'gemini-image', { prompt: 'a fox' });
    expect(shownFor(reply.shown)).toMatchSnapshot();
    await connected.close();
  });
});
