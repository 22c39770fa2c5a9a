import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Both ends of the conversation with a person are a terminal. */
export function isConversation(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on the terminal. @param hidden what is typed is not shown */
export async function ask(question: string, hidden = false): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({
    input: process.stdin,
    output: hidden ? silent : process.stderr,
    terminal: true,
  });
  try {
    if (hidden) process.stderr.write(question);
    const answer = await reader.question(hidden ? '' : question);
    if (hidden) process.stderr.write('\n');
    return answer.trim();
  } finally {
    reader.close();
  }
}

/** All of stdin, for what a script hands in. */
export async function readStdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin)
    chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  return Buffer.concat(chunks).toString('utf8');
}
