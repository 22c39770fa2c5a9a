import { KEY_VARIABLES } from '../../contract/provider-keys.ts';
import { readSavedKeys, SavedKeysError, savedKeysFile } from '../../platform/saved-keys.ts';
import { ask, isConversation, readStdinText } from '../ask.ts';
import { CommandError } from '../exit.ts';
import { type FlagTable, type ParsedFlags, parseFlags, UsageError } from '../flags.ts';
import { printable } from '../paint.ts';
import { dropKeys, keepKey } from '../setup/save-keys.ts';
import { tryKey } from '../setup/try-key.ts';

const FLAGS: FlagTable = {
  model: { kind: 'string' },
  test: { kind: 'boolean' },
  'no-test': { kind: 'boolean' },
  remove: { kind: 'boolean' },
};

const PROVIDERS = Object.keys(KEY_VARIABLES);

function variablesOf(provider: string): readonly string[] {
  const found = Object.entries(KEY_VARIABLES).find(([name]) => name === provider.toLowerCase());
  if (!found)
    throw new UsageError(`unknown provider ${JSON.stringify(provider)}: known are ${PROVIDERS.join(', ')}`);
  return found[1];
}

/** What is kept, without the keys themselves. */
function show(): void {
  const kept = readSavedKeys(process.env);
  if (!kept) {
    process.stdout.write(`No key is kept. To keep one: baton setup PROVIDER (${PROVIDERS.join(', ')})\n`);
    return;
  }
  process.stdout.write(`${savedKeysFile(process.env)}\n`);
  for (const [name, key] of Object.entries(kept.keys))
    process.stdout.write(`  ${name}: set (${key.length} characters)\n`);
  if (kept.model !== undefined) process.stdout.write(`  model: ${printable(kept.model)}\n`);
}

async function readKey(variable: string): Promise<string> {
  const text = isConversation()
    ? await ask(`${variable} (not shown): `, true)
    : (await readStdinText()).trim();
  if (text === '') throw new UsageError('no key was given: type it when asked, or hand it in on stdin');
  if (!/^[\x21-\x7E]+$/.test(text))
    throw new UsageError('this is no key: it has spaces, line ends or unusual signs in it');
  return text;
}

async function wantsTest(flags: ParsedFlags): Promise<boolean> {
  if (flags.has('test') || flags.has('no-test')) return flags.has('test');
  if (!isConversation()) return false;
  const answer = await ask('Try it with one small request to the provider (a fraction of a cent)? [Y/n] ');
  return !/^n/i.test(answer);
}

async function keep(provider: string, flags: ParsedFlags): Promise<number> {
  const [variable] = variablesOf(provider);
  if (variable === undefined) throw new TypeError(`${provider} has no key`);
  const key = await readKey(variable);
  const model = flags.text('model');
  if (model !== undefined && !model.startsWith(`${provider.toLowerCase()}/`))
    throw new UsageError(
      `--model ${model}: want a model of this provider, as ${provider.toLowerCase()}/NAME`,
    );
  const { file, kept } = keepKey(process.env, { variable, key, ...(model !== undefined && { model }) });
  process.stdout.write(`Kept in ${file}, readable by you alone.\n`);
  if (Object.keys(kept.keys).length > 1 && kept.model === undefined)
    process.stdout.write(
      `Several providers are kept: name the model of each run, or a default with --model ${provider}/NAME.\n`,
    );
  if (process.env[variable])
    process.stdout.write(`${variable} is also set in this shell; there it goes before the kept one.\n`);
  if (!(await wantsTest(flags))) return 0;
  const trial = await tryKey(variable, key, model);
  if (!trial.ok) throw new CommandError(`the key is kept, but the trial failed: ${trial.why}`);
  const tokens = trial.tokens === undefined ? '' : `, ${trial.tokens} tokens`;
  process.stdout.write(`It works: an answer after ${trial.seconds.toFixed(1)} s${tokens}.\n`);
  return 0;
}

/** `baton setup [PROVIDER]`: keeps the key of a model provider for clients that start without a shell's environment. */
export async function setup(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, FLAGS, { interspersed: true, command: 'baton setup' });
  const [word, ...rest] = flags.rest;
  if (rest.length > 0)
    throw new UsageError('baton setup takes one provider; the key itself is never an argument');
  try {
    if (flags.has('remove')) {
      if (word === undefined) throw new UsageError(`which provider? ${PROVIDERS.join(', ')}`);
      const had = dropKeys(process.env, word.toLowerCase(), variablesOf(word));
      process.stdout.write(had ? `The key of ${word} is removed.\n` : `No key of ${word} is kept.\n`);
      return 0;
    }
    if (word !== undefined) return await keep(word, flags);
    show();
    if (!isConversation()) return 0;
    const provider = await ask('Provider to keep a key of (empty: none): ');
    return provider === '' ? 0 : await keep(provider, flags);
  } catch (error) {
    if (error instanceof SavedKeysError) throw new CommandError(error.message);
    throw error;
  }
}
