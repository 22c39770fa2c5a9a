import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEnvironment } from '../../src/backends/child-environment.ts';
import type { Environment, Invocation } from '../../src/backends/types.ts';

export interface RunOutput {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The answer: of the last result, of the envelope, or the plain text. */
  response: string;
  conversationId: string;
}

/** Runs an invocation the way a job does: stdin and stdout are files. */
export async function runInvocation(
  invocation: Invocation,
  environment: Environment,
  folder: string,
): Promise<RunOutput> {
  const [input, output, errors] = ['input', 'output', 'errors'].map((name) => join(folder, name));
  writeFileSync(input!, invocation.stdin);
  const args = [...invocation.args];
  for (const file of invocation.files ?? []) {
    args[file.argument] = join(folder, file.name);
    writeFileSync(join(folder, file.name), file.content, { mode: 0o600 });
  }
  const stdio = [openSync(input!, 'r'), openSync(output!, 'a'), openSync(errors!, 'a')];
  const child = spawn(invocation.program, args, {
    cwd: invocation.cwd,
    env: applyEnvironment(environment, invocation.environment),
    stdio,
  });
  for (const fd of stdio) closeSync(fd);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const stdout = readFileSync(output!, 'utf8');
  return {
    code,
    stdout,
    stderr: readFileSync(errors!, 'utf8'),
    ...readAnswer(stdout, invocation.outputFormat),
  };
}

function readAnswer(
  stdout: string,
  format: Invocation['outputFormat'],
): Pick<RunOutput, 'response' | 'conversationId'> {
  if (format === 'text') return { response: stdout.trimEnd(), conversationId: '' };
  const lines = stdout.trim().split('\n');
  const last = JSON.parse(lines.at(-1) || '{}');
  const envelope = format === 'json' ? last : last.result;
  return { response: envelope?.response ?? '', conversationId: envelope?.conversation_id ?? '' };
}
