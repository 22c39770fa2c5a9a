import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
let program: string;

/** A program that writes five lines of 1 MB through the writer, flushes and exits with the code it was given. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-writer-'));
  program = join(folder, 'write.cjs');
  const writer = fileURLToPath(new URL('../../src/contract/ndjson-writer.ts', import.meta.url));
  await esbuild.build({
    stdin: {
      resolveDir: folder,
      loader: 'ts',
      contents: `
        import { createNdjsonWriter } from ${JSON.stringify(writer)};
        const writer = createNdjsonWriter(process.stdout);
        for (let i = 0; i < 5; i++) writer.write({ i, filler: 'z'.repeat(1024 * 1024) });
        writer.write({ last: true });
        writer.flush().then(() => {
          if (writer.failure) process.stderr.write('failed: ' + writer.failure.code);
          process.exit(Number(process.argv[2]));
        });`,
    },
    bundle: true,
    platform: 'node',
    outfile: program,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const complete = (text: string): boolean =>
  text.split('\n').length === 7 && text.endsWith('{"last":true}\n') && text.length > 5 * 1024 * 1024;

describe('the NDJSON writer', () => {
  it.each([0, 1, 3])('loses nothing on a pipe with a slow reader, exit code %i', async (code) => {
    const shell = spawn('sh', ['-c', `"$0" "$1" ${code} | (sleep 1; cat)`, process.execPath, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    shell.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(shell, 'close');
    expect(complete(Buffer.concat(chunks).toString())).toBe(true);
  });

  it.each([0, 1])(
    'loses nothing when its parent is a Node program that reads late, exit code %i',
    async (code) => {
      const child = spawn(process.execPath, [program, String(code)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.pause();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stdout.resume();
      await once(child, 'close');
      expect(child.exitCode).toBe(code);
      expect(complete(Buffer.concat(chunks).toString())).toBe(true);
    },
  );

  it('loses nothing on a file', async () => {
    const file = join(folder, 'out');
    const child = spawn(process.execPath, [program, '1'], {
      stdio: ['ignore', openSync(file, 'w'), 'inherit'],
    });
    await once(child, 'close');
    expect(complete(readFileSync(file, 'utf8'))).toBe(true);
  });

  it('ends and says so when the reader has gone', async () => {
    const shell = spawn(
      'sh',
      ['-c', '{ "$0" "$1" 7; echo "code $?" >&2; } | head -c 10', process.execPath, program],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let said = '';
    shell.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(shell, 'close');
    expect(said).toBe('failed: EPIPEcode 7\n');
  });
});
