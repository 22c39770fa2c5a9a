import { describe, expect, test } from 'vitest';
import { decideOn, type Given } from './policy.ts';

type Row = [action: string, target: string, given: Given, verdict: 'allow' | 'ask' | 'deny'];

function table(rows: Row[]): void {
  test.each(rows)('%s(%s) with %j: %s', (action, target, given, verdict) => {
    const decision = decideOn(action, target, given);
    expect(decision).toMatchObject({ verdict });
  });
}

describe('files', () => {
  table([
    ['read_file', '/ws/a', {}, 'allow'],
    ['read_file', '/ws', {}, 'allow'],
    ['write_file', '/ws/a', {}, 'allow'],
    ['write_file', '/second/a', {}, 'allow'],
    ['read_file', '/ws-old/a', {}, 'ask'],
    ['read_file', '/etc/passwd', {}, 'ask'],
    ['write_file', '/etc/passwd', {}, 'ask'],
    ['write_file', '/tmp/x', {}, 'ask'],
    ['read_file', '/etc/passwd', { allow: ['read_file(/etc)'] }, 'allow'],
    ['write_file', '/etc/passwd', { allow: ['read_file(/etc)'] }, 'ask'],
    ['read_file', '/etc/passwd', { allow: ['write_file(/etc)'] }, 'allow'],
    ['write_file', '/etc/passwd', { allow: ['write_file(/etc/)'] }, 'allow'],
    ['write_file', '/etc/a/b', { allow: ['write_file(/etc/**)'] }, 'allow'],
    ['write_file', '/etcetera', { allow: ['write_file(/etc)'] }, 'ask'],
    ['write_file', '/etc/passwd', { allow: ['write_file(*)'] }, 'allow'],
    ['write_file', '/etc/passwd', { allow: ['write_file()'] }, 'ask'],
    ['write_file', '/home/u/x', { allow: ['write_file(~/)'] }, 'allow'],
    ['write_file', '/home/v/x', { allow: ['write_file(~)'] }, 'ask'],
    ['write_file', '/etc', { allow: ['write_file(../etc)'] }, 'allow'],
    ['read_file', '/ws/a', { deny: ['read_file(/ws/a)'] }, 'deny'],
    ['read_file', '/ws/src/a', { deny: ['read_file(src/)'] }, 'deny'],
    ['write_file', '/ws/src/a', { deny: ['read_file(src)'] }, 'deny'],
    ['read_file', '/ws/src/a', { deny: ['write_file(src)'] }, 'allow'],
    ['write_file', '/ws/src/a', { deny: ['write_file(src)'] }, 'deny'],
    ['write_file', '/ws/src/a', { deny: ['write_file(src)'], allow: ['write_file(*)'] }, 'deny'],
    ['write_file', '/ws/src/a', { deny: ['write_file(src)'], permissionMode: 'always-proceed' }, 'deny'],
    ['read_file', '/ws/deep/.env', { deny: ['read_file(regex:.*/\\.env)'] }, 'deny'],
    ['read_file', '/ws/deep/.envx', { deny: ['read_file(regex:.*/\\.env)'] }, 'allow'],
    ['write_file', '/ws/a', { ask: ['write_file(*)'] }, 'ask'],
    ['write_file', '/ws/a', { ask: ['write_file(*)'], mode: 'accept-edits' }, 'ask'],
    ['write_file', '/ws/a', { ask: ['write_file(*)'], allow: ['write_file(/ws)'] }, 'ask'],
    ['write_file', '/ws/a', { ask: ['write_file(*)'], permissionMode: 'always-proceed' }, 'allow'],
    ['write_file', '/ws/a', { mode: 'accept-edits' }, 'allow'],
    ['write_file', '/ws/a', { mode: 'plan' }, 'deny'],
    ['write_file', '/ws/a', { mode: 'plan', allow: ['write_file(*)'] }, 'deny'],
    ['write_file', '/ws/a', { mode: 'plan', permissionMode: 'always-proceed' }, 'deny'],
    ['read_file', '/ws/a', { mode: 'plan' }, 'allow'],
    ['read_file', '/ws/a', { permissionMode: 'strict' }, 'ask'],
    ['write_file', '/ws/a', { permissionMode: 'strict' }, 'ask'],
    ['read_file', '/ws/a', { permissionMode: 'strict', allow: ['read_file(/ws)'] }, 'allow'],
    ['read_file', '/etc/passwd', { permissionMode: 'always-proceed' }, 'allow'],
    ['write_file', '/etc/passwd', { permissionMode: 'always-proceed' }, 'allow'],
    ['read_file', '/etc/passwd', { readOutside: true }, 'allow'],
    ['write_file', '/etc/passwd', { readOutside: true }, 'ask'],
    ['read_file', '/home/u/.ssh/id', { readOutside: true }, 'ask'],
    ['read_file', '/ws/.ssh/id', {}, 'ask'],
    ['read_file', '/ws/.ssh/id', { allow: ['read_file(.ssh)'] }, 'allow'],
    ['write_file', '/ws/.git/hooks/pre-commit', {}, 'ask'],
    ['write_file', '/ws/sub/.git', {}, 'ask'],
    ['write_file', '/ws/sub/.GIT/config', {}, 'ask'],
    ['write_file', '/ws/.gitignore', {}, 'allow'],
    ['read_file', '/ws/.git/config', {}, 'allow'],
    ['write_file', '/ws/.git/config', { allow: ['write_file(.git)'] }, 'allow'],
    ['read_file', '/state/jobs/1', { permissionMode: 'always-proceed' }, 'deny'],
    ['read_file', '/state/jobs/1', { allow: ['read_file(*)'] }, 'deny'],
    ['read_file', '/state/conversations/1/output/c.txt', {}, 'allow'],
    ['write_file', '/state/conversations/1/output/c.txt', {}, 'ask'],
    ['read_file', '/state/conversations/1/log', {}, 'deny'],
    ['write_file', '/home/u/.config/baton/settings.json', { permissionMode: 'always-proceed' }, 'deny'],
    ['write_file', '/home/u/.config/baton/settings.json', { allow: ['write_file(*)'] }, 'deny'],
    ['read_file', '/home/u/.config/baton/settings.json', { allow: ['read_file(*)'] }, 'allow'],
  ]);
});

describe('addresses', () => {
  table([
    ['read_url', 'https://example.com/x', {}, 'ask'],
    ['read_url', 'https://example.com/x', { allow: ['read_url(example.com)'] }, 'allow'],
    ['read_url', 'https://EXAMPLE.com./x', { allow: ['read_url(example.com)'] }, 'allow'],
    ['read_url', 'https://sub.example.com/', { allow: ['read_url(example.com)'] }, 'ask'],
    ['read_url', 'https://example.com.evil.org/', { allow: ['read_url(example.com)'] }, 'ask'],
    ['read_url', 'https://example.com@evil.org/', { allow: ['read_url(example.com)'] }, 'ask'],
    ['read_url', 'https://evil.org/example.com', { allow: ['read_url(example.com)'] }, 'ask'],
    ['read_url', 'http://example.com:8080/', { allow: ['read_url(example.com)'] }, 'allow'],
    ['read_url', 'http://example.com:8080/', { allow: ['read_url(example.com:8080)'] }, 'allow'],
    ['read_url', 'http://example.com:9090/', { allow: ['read_url(example.com:8080)'] }, 'ask'],
    ['read_url', 'https://example.com/', { allow: ['read_url(*)'], deny: ['read_url(example.com)'] }, 'deny'],
    ['read_url', 'https://example.com/', { permissionMode: 'always-proceed' }, 'allow'],
    ['read_url', 'https://example.com/', { permissionMode: 'always-proceed', deny: ['read_url(*)'] }, 'deny'],
    ['read_url', 'https://example.com/', { allow: ['execute_url(example.com)'] }, 'ask'],
    ['read_url', 'https://example.com/', { mode: 'plan', allow: ['read_url(example.com)'] }, 'allow'],
    ['read_url', 'no address', { allow: ['read_url(*)'] }, 'deny'],
  ]);
});

describe('MCP tools', () => {
  table([
    ['mcp', 'files/read', {}, 'ask'],
    ['mcp', 'files/read', { allow: ['mcp(files/read)'] }, 'allow'],
    ['mcp', 'files/write', { allow: ['mcp(files/read)'] }, 'ask'],
    ['mcp', 'files/write', { allow: ['mcp(files/*)'] }, 'allow'],
    ['mcp', 'other/write', { allow: ['mcp(files/*)'] }, 'ask'],
    ['mcp', 'other/write', { allow: ['mcp(*)'] }, 'allow'],
    ['mcp', 'files/write', { allow: ['mcp(*)'], deny: ['mcp(files/write)'] }, 'deny'],
    ['mcp', 'files/read', { allow: ['mcp(*)'], ask: ['mcp(files/*)'] }, 'ask'],
    ['mcp', 'files/read', { permissionMode: 'always-proceed' }, 'allow'],
    ['mcp', 'files/read', { permissionMode: 'always-proceed', deny: ['mcp(*)'] }, 'deny'],
    ['mcp', 'files/read', { permissionMode: 'always-proceed', mode: 'plan' }, 'deny'],
  ]);
});

test.each([
  ['write_file', '/etc/x', ['write_file(/etc/x)']],
  ['read_url', 'https://example.com:8/a', ['read_url(example.com)']],
  ['mcp', 'files/read', ['mcp(files/read)']],
])('the rule that would allow %s(%s) is named, and does', (action, target, rules) => {
  const decision = decideOn(action, target, {});
  expect(decision).toMatchObject({ verdict: 'ask', action, rules });
  expect(decideOn(action, target, { allow: rules }).verdict).toBe('allow');
});
