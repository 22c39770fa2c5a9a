import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectBackend } from '../../backends/select.ts';
import { isFields, parseJson, textOr } from '../../contract/fields.ts';
import { KEY_VARIABLES } from '../../contract/provider-keys.ts';

export type Trial = { ok: true; seconds: number; tokens: number | undefined } | { ok: false; why: string };

const PROMPT = 'Reply with the one word OK.';

/** The environment of the trial: this key and no other. */
function trialEnvironment(variable: string, key: string): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.values(KEY_VARIABLES).flat()) Reflect.deleteProperty(environment, name);
  Reflect.deleteProperty(environment, 'BATON_MODEL');
  environment[variable] = key;
  return environment;
}

function judge(stdout: string, stderr: string, startedAt: number): Trial {
  const result = parseJson(stdout);
  if (isFields(result) && result.status === 'SUCCESS') {
    const tokens = isFields(result.usage) ? result.usage.total_tokens : undefined;
    const seconds = (performance.now() - startedAt) / 1000;
    return { ok: true, seconds, tokens: typeof tokens === 'number' ? tokens : undefined };
  }
  const why = isFields(result) ? textOr(result.error) : '';
  return { ok: false, why: why || stderr.trim().split('\n').at(-1) || 'the agent gave no result' };
}

/** Sends one small request with a key, by the agent itself, in an empty folder and with nothing kept. */
export async function tryKey(variable: string, key: string, model: string | undefined): Promise<Trial> {
  const { backend } = selectBackend(process.env, { requested: 'baton' });
  const { program, leadingArgs } = await backend.resolve(process.env);
  const folder = mkdtempSync(join(tmpdir(), 'baton-setup-'));
  const startedAt = performance.now();
  const args = [
    '--print',
    PROMPT,
    '--mode',
    'plan',
    '--ephemeral',
    '--output-format',
    'json',
    '--print-timeout',
    '60s',
  ];
  try {
    return await new Promise<Trial>((resolve, reject) => {
      const child = spawn(
        program,
        [...leadingArgs, ...args, ...(model === undefined ? [] : ['--model', model])],
        {
          cwd: folder,
          env: trialEnvironment(variable, key),
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.once('error', reject);
      child.once('close', () => resolve(judge(stdout, stderr, startedAt)));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
