import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgyBackend } from '../../../src/backends/agy/agy.ts';
import { startRun } from '../../../src/jobs/start-run.ts';
import { placeFiles } from '../../../src/jobs/supervisor/place-files.ts';
import { bareEnvironment, STAND_IN } from '../../backends/support.ts';
import { jobsHouse } from '../../support/jobs.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'baton-place-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a file is private, and its path takes the place of its argument', () => {
  const where = folder();
  const old = process.umask(0);
  onTestFinished(() => void process.umask(old));
  const args = placeFiles(
    where,
    ['--json-schema', '?', '-p', 'x'],
    [{ name: 'schema.json', content: 'é', argument: 1 }],
  );
  const path = join(where, 'with-schema.json');
  expect(args).toEqual(['--json-schema', path, '-p', 'x']);
  expect(readFileSync(path, 'utf8')).toBe('é');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ['../job.json', 0],
  ['a/b', 0],
  ['', 0],
  ['.hidden', 0],
  ['ok', 2],
])('the name %j for argument %d is refused', (name, argument) => {
  expect(() => placeFiles(folder(), ['a'], [{ name, content: '', argument }])).toThrow(/cannot be placed/);
});

test('a job with a schema of 200 KB: agy reads it, and the record of the job stays small', async () => {
  const house = jobsHouse();
  onTestFinished(() => house.remove());
  const client = house.client();
  const backend = createAgyBackend({ forRelay: false });
  const { job } = await startRun(client, {
    kind: 'agy_run',
    request: {
      prompt: 'DO {"structured":{"a":1}}',
      cwd: house.folder,
      timeoutMs: 60_000,
      jsonSchema: JSON.stringify({ type: 'object', description: 'x'.repeat(200_000) }),
    },
    backend,
    environment: bareEnvironment(house.folder, { AGY_MCP_AGY_PATH: STAND_IN }),
    stateDir: house.stateDir,
  });
  await expect(client.wait(job.job_id, { timeoutMs: 30_000 })).resolves.toMatchObject({
    state: 'done',
    structured_output: { a: 1 },
  });
  expect(statSync(join(house.stateDir, 'jobs', job.job_id, 'job.json')).size).toBeLessThan(10_000);
});
