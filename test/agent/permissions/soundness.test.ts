import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandRequests } from '../../../src/agent/permissions/command-requests.ts';
import { decide } from '../../../src/agent/permissions/decide.ts';
import { policyOf } from './policy.ts';

/**
 * Command lines put together at random, with `rm` hidden in them in many ways. Whatever is allowed by rules that do not
 * name `rm` is really run by bash, where `rm` is a program that leaves a trace: there must be none.
 */
const LINES = 300;
const RULES = ['git', 'echo', 'true', 'cat', 'find', 'break', 'f'].map((name) => `command(${name})`);

function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function createGenerator(random: (below: number) => number): () => string {
  const pick = (choices: (string | (() => string))[]): string => {
    const choice = choices[random(choices.length)] ?? '';
    return typeof choice === 'string' ? choice : choice();
  };
  const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const double = (text: string): string => `"${text.replaceAll(/["\\$`]/g, (letter) => `\\${letter}`)}"`;
  const word = (depth: number): string =>
    pick([
      "'b c'",
      '"d"',
      '$x',
      '"$x"',
      '$((1+1))',
      '$((x))',
      '${x:-e}',
      "$'f\\''",
      '{g,h}',
      '*',
      '~',
      '\\;',
      '--',

      "'a[$(rm x)]'",
      '${y[x]}',
      '${x@P}',
      '${!x}',
      '-c',
      '$"z"',
      '[[',
      ']]',
      '!',
      '}',
      ')',
      () => `$(${command(depth - 1)})`,
      () => `"$(${command(depth - 1)})"`,
      () => `\`${command(depth - 1).replaceAll(/[`\\$]/g, (letter) => `\\${letter}`)}\``,
      () => `\${x:-$(${command(depth - 1)})}`,
      () => `<(${command(depth - 1)})`,
    ]);
  const command = (depth: number): string => {
    if (depth <= 0) return pick(['git status', 'rm x', 'echo hi', 'true', 'rm', '$x', 'git']);
    const next = (): string => command(depth - 1);
    return pick([
      'rm x',
      () => `git ${word(depth)}`,
      () => `echo ${word(depth)} ${word(depth)}`,
      () => `env ${word(depth)} ${next()}`,
      () => `env ${next()}`,
      () => `sh -c ${single(next())}`,
      () => `sh -c ${double(next())}`,
      () => `bash -c ${double(next())}`,
      () => `${next()}${pick(['; ', ' && ', ' || ', ' | ', ' & ', '\n'])}${next()}`,
      () => `(${next()})`,
      () => `{ ${next()}; }`,
      () => `if ${next()}; then ${next()}; fi`,
      () => `for x in ${word(depth)}; do ${next()}; done`,
      () => `case ${word(depth)} in ${word(depth)}) ${next()};; esac`,
      () => `eval ${single(next())}`,
      () => `cat <<EOF\n${word(depth)}\nEOF\n${next()}`,
      () => `bash <<EOF\n${next()}\nEOF`,
      () => `bash <<< ${single(next())}`,
      () => `echo ${single(next())} | bash`,
      () => `x=${word(depth)}; ${next()}`,
      () => `x=${word(depth)} ${next()}`,
      () => `((${word(depth)}))`,
      () => `[[ ${word(depth)} -eq 1 ]]`,
      () => `f() { ${next()}; }; ${next()}`,
      () => `git () { ${next()}; }; git x`,
      () => `${pick(['! ', 'time ', 'nohup ', 'command ', 'exec ', 'timeout 1 ', 'coproc '])}${next()}`,
      () => `xargs ${next()} <<< a`,
      () => `find . -exec ${next()} \\;`,
      () => `trap ${single(next())} EXIT`,
      () => `while ${next()}; do ${next()}; break; done`,
      () => `${next()} >out`,
    ]);
  };
  const noise = `'"\\$(){};&|<>\n #\`![]=*?~x`.split('');
  return () => {
    let text = command(1 + random(3));
    for (let changes = random(2) * random(4); changes > 0; changes--) {
      const at = random(text.length + 1);
      const letter = noise[random(noise.length)] ?? '';
      text = text.slice(0, at) + (random(3) === 0 ? '' : letter) + text.slice(at + random(2));
    }
    return text;
  };
}

interface Range {
  folder: string;
  /** Runs a line and says whether `rm` was started. */
  startsRm(line: string): boolean;
}

function createRange(): Range {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-sound-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  const trace = join(folder, 'trace');
  mkdirSync(bin);
  const stub = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  stub('rm', `echo "$*" >>${trace}`);
  for (const name of ['git', 'x', 'a', 'b']) stub(name, 'exit 0');
  for (const name of ['env', 'nohup', 'timeout', 'find', 'xargs', 'cat', 'sh', 'bash'])
    stub(
      name,
      `PATH=${bin}:/usr/bin:/bin exec -a ${name} /usr/bin/env -S "PATH=${bin}" $(PATH=/usr/bin:/bin command -v ${name}) "$@"`,
    );
  return {
    folder,
    startsRm(line) {
      spawnSync('/bin/bash', ['-c', line], {
        cwd: folder,
        env: { PATH: bin, HOME: folder },
        timeout: 5_000,
        stdio: 'ignore',
      });
      if (!existsSync(trace)) return false;
      expect(readFileSync(trace, 'utf8')).not.toBe('');
      rmSync(trace);
      return true;
    },
  };
}

test('the trace is left by every way to start rm', () => {
  const range = createRange();
  for (const line of [
    'rm x',
    'env rm',
    'sh -c "rm x"',
    'find . -maxdepth 0 -exec rm {} \\;',
    'xargs rm <<< a',
    'bash <<< rm',
  ])
    expect([line, range.startsRm(line)]).toEqual([line, true]);
  expect(range.startsRm('git status')).toBe(false);
});

test('no line that is allowed without a rule for rm starts rm', async () => {
  const range = createRange();
  const generate = createGenerator(createRandom(20_261_130));
  const policy = { ...policyOf({ allow: RULES }), workspace: [range.folder] };
  let allowed = 0;
  for (let count = 0; count < LINES; count++) {
    const line = generate();
    // Nothing that is run here may name a path outside its folder.
    if (line.includes('/')) continue;
    const requests = await commandRequests(line, { cwd: range.folder, home: range.folder, dialect: 'bash' });
    if (decide(policy, requests).verdict !== 'allow') continue;
    allowed++;
    expect([line, range.startsRm(line)]).toEqual([line, false]);
  }
  expect(allowed).toBeGreaterThan(30);
}, 180_000);
