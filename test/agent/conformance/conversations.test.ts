import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, resultsOf, stepsOf } from '../../support/agent.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const JSON_OUT = ['--output-format', 'json'];
const STREAM = ['--output-format', 'stream-json'];

beforeEach(async () => {
  server = await startModelServer((_call, index) => ({ text: `answer ${index + 1}` }));
  house = agentHouse(server);
});
afterEach(async () => {
  house.remove();
  await server.close();
});

const sentMessages = (): string => JSON.stringify(server.calls.at(-1)?.body.messages);
const fileOf = (id: string): string => join(house.stateDir, 'conversations', `${id}.jsonl`);

describe('going on', () => {
  test('by id, in another process (resume-id, step-rising, stateless)', async () => {
    const first = await house.run(['-p', 'remember blue', ...STREAM]);
    const { id } = initOf(first);
    const second = await house.run(['-p', 'which?', '--conversation', id, ...STREAM]);
    expect(initOf(second).id).toBe(id);
    expect(resultsOf(second)[0]).toMatchObject({
      response: 'answer 2',
      num_turns: 2,
      usage: { total_tokens: 110 },
    });
    const last = Math.max(...stepsOf(first).map(({ step_index }) => step_index));
    expect(Math.min(...stepsOf(second).map(({ step_index }) => step_index))).toBeGreaterThan(last);
    expect(sentMessages()).toContain('remember blue');
    expect(sentMessages()).toContain('answer 1');
    const third = await house.run(['-p', 'which?', ...JSON_OUT]);
    expect(third.envelope().conversation_id).not.toBe(id);
    expect(sentMessages()).not.toContain('blue');
  });

  test('the newest of this folder (resume-latest)', async () => {
    const elsewhere = join(house.folder, 'other');
    mkdirSync(elsewhere);
    const here = (await house.run(['-p', 'a', ...JSON_OUT])).envelope().conversation_id;
    await house.run(['-p', 'b', ...JSON_OUT], { cwd: elsewhere });
    for (const flag of ['-c', '--continue']) {
      expect((await house.run(['-p', 'c', flag, ...JSON_OUT])).envelope().conversation_id).toBe(here);
    }
    const empty = join(house.folder, 'empty');
    mkdirSync(empty);
    const none = await house.run(['-p', 'c', '-c', ...JSON_OUT], { cwd: empty });
    expect(none.code).toBe(1);
    expect(none.envelope().error).toContain(`there is no conversation of ${empty} to continue`);
  });

  test('in another folder, which is said', async () => {
    const { conversation_id: id } = (await house.run(['-p', 'a', ...JSON_OUT])).envelope();
    const elsewhere = join(house.folder, 'other');
    mkdirSync(elsewhere);
    const run = await house.run(['-p', 'b', '--conversation', id], { cwd: elsewhere });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`started in ${house.folder}; it goes on in ${elsewhere}`);
  });

  test.each(['0f5b2a3e-0000-4000-8000-000000000000', 'not-an-id', '../../etc/passwd'])(
    'an unknown id %s (resume-unknown)',
    async (id) => {
      const { conversation_id: known } = (await house.run(['-p', 'a', ...JSON_OUT])).envelope();
      const calls = server.calls.length;
      const run = await house.run(['-p', 'x', '--conversation', id, ...STREAM]);
      expect(run.code).toBe(1);
      expect(run.events().map(({ event }) => event)).toEqual(['result']);
      expect(run.envelope()).toMatchObject({ conversation_id: '', status: 'ERROR' });
      expect(run.envelope().error).toContain(`conversation "${id}" not found`);
      expect(run.envelope().error).toContain(known);
      expect(server.calls).toHaveLength(calls);
      expect(
        readdirSync(join(house.stateDir, 'conversations')).filter((name) => name.endsWith('.jsonl')),
      ).toHaveLength(1);
    },
  );

  test('a copy leaves the original as it was', async () => {
    const { conversation_id: id } = (await house.run(['-p', 'a', ...JSON_OUT])).envelope();
    const before = readFileSync(fileOf(id), 'utf8');
    const fork = (await house.run(['-p', 'b', '--conversation', id, '--fork', ...JSON_OUT])).envelope();
    expect(fork).toMatchObject({ status: 'SUCCESS', num_turns: 2 });
    expect(fork.conversation_id).not.toBe(id);
    expect(sentMessages()).toContain('answer 1');
    expect(readFileSync(fileOf(id), 'utf8')).toBe(before);
    const again = await house.run(['-p', 'c', '--conversation', fork.conversation_id, ...JSON_OUT]);
    expect(again.envelope().num_turns).toBe(3);
  });

  test('nothing is kept of an ephemeral run', async () => {
    const run = await house.run(['-p', 'a', '--ephemeral', ...JSON_OUT]);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'answer 1' });
    expect(() => readdirSync(join(house.stateDir, 'conversations'))).toThrow('ENOENT');
  });
});

describe('the file', () => {
  test('is private', async () => {
    const { conversation_id: id } = (await house.run(['-p', 'a', ...JSON_OUT])).envelope();
    expect(statSync(fileOf(id)).mode & 0o777).toBe(0o600);
    expect(statSync(join(house.stateDir, 'conversations')).mode & 0o777).toBe(0o700);
  });

  test('is one of one process: the second is refused and told who has it', async () => {
    await server.close();
    server = await startModelServer([{ text: ['one'], breaks: 'stall' }, { text: 'forked' }]);
    const environment = server.environment('chat');
    const running = house.start(['-p', 'a', ...STREAM], { environment });
    const init = await running.waitFor(({ event }) => event === 'init');
    await running.waitFor(({ event }) => event === 'step_update');
    const id = init.event === 'init' ? init.conversation_id : '';
    const second = await house.run(['-p', 'b', '--conversation', id, ...JSON_OUT], { environment });
    expect(second.code).toBe(1);
    expect(second.envelope().error).toContain(
      `conversation "${id}" is in use by process ${running.child.pid} (baton-agent`,
    );
    const fork = await house.run(['-p', 'b', '--conversation', id, '--fork', ...JSON_OUT], { environment });
    expect(fork.envelope().response).toBe('forked');
    running.child.kill('SIGKILL');
    await running.ended;
  });

  test('resumes from any byte it is cut at', async () => {
    await server.close();
    server = await startModelServer((_call, index) =>
      index === 0
        ? { calls: [{ id: 'c1', name: 'list_dir', arguments: { DirectoryPath: '.' } }] }
        : { text: 'grüße €' },
    );
    const environment = server.environment('chat');
    const { conversation_id: id } = (await house.run(['-p', 'ä €', ...JSON_OUT], { environment })).envelope();
    const whole = readFileSync(fileOf(id));
    const headerEnd = whole.indexOf(0x0a) + 1;
    // Some twenty places, ends of records and their neighbours among them.
    const cuts = new Set<number>();
    for (let at = headerEnd; at !== 0; at = whole.indexOf(0x0a, at) + 1)
      cuts
        .add(at)
        .add(at + 1)
        .add(at - 1);
    for (let at = headerEnd; at < whole.length; at += Math.ceil(whole.length / 9)) cuts.add(at);
    const usable = [...cuts].filter((at) => at >= headerEnd && at <= whole.length);
    expect(usable.length).toBeGreaterThan(15);
    for (const cut of usable) {
      writeFileSync(fileOf(id), whole.subarray(0, cut));
      const run = await house.run(['-p', 'go on', '--conversation', id, ...JSON_OUT], { environment });
      expect([cut, run.envelope().status, run.envelope().response]).toEqual([cut, 'SUCCESS', 'grüße €']);
      const isTorn = whole[cut - 1] !== 0x0a;
      expect(run.stderr.includes('ended in the middle of a record')).toBe(isTorn);
      for (const line of readFileSync(fileOf(id), 'utf8').trimEnd().split('\n')) JSON.parse(line);
    }
  }, 120_000);

  test('a killed turn resumes, its lost call answered', async () => {
    await server.close();
    server = await startModelServer((_call, index) =>
      index === 0
        ? {
            calls: [
              { id: 'c1', name: 'run_command', arguments: { CommandLine: 'sleep 60', Cwd: house.folder } },
            ],
          }
        : { text: 'on we go' },
    );
    const environment = server.environment('chat');
    const running = house.start(['-p', 'a', '--dangerously-skip-permissions', ...STREAM], { environment });
    const init = await running.waitFor(({ event }) => event === 'init');
    await running.waitFor((event) => event.event === 'step_update' && event.step_update.step_type === 'tool');
    running.child.kill('SIGKILL');
    await running.ended;
    const id = init.event === 'init' ? init.conversation_id : '';
    const run = await house.run(['-p', 'b', '--conversation', id, ...JSON_OUT], { environment });
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'on we go', num_turns: 2 });
    expect(sentMessages()).toContain('interrupted');
  });

  test('unreadable lines are skipped with a notice', async () => {
    const { conversation_id: id } = (await house.run(['-p', 'a', ...JSON_OUT])).envelope();
    const lines = readFileSync(fileOf(id), 'utf8').split('\n');
    lines.splice(2, 0, '{"broken', '{"id":1,"type":"strange"}');
    writeFileSync(fileOf(id), lines.join('\n'));
    const run = await house.run(['-p', 'b', '--conversation', id, ...JSON_OUT]);
    expect(run.envelope().num_turns).toBe(2);
    expect(run.stderr).toContain('has 2 unreadable record(s); they were skipped');
    writeFileSync(fileOf(id), 'no conversation at all\n');
    const none = await house.run(['-p', 'b', '--conversation', id, ...JSON_OUT]);
    expect(none.code).toBe(1);
    expect(none.envelope().error).toContain('holds no conversation');
  });
});

describe('keeping house', () => {
  test('list, show and export', async () => {
    const first = (await house.run(['-p', 'first question', ...JSON_OUT])).envelope().conversation_id;
    await house.run(['-p', 'second\nquestion', ...JSON_OUT]);
    const list = await house.run(['conversations', 'list']);
    expect(list.stdout.split('\n')[0]).toMatch(/^[0-9a-f-]{36}\t\S+\t1 turns\t.*\tsecond question$/);
    const asJson = await house.run([...JSON_OUT, 'conversations', 'list', '--here']);
    expect(asJson.envelope().command?.data).toMatchObject({
      conversations: [{ num_turns: 1 }, { id: first }],
    });
    const shown = await house.run(['conversations', 'show', first]);
    expect(shown.stdout).toContain('## User\n\nfirst question\n\n## Assistant\n\nanswer 1\n');
    const exported = await house.run(['conversations', 'export', first, '--format', 'json']);
    expect(JSON.parse(exported.stdout)).toMatchObject({ conversation_id: first, records: { length: 5 } });
    const unknown = await house.run(['conversations', 'show', 'nope']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('conversation "nope" not found');
  });

  test('pruning by size takes the oldest, never one in use', async () => {
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) {
      ids.push((await house.run(['-p', prompt.repeat(400), ...JSON_OUT])).envelope().conversation_id);
    }
    const dry = await house.run(['conversations', 'prune', '--max-size', '1B', '--dry-run']);
    expect(dry.stdout.trim().split('\n')).toHaveLength(3);
    const size = statSync(fileOf(ids[2] ?? '')).size;
    await house.run(['conversations', 'prune', `--max-size=${size + 10}`]);
    const left = readdirSync(join(house.stateDir, 'conversations')).filter((name) => name.endsWith('.jsonl'));
    expect(left).toEqual([`${ids[2]}.jsonl`]);
  });

  test('they are kept within their limit by themselves', async () => {
    const environment = { BATON_CONVERSATIONS_MAX: '2kB' };
    const first = await house.run(['-p', 'one'.repeat(400), ...JSON_OUT], { environment });
    expect(first.stderr).toBe('');
    // Once an hour is enough, so nothing happens yet.
    const second = await house.run(['-p', 'two'.repeat(400), ...JSON_OUT], { environment });
    expect(second.stderr).toBe('');
    utimesSync(join(house.stateDir, 'conversations', '.pruned'), 0, 0);
    const third = await house.run(['-p', 'three'.repeat(400), ...JSON_OUT], { environment });
    expect(third.stderr).toContain('notice: 2 old conversation(s) were removed to keep within 2000 bytes');
    const left = readdirSync(join(house.stateDir, 'conversations')).filter((name) => name.endsWith('.jsonl'));
    expect(left).toEqual([`${third.envelope().conversation_id}.jsonl`]);
  });
});
