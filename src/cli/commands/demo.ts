import { errorMessage } from '../../platform/errors.ts';
import { serverCommand } from '../demo/add-lines.ts';
import { type DemoClient, startClient } from '../demo/demo-client.ts';
import { type DemoPlace, openPlace, SCRIPTED_QUESTION } from '../demo/demo-setup.ts';
import { showDemo } from '../demo/show-demo.ts';
import { CommandError } from '../exit.ts';
import { parseFlags, UsageError } from '../flags.ts';
import { createPaint } from '../paint.ts';

const LIVE_QUESTION = 'What does this project do, and how is it built? Answer in a few sentences.';

const NO_MODEL = `the scripted model answers only its own question. For any other one there are three ways to have a model:
  1. a provider's key: OPENAI_API_KEY, GEMINI_API_KEY or ANTHROPIC_API_KEY (and BATON_MODEL=provider/model to choose)
  2. a local server on its standard port: Ollama, LM Studio or llama.cpp
  3. any OpenAI-compatible server: OPENAI_BASE_URL and BATON_MODEL=openai/model
then: baton demo --live "your question"`;

/** `baton demo`, `baton demo --live ["question"]`. */
export async function demo(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(
    argv,
    { live: { kind: 'boolean' } },
    { interspersed: true, command: 'baton demo' },
  );
  const [question, ...others] = flags.rest;
  if (others.length > 0)
    throw new UsageError(`demo takes one question, got ${flags.rest.length}: put it in quotes`);
  const live = flags.has('live');
  if (!live && question !== undefined && question !== SCRIPTED_QUESTION) throw new CommandError(NO_MODEL);
  const place = openPlace(live);
  // Ctrl-C must leave neither the temporary folder nor its supervisor behind.
  let readerGone = false;
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve('interrupted'));
    // Nor must a reader that went away (`baton demo | head`): here it ends the demo, not at once the process.
    process.stdout.removeAllListeners('error');
    process.stdout.on('error', () => {
      readerGone = true;
      resolve('interrupted');
    });
  });
  const client = startClient(serverCommand(), { cwd: place.workspace, env: place.environment });
  const played = play(place, client, live, question);
  let outcome: 'interrupted' | undefined;
  try {
    outcome = await Promise.race([played, interrupted]);
  } finally {
    await client.then((open) => open.close()).catch(() => {});
    await place.remove();
  }
  if (outcome === undefined) return 0;
  if (readerGone) return process.exit(0);
  process.stderr.write('baton: interrupted\n');
  return process.exit(130);
}

async function play(
  place: DemoPlace,
  starting: Promise<DemoClient>,
  live: boolean,
  question: string | undefined,
): Promise<undefined> {
  const client = await starting;
  try {
    await showDemo(
      {
        place,
        live,
        question: question ?? (live ? LIVE_QUESTION : SCRIPTED_QUESTION),
        paint: createPaint(process.stdout),
        out: (text) => process.stdout.write(text),
      },
      client,
    );
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${errorMessage(error)}${client.log() ? `\nThe server said:\n${client.log()}` : ''}`,
    );
  }
}
