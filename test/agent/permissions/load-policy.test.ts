import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../../../src/agent/permissions/decide.ts';
import {
  createHiddenTest,
  type LoadedPolicy,
  loadPolicy,
  type PolicyOptions,
} from '../../../src/agent/permissions/load-policy.ts';
import { createWorkspace } from '../../../src/agent/tools/workspace.ts';

interface Home {
  folder: string;
  workspace: string;
  own(settings: unknown): void;
  agy(settings: unknown): void;
  load(more?: Partial<PolicyOptions>): LoadedPolicy;
}

function createHome(): Home {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-home-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, 'project');
  mkdirSync(workspace);
  const write = (path: string, settings: unknown): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
  };
  return {
    folder,
    workspace,
    own: (settings) => write(join(folder, '.config/baton/settings.json'), settings),
    agy: (settings) => write(join(folder, '.gemini/antigravity-cli/settings.json'), settings),
    load: (more) =>
      loadPolicy({
        environment: { HOME: folder },
        workspace: createWorkspace([workspace]),
        mode: 'default',
        skipPermissions: false,
        ...more,
      }),
  };
}

const texts = (rules: readonly { text: string }[]): string[] => rules.map((rule) => rule.text);

test('without settings, the workspace is the limit', () => {
  const home = createHome();
  const { policy, warnings } = home.load();
  expect(warnings).toEqual([]);
  expect(policy).toMatchObject({
    allow: [],
    ask: [],
    deny: [],
    permissionMode: 'request-review',
    readOutside: false,
  });
  expect(policy.workspace).toEqual([home.workspace]);
});

test('rules of both settings files and of the command line are joined', () => {
  const home = createHome();
  home.own({ permissions: { allow: ['command(git)'], deny: ['command(git push)'] } });
  home.agy({ permissions: { allow: ['command(npm test)'], ask: ['command(npm)'], deny: ['read_url(*)'] } });
  const { policy } = home.load({ allow: ['mcp(a/b)'], deny: ['mcp(a/c)'] });
  expect(texts(policy.allow)).toEqual(['command(git)', 'command(npm test)', 'mcp(a/b)']);
  expect(texts(policy.ask)).toEqual(['command(npm)']);
  expect(texts(policy.deny)).toEqual(['command(git push)', 'read_url(*)', 'mcp(a/c)']);
});

test('XDG_CONFIG_HOME moves our settings', () => {
  const home = createHome();
  const config = join(home.folder, 'cfg');
  mkdirSync(join(config, 'baton'), { recursive: true });
  writeFileSync(join(config, 'baton/settings.json'), '{"permissions":{"allow":["command(git)"]}}');
  const { policy } = home.load({ environment: { HOME: home.folder, XDG_CONFIG_HOME: config } });
  expect(texts(policy.allow)).toEqual(['command(git)']);
});

test('files of the repository grant nothing', () => {
  const home = createHome();
  const grant = JSON.stringify({ permissions: { allow: ['command(*)'] }, toolPermission: 'always-proceed' });
  for (const name of [
    '.gemini/settings.json',
    '.agents/settings.json',
    '.baton/settings.json',
    'settings.json',
    '.config/baton/settings.json',
  ]) {
    mkdirSync(dirname(join(home.workspace, name)), { recursive: true });
    writeFileSync(join(home.workspace, name), grant);
  }
  const { policy } = home.load();
  expect(policy.allow).toEqual([]);
  expect(policy.permissionMode).toBe('request-review');
});

test('comments, a byte order mark and commas at the end are taken', () => {
  const home = createHome();
  home.agy(
    '\uFEFF{ // mine\n "permissions": { "allow": ["command(git)", /* no */ "command(echo //x)",], }, }',
  );
  expect(texts(home.load().policy.allow)).toEqual(['command(git)', 'command(echo //x)']);
});

test.each([
  ['{', 'are not valid JSON'],
  ['[]', 'must be a JSON object'],
  ['{"permissions":[]}', 'permissions must be an object'],
  ['{"permissions":{"deny":"command(rm)"}}', 'permissions.deny must be a list of rules'],
  ['{"permissions":{"deny":[1]}}', 'permissions.deny must be a list of rules'],
])('settings %s stop the run in either file, since they may hold deny rules', (text, message) => {
  const own = createHome();
  own.own(text);
  expect(() => own.load()).toThrow(message);
  expect(() => own.load()).toThrow(join(own.folder, '.config/baton/settings.json'));
  const agy = createHome();
  agy.agy(text);
  expect(() => agy.load()).toThrow(message);
});

test.each([
  ['git', 'a rule is written action(target)'],
  ['bash(git)', 'bash is no action'],
  ['command(git', 'a rule is written action(target)'],
  ['command(regex:()', 'Invalid regular expression'],
  ['write_file(src/*.ts)', 'patterns are not read in paths'],
  ['read_url(https://example.com/)', 'is a host name'],
  ['mcp(server)', 'server/tool'],
])('the rule %s is an error in ours and on the command line, a warning in agy settings', (rule, message) => {
  const home = createHome();
  expect(() => home.load({ deny: [rule] })).toThrow(message);
  expect(() => home.load({ allow: [rule] })).toThrow(rule);
  home.agy({ permissions: { deny: [rule], allow: ['command(git)'] } });
  const { policy, warnings } = home.load();
  expect(texts(policy.allow)).toEqual(['command(git)']);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(message);
});

test('rules that can never match are pointed out', () => {
  const home = createHome();
  const { warnings } = home.load({
    allow: ['command()', 'command(git *)', 'command(git:*)', 'command(git)'],
  });
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toContain('names nothing');
  expect(warnings[1]).toContain('compared word by word');
});

test.each([
  [undefined, undefined, false, 'request-review'],
  ['always-proceed', undefined, false, 'always-proceed'],
  [undefined, 'always-proceed', false, 'always-proceed'],
  ['request-review', 'always-proceed', false, 'request-review'],
  ['always-proceed', 'strict', false, 'strict'],
  ['strict', undefined, true, 'always-proceed'],
  ['proceed-in-sandbox', undefined, false, 'request-review'],
  ['nonsense', undefined, false, 'request-review'],
])('toolPermission %s and of agy %s, skip flag %s: %s', (own, agy, skip, expected) => {
  const home = createHome();
  home.own({ toolPermission: own });
  home.agy({ toolPermission: agy });
  expect(home.load({ skipPermissions: skip }).policy.permissionMode).toBe(expected);
});

test('a rule for a folder that is a link holds for the place it leads to', () => {
  const home = createHome();
  mkdirSync(join(home.folder, 'real'));
  symlinkSync(join(home.folder, 'real'), join(home.folder, 'link'));
  const path = join(home.folder, 'real/x');
  const { policy } = home.load({ allow: ['write_file(~/link)'] });
  expect(decide(policy, [{ action: 'write_file', path, given: path }]).verdict).toBe('allow');
});

test('a deny rule binds on the name of a link as on its target', () => {
  const home = createHome();
  const { policy } = home.load({ deny: ['read_file(link)'] });
  const given = join(home.workspace, 'link/x');
  const path = join(home.workspace, 'real/x');
  expect(decide(policy, [{ action: 'read_file', path, given }]).verdict).toBe('deny');
});

test('our state is closed and our settings cannot be written, even where the home is the workspace', () => {
  const home = createHome();
  const { policy } = home.load({ workspace: createWorkspace([home.folder]), skipPermissions: true });
  const verdict = (action: 'read_file' | 'write_file', name: string): string => {
    const path = join(home.folder, name);
    return decide(policy, [{ action, path, given: path }]).verdict;
  };
  expect(verdict('read_file', '.local/state/baton/jobs')).toBe('deny');
  expect(verdict('write_file', '.config/baton/settings.json')).toBe('deny');
  expect(verdict('write_file', '.gemini/antigravity-cli/settings.json')).toBe('deny');
  expect(verdict('write_file', 'x')).toBe('allow');
});

test('what may not be read is hidden from searches', () => {
  const home = createHome();
  const { policy } = home.load({
    workspace: createWorkspace([home.folder]),
    deny: ['read_file(~/project/secret)'],
    readable: [join(home.folder, '.local/state/baton/conversations/1/output')],
  });
  const isHidden = createHiddenTest(policy);
  const hidden = ['project/secret', 'project/secret/x', '.ssh', '.aws/credentials', '.local/state/baton'];
  for (const name of hidden) expect([name, isHidden(join(home.folder, name))]).toEqual([name, true]);
  const shown = ['project', 'project/secrets', 'project/a', '.local/state/baton/conversations/1/output/x'];
  for (const name of shown) expect([name, isHidden(join(home.folder, name))]).toEqual([name, false]);
});
