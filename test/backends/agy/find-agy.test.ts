import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { explicitAgyProblem, findAgy } from '../../../src/backends/agy/find-agy.ts';
import { BackendError } from '../../../src/backends/types.ts';
import { shellScript, testFolder } from '../support.ts';

function agyIn(folder: string): string {
  return shellScript(join(folder, 'agy'), 'echo 1.2.3');
}

/** The message and kind of a refusal. */
function refusal(environment: Record<string, string>, forRelay = false): { message: string; kind: string } {
  try {
    const path = findAgy(environment, forRelay);
    throw new Error(`found ${path}`);
  } catch (error) {
    if (error instanceof BackendError) return { message: error.message, kind: error.kind };
    throw error;
  }
}

test('each kind of tool reads its own variable first and falls back to the other', () => {
  const folder = testFolder();
  const [job, relay, onPath] = ['job', 'relay', 'path'].map((name) => agyIn(join(folder, name)));
  const environment = { PATH: join(folder, 'path'), HOME: folder };
  const both = { ...environment, AGY_MCP_AGY_PATH: job!, AGY_CLI_PATH: relay! };
  expect(findAgy(both, false)).toBe(job);
  expect(findAgy(both, true)).toBe(relay);
  expect(findAgy({ ...environment, AGY_CLI_PATH: relay! }, false)).toBe(relay);
  expect(findAgy({ ...environment, AGY_MCP_AGY_PATH: job! }, true)).toBe(job);
  expect(findAgy({ ...both, AGY_MCP_AGY_PATH: '' }, false)).toBe(relay);
  expect(findAgy(environment, false)).toBe(onPath);
});

test('PATH is searched in order, and what cannot be executed is passed over', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'a', 'agy'), { recursive: true });
  chmodSync(agyIn(join(folder, 'b')), 0o644);
  symlinkSync('/nonexistent', join(testFolderIn(folder, 'c'), 'agy'));
  const found = agyIn(join(folder, 'd'));
  agyIn(join(folder, 'e'));
  const path = ['a', 'b', 'c', 'missing', 'd', 'e'].map((name) => join(folder, name)).join(':');
  expect(findAgy({ PATH: path, HOME: folder }, false)).toBe(found);
});

function testFolderIn(folder: string, name: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
}

test.each([
  ['.local', 'bin'],
  ['.antigravity', 'bin'],
])('finds agy in ~/%s/%s when PATH is poor', (...parts) => {
  const folder = testFolder();
  const found = agyIn(join(folder, ...parts));
  expect(findAgy({ PATH: '/nonexistent/bin', HOME: folder }, false)).toBe(found);
  expect(findAgy({ HOME: folder }, true)).toBe(found);
});

test('PATH wins over the install places', () => {
  const folder = testFolder();
  agyIn(join(folder, '.local', 'bin'));
  const found = agyIn(join(folder, 'path'));
  expect(findAgy({ PATH: join(folder, 'path'), HOME: folder }, false)).toBe(found);
});

test('a missing agy names the variable, the places and the other way out', () => {
  const folder = testFolder();
  const { message, kind } = refusal({ PATH: `${folder}/bin:/nonexistent`, HOME: folder });
  expect(kind).toBe('not_found');
  expect(message).toMatch(/^agy not found on PATH; set AGY_MCP_AGY_PATH: no executable "agy" in /);
  for (const place of [`${folder}/bin`, '/nonexistent', `${folder}/.local/bin`, '/opt/homebrew/bin']) {
    expect(message).toContain(place);
  }
  expect(message).toMatch(/set BATON_BACKEND=baton\.$/);
});

test('for the relay it says how to install, to name and to do without', () => {
  const folder = testFolder();
  const { message } = refusal({ PATH: '/nonexistent', HOME: folder }, true);
  expect(message).toMatch(/^Could not find the "agy" executable\.\n/);
  expect(message).toContain('curl -fsSL https://antigravity.google/cli/install.sh | bash');
  for (const word of [
    'AGY_CLI_PATH',
    'GEMINI_MCP_BACKEND=gemini',
    'BATON_BACKEND=baton',
    '/nonexistent',
    'which agy',
  ]) {
    expect(message).toContain(word);
  }
});

test('an agy that is on PATH only relatively is refused with the reason', () => {
  const folder = testFolder();
  agyIn(join(folder, 'bin'));
  const entry = relative(process.cwd(), join(folder, 'bin'));
  expect(refusal({ PATH: `/nonexistent:${entry}`, HOME: folder }).message).toMatch(
    /^agy is on PATH only through a relative entry, which cannot be used because each job runs in its own working directory; set AGY_MCP_AGY_PATH to an absolute path: /,
  );
  expect(refusal({ PATH: entry, HOME: folder }, true).message).toContain(
    'set AGY_CLI_PATH to an absolute path',
  );
  const absolute = agyIn(join(folder, 'later'));
  expect(findAgy({ PATH: `${entry}:${join(folder, 'later')}`, HOME: folder }, false)).toBe(absolute);
});

test.each(['AGY_MCP_AGY_PATH', 'AGY_CLI_PATH'])(
  'an unusable %s is an error of its own, never passed over',
  (name) => {
    const folder = testFolder();
    agyIn(join(folder, 'path'));
    const environment = { PATH: join(folder, 'path'), HOME: folder };
    const missing = join(folder, 'typo', 'agy');
    const plain = join(folder, 'plain');
    writeFileSync(plain, '');
    const cases: [string, RegExp][] = [
      [missing, /: no such file or directory$/],
      [plain, /: permission denied/],
      [folder, /: is not a file$/],
      [join(plain, 'agy'), /: a part of the path is not a directory$/],
    ];
    for (const [value, reason] of cases) {
      const { message, kind } = refusal({ ...environment, [name]: value });
      expect(kind).toBe('not_found');
      expect(message.startsWith(`config: ${name} "${value}": `)).toBe(true);
      expect(message).toMatch(reason);
      expect(explicitAgyProblem({ ...environment, [name]: value })).toBe(message);
    }
  },
);

test('an explicit path may be relative, start with a tilde, or be a command name', () => {
  const folder = testFolder();
  const found = agyIn(join(folder, 'bin'));
  const environment = { PATH: join(folder, 'bin'), HOME: folder };
  const values = [relative(process.cwd(), found), '~/bin/agy', 'agy', found];
  for (const value of values) expect(findAgy({ ...environment, AGY_MCP_AGY_PATH: value }, false)).toBe(found);
});

test('a check at the start has nothing to say when no path was named', () => {
  expect(explicitAgyProblem({ PATH: '/nonexistent' })).toBeUndefined();
});
