import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/jobs.ts';
import { ERAS, type ServerHouse, type Session, script, serverHouse } from '../../support/mcp.ts';
import { aboutOf, callRelay } from '../../support/relay.ts';

let house: ServerHouse;
let session: Session;
beforeAll(async () => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
  writeFileSync(join(house.work, 'a.ts'), 'export const answer = 42;\n');
  session = await house.connect();
});
afterAll(() => house.remove());

describe.each(ERAS)('gemini-ask, %s era', (era) => {
  it('answers under its heading, with usage when asked for and the thread to go on with', async () => {
    const connected = await house.connect({ era });
    const plain = await callRelay(connected, 'gemini-ask', { prompt: script({ text: 'The answer.' }) });
    expect(plain.shown).toMatchSnapshot('plain');
    const usage = await callRelay(connected, 'gemini-ask', {
      prompt: script({ text: 'The answer.' }),
      includeUsage: true,
    });
    expect(usage.shown).toMatchSnapshot('usage');
    await connected.close();
  });
});

describe('gemini-ask', () => {
  it('goes on with a conversation, and refuses one that nobody knows before the spawn', async () => {
    const first = await callRelay(session, 'gemini-ask', { prompt: 'My name is Ada.' });
    const conversationId = /conversationId: (\S+)/.exec(first.items[0] ?? '')?.[1];
    const second = await callRelay(session, 'gemini-ask', {
      prompt: script({ about: 1 }),
      conversationId,
    });
    expect(aboutOf(second)).toMatchObject({
      conversation_id: conversationId,
      earlier_prompts: ['My name is Ada.'],
    });
    expect(second.items[0]).toContain(`🧵 conversationId: ${conversationId}`);
    const unknown = await callRelay(session, 'gemini-ask', { prompt: 'x', conversationId: 'nobody' });
    expect(unknown.shown).toMatchSnapshot();
  });

  it('TRAP 1.1: a schema makes the body JSON and nothing else, whatever was asked for besides', async () => {
    const reply = await callRelay(session, 'gemini-ask', {
      prompt: script(
        { text: 'prose' },
        { structured: { bugs: [{ file: 'ä.ts', line: 3 }] } },
        { deny: 'rm' },
      ),
      jsonSchema: { type: 'object', properties: { bugs: { type: 'array' } } },
      includeUsage: true,
    });
    expect(JSON.parse(reply.items[0] ?? '')).toEqual({ bugs: [{ file: 'ä.ts', line: 3 }] });
    expect(reply.shown).toMatchSnapshot();
    const asText = await callRelay(session, 'gemini-ask', {
      prompt: script({ about: 1 }, { structured: { ok: true } }),
      jsonSchema: '{"type":"object"}',
    });
    expect(asText.items).toEqual(['{\n  "ok": true\n}']);
  });

  it('sends what was asked for as flags, and the prompt on stdin as it is (3.5, rows 6, 20, 23)', async () => {
    const prompt = `${script({ about: 1 })}\n"quoted" %PATH% $(x) \u2028 ü🙂 'x' ${'long '.repeat(7000)}`;
    const reply = await callRelay(session, 'gemini-ask', {
      prompt,
      model: ' Flash ',
      effort: 'low',
      mode: 'accept-edits',
      addDirs: ['lib', '', '/usr/share'],
      agent: 'reviewer',
      sandbox: true,
      skipPermissions: true,
    });
    const about = aboutOf(reply);
    expect(about.prompt).toBe(prompt);
    expect(about.cwd).toBe(house.work);
    expect(about.argv.join(' ')).toBe(
      `--dangerously-skip-permissions --print-timeout 2640s --input-format stream-json --output-format stream-json ` +
        `--disable-slash-commands --model gemini-3.8-flash-low --effort low --mode accept-edits --agent reviewer ` +
        `--sandbox --add-dir ${house.work} --add-dir ${join(house.work, 'lib')} --add-dir /usr/share`,
    );
    expect(reply.items[0]).toMatch(/^⚠️ agy applies --sandbox to its terminal tool at most/);
  });

  it('sends no model, no effort, no permission to act when none was asked for', async () => {
    const { argv } = aboutOf(await callRelay(session, 'gemini-ask', { prompt: script({ about: 1 }) }));
    expect(argv).not.toContain('--model');
    expect(argv).not.toContain('--effort');
    expect(argv).not.toContain('--mode');
    expect(argv).not.toContain('--dangerously-skip-permissions');
  });

  it('row 30: a leading slash is text, and a free command only where that is allowed', async () => {
    const text = await callRelay(session, 'gemini-ask', { prompt: '/usage' });
    expect(text.items[0]).toContain('Gemini response:\nYou said: /usage');
    const command = await callRelay(session, 'gemini-ask', { prompt: ' /usage', allowSlashCommands: true });
    expect(command.shown).toMatchSnapshot();
    const path = await callRelay(session, 'gemini-ask', { prompt: '/etc/hosts is broken, why?' });
    expect(path.items[0]).toContain('You said: /etc/hosts is broken, why?');
  });

  it('sends the files that the prompt names, and tells both sides what was left out', async () => {
    mkdirSync(join(house.work, 'docs'), { recursive: true });
    writeFileSync(join(house.work, 'docs', '.env'), 'SECRET=1\n');
    writeFileSync(join(house.work, 'docs', 'b.md'), '# b\n');
    writeFileSync(join(house.work, 'docs', 'c.bin'), 'a\0b');
    const prompt = 'Compare (@a.ts), @docs and mail me@example.com about @Injectable().';
    const reply = await callRelay(session, 'gemini-ask', { prompt });
    expect(reply.shown.replaceAll(/\[[0-9a-f]{8}\]|mark [0-9a-f]{8}/g, '<mark>')).toMatchSnapshot();
    const { value } = await session.call('agy_jobs', { limit: 1 });
    expect(value.jobs).toMatchObject([{ kind: 'gemini-ask', prompt }]);
  });

  it('row 5: a file outside the project refuses the call before anything is started', async () => {
    symlinkSync('/etc/hostname', join(house.work, 'link.txt'));
    const before = await session.call('agy_jobs');
    for (const prompt of ['@~/.ssh/id_rsa summarise', '@../../secret', 'see @link.txt', '@/etc/passwd']) {
      const reply = await callRelay(session, 'gemini-ask', { prompt });
      expect(reply.isError).toBe(true);
      expect(reply.items[0]).toMatch(/^Error executing gemini-ask: Refusing @file reference/);
    }
    expect((await session.call('agy_jobs')).value.total).toBe(before.value.total);
  });

  it('rows 26, 27: the agent’s own words for a failure, and denied actions as a notice', async () => {
    const model = await callRelay(session, 'gemini-ask', { prompt: 'x', model: 'gemini-9' });
    expect(model.isError).toBe(true);
    expect(model.items[0]).toContain(
      'Error executing gemini-ask: invalid model selection (--model "gemini-9"',
    );
    const quota = await callRelay(session, 'gemini-ask', { prompt: script({ text: 'half ' }, { quota: 1 }) });
    expect(quota.shown).toMatchSnapshot('quota');
    const denied = await callRelay(session, 'gemini-ask', {
      prompt: script({ deny: 'command' }, { text: 'I could not run it.' }),
    });
    expect(denied.shown).toMatchSnapshot('denied');
  });

  it('TRAPs 3.7, 3.6: no result event, two results, a character in two writes', async () => {
    const none = await callRelay(session, 'gemini-ask', {
      prompt: script({ text: 'streamed text' }, { result: false }),
    });
    expect(none.shown).toMatchSnapshot();
    const two = await callRelay(session, 'gemini-ask', {
      prompt: script({ emitResult: { response: 'first' } }, { text: 'last' }),
    });
    expect(two.items[0]).toContain('Gemini response:\nlast');
    const split = await callRelay(session, 'gemini-ask', {
      prompt: script({ text: 'ü🙂 – ж', byteByByte: true }),
    });
    expect(split.items[0]).toContain('Gemini response:\nü🙂 – ж');
    const empty = await callRelay(session, 'gemini-ask', {
      prompt: script({ result: { response: '', usage: { total_tokens: 9 } } }),
    });
    expect(empty.isError).toBe(true);
    expect(empty.items[0]).toContain('gave an empty answer');
  });

  it('runs calls side by side, and never two on one conversation (decision 26, 3.9)', async () => {
    const [one, two] = ['one', 'two'].map((name) => join(house.folder, name));
    const meeting = await Promise.all([
      callRelay(session, 'gemini-ask', { prompt: script({ touch: one }, { waitFor: two }, { text: '1' }) }),
      callRelay(session, 'gemini-ask', { prompt: script({ touch: two }, { waitFor: one }, { text: '2' }) }),
    ]);
    expect(meeting.map((reply) => reply.isError)).toEqual([false, false]);

    const first = await callRelay(session, 'gemini-ask', { prompt: 'begin' });
    const conversationId = /conversationId: (\S+)/.exec(first.items[0] ?? '')?.[1];
    const log = join(house.folder, 'order');
    const turn = (text: string) =>
      callRelay(session, 'gemini-ask', {
        prompt: script({ write: { file: log, content: text } }, { sleep: 300 }, { read: log }),
        conversationId,
        skipPermissions: true,
      });
    const turns = await Promise.all([turn('A'), turn('B')]);
    const said = turns.map((reply) => /response:\n(.*)/.exec(reply.items[0] ?? '')?.[1]);
    expect(new Set(said)).toEqual(new Set(['A', 'B']));
  });

  it('row 34: an answer that is too long for a reply is its two ends, with the way to the rest', async () => {
    const connected = await house.connect({ environment: { BATON_RESULT_LIMIT: '400' } });
    const long = Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n');
    const reply = await callRelay(connected, 'gemini-ask', { prompt: script({ text: long }) });
    const text = reply.items[0] ?? '';
    expect(text.length).toBeLessThan(1000);
    expect(text).toContain('line 0\n');
    expect(text).toContain('🧵 conversationId:');
    const [, path = '', jobId = '', offset = ''] =
      /in (\S+); or call agy_status with job_id "([^"]+)" and offset (\d+)/.exec(text) ?? [];
    const whole = readFileSync(path, 'utf8');
    expect(whole).toContain(`Gemini response:\n${long}\n\n🧵`);
    const rest = await connected.call('agy_status', { job_id: jobId, offset: Number(offset) });
    expect(rest.value.result).toBe(whole.slice(Number(offset), Number(offset) + 400));
    const json = await callRelay(connected, 'gemini-ask', {
      prompt: script({ structured: { long } }),
      jsonSchema: { type: 'object' },
    });
    expect(JSON.parse(json.items[0] ?? '')).toEqual({ long });
    expect(json.items[1]).toMatch(/^⚠️ The body above has \d+ characters/);
    await connected.close();
  });

  it('row 31: the notice of the date rule is told once per process', async () => {
    const connected = await house.connect({ environment: { GEMINI_MCP_BACKEND: undefined } });
    const ping = await callRelay(connected, 'gemini-ping');
    expect(ping.shown).toBe('Pong!');
    const models = await callRelay(connected, 'gemini-models');
    expect(models.items[0]).toContain('The Gemini CLI was retired on 2026-06-18');
    const first = await callRelay(connected, 'gemini-ask', { prompt: script({ text: 'a' }) });
    expect(first.shown).toMatchSnapshot();
    const second = await callRelay(connected, 'gemini-ask', { prompt: script({ text: 'b' }) });
    expect(second.items[0]).toMatch(/^Gemini response:/);
    await connected.close();
  });

  it('row 29: neither prompt nor answer is in the log', async () => {
    await callRelay(session, 'gemini-ask', { prompt: script({ text: 'a-secret-answer' }) });
    await callRelay(session, 'gemini-ask', { prompt: script({ text: 'x' }), addDirs: ['/private/place'] });
    await until(() => session.stderr().includes('job accepted'), 'a log line');
    expect(session.stderr()).not.toMatch(/a-secret-answer|Do as told|private/);
  });

  it('TRAP 3.1: a backend that is none is refused with the choice', async () => {
    const connected = await house.connect({ environment: { GEMINI_MCP_BACKEND: 'gemni' } });
    const reply = await callRelay(connected, 'gemini-ask', { prompt: 'x' });
    expect(reply.shown).toMatchSnapshot();
    const ping = await callRelay(connected, 'gemini-ping', { prompt: 'still here' });
    expect(ping.shown).toBe('still here');
    const named = await callRelay(connected, 'gemini-ask', {
      prompt: script({ text: 'ok' }),
      backend: 'agy',
    });
    expect(named.items[0]).toMatch(/^Gemini response:\nok/);
    await connected.close();
  });
});
