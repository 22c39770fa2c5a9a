import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listModels } from '../../../src/agent/models/catalogue/catalogue.ts';
import { type SelectOptions, selectModel } from '../../../src/agent/models/select.ts';
import type { Model } from '../../../src/agent/models/types.ts';
import { ask } from '../../support/models/ask.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let home: string;
const servers: ModelServer[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'select-'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(home, { recursive: true, force: true });
});

async function serve(models: string[]): Promise<ModelServer> {
  const server = await startModelServer(() => ({ text: 'ok' }), { models });
  servers.push(server);
  return server;
}

/** No local server of this machine is found by a test, unless it says so. */
const NOWHERE = {
  OLLAMA_HOST: '127.0.0.1:1',
  LMSTUDIO_BASE_URL: 'http://127.0.0.1:1',
  LLAMACPP_BASE_URL: 'http://127.0.0.1:1',
};

function select(options: Partial<SelectOptions> = {}): Promise<Model> {
  return selectModel({
    signal: new AbortController().signal,
    ...options,
    environment: { HOME: home, ...NOWHERE, ...options.environment },
  });
}

const list = (environment: Record<string, string>, refresh = false) =>
  listModels({ HOME: home, ...NOWHERE, ...environment }, { refresh });

describe('a run that names no model', () => {
  it.each([
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-6.1-sol'],
    [{ GEMINI_API_KEY: 'k' }, 'google/gemini-3.8-flash'],
    [{ GOOGLE_API_KEY: 'k' }, 'google/gemini-3.8-flash'],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: 'k' }, 'google/gemini-3.8-flash'],
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5'],
    [{ GROQ_API_KEY: 'k' }, 'groq/openai/gpt-oss-120b'],
    [{ OPENAI_API_KEY: '  ', ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5'],
  ])('with %o takes %s', async (environment, id) => {
    const model = await select({ environment });
    expect(model.id).toBe(id);
    expect(model.notice).toBeUndefined();
  });

  it('with several keys is told to choose', async () => {
    const environment = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
    const error: unknown = await select({ environment }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'invalid_request' });
    for (const piece of ['OpenAI', 'Anthropic', '--model', 'BATON_MODEL', 'anthropic/claude-sonnet-5-5']) {
      expect(String(error)).toContain(piece);
    }
  });

  it('without a key uses a local server, and says so', async () => {
    const server = await serve(['qwen3:8b', 'other']);
    const model = await select({ environment: { OLLAMA_HOST: server.url.replace('http://', '') } });
    expect(model.id).toBe('ollama/qwen3:8b');
    expect(model.notice).toContain('ollama/qwen3:8b');
    expect(model.notice).toContain(server.url);
    expect((await ask(model, 'hi')).text).toBe('ok');
    expect(server.calls[0]?.body.model).toBe('qwen3:8b');
  });

  it('without anything is told the three ways', async () => {
    const error: unknown = await select().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'unavailable' });
    for (const piece of ['OPENAI_API_KEY', 'Ollama', 'BATON_MODEL']) expect(String(error)).toContain(piece);
  });

  it('is told of an address of a local server that is none', async () => {
    const refused = select({ environment: { OLLAMA_HOST: 'no address' } });
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request' });
    await expect(refused).rejects.toThrow('OLLAMA_HOST');
    expect((await list({ OLLAMA_HOST: 'no address' })).failures.join()).toContain('OLLAMA_HOST');
  });

  it('is told that the local server holds no model', async () => {
    const server = await serve([]);
    await expect(select({ environment: { OLLAMA_HOST: server.url } })).rejects.toThrow('holds no model');
  });

  it('takes the one model of a server of its own, and is told to choose among several', async () => {
    const one = await serve(['only-one']);
    const model = await select({ environment: { OPENAI_BASE_URL: `${one.url}/v1` } });
    expect(model.id).toBe('openai/only-one');
    const two = await serve(['first', 'second']);
    const choosing = select({ environment: { OPENAI_BASE_URL: `${two.url}/v1` } });
    await expect(choosing).rejects.toThrow(/openai\/first, openai\/second/);
  });

  it('obeys BATON_MODEL, and --model before it', async () => {
    const environment = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      BATON_MODEL: 'anthropic/claude-opus-5-5',
    };
    expect((await select({ environment })).id).toBe('anthropic/claude-opus-5-5');
    expect((await select({ environment, model: 'openai/gpt-6-luna' })).id).toBe('openai/gpt-6-luna');
  });
});

describe('a name', () => {
  const keys = { OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };

  it.each([
    ['openai/gpt-6-sol', 'openai/gpt-6-sol'],
    ['gemini/gemini-3.8-flash', 'google/gemini-3.8-flash'],
    ['OpenAI/gpt-6-sol', 'openai/gpt-6-sol'],
    ['gpt-6-sol', 'openai/gpt-6-sol'],
    ['claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['gemini-3.8-flash-high', 'google/gemini-3.8-flash'],
    ['openai/gpt-6-sol-low', 'openai/gpt-6-sol'],
  ])('%s is %s without asking anybody', async (model, id) => {
    expect((await select({ model, environment: keys })).id).toBe(id);
  });

  it('of an unset provider asks for its key', async () => {
    const error: unknown = await select({ model: 'anthropic/claude-opus-5-5' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind: 'auth' });
    expect(String(error)).toContain('ANTHROPIC_API_KEY');
    await expect(select({ model: 'claude-opus-5-5' })).rejects.toThrow('ANTHROPIC_API_KEY');
  });

  it('without its provider is looked up, by slug and by display name', async () => {
    const server = await serve(['llama-4-maverick', 'gemini-x']);
    const environment = { OPENAI_BASE_URL: `${server.url}/v1`, GOOGLE_GEMINI_BASE_URL: server.url };
    expect((await select({ model: 'display gemini-x (High)', environment })).id).toBe('google/gemini-x');
    const both = select({ model: 'llama-4-maverick', environment });
    await expect(both).rejects.toMatchObject({ kind: 'invalid_request' });
    await expect(both).rejects.toThrow(/openai\/llama-4-maverick, google\/llama-4-maverick/);
    const only = { OPENAI_BASE_URL: `${server.url}/v1` };
    expect((await select({ model: 'llama-4-maverick', environment: only })).id).toBe(
      'openai/llama-4-maverick',
    );
  });

  it('that nobody knows lists the ones there are', async () => {
    const server = await serve(['right-one']);
    const environment = { OPENAI_BASE_URL: `${server.url}/v1` };
    const error: unknown = await select({ model: 'wrong-one', environment }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind: 'unknown_model' });
    expect(String(error)).toContain('invalid model selection (--model "wrong-one")');
    expect(String(error)).toContain('openai/right-one');
  });

  it('that really ends in an effort word is known from the last list', async () => {
    const server = await serve(['o9-mini-high', 'o9-mini']);
    const environment = { OPENAI_BASE_URL: `${server.url}/v1` };
    await list(environment);
    const model = await select({ model: 'openai/o9-mini-high', environment });
    expect(model.id).toBe('openai/o9-mini-high');
    expect((await select({ model: 'openai/o9-mini-low', environment })).id).toBe('openai/o9-mini');
  });

  it('with one effort contradicts another', async () => {
    const conflicting = select({ model: 'gemini-3.8-flash-high', effort: 'medium', environment: keys });
    await expect(conflicting).rejects.toThrow('--model gemini-3.8-flash-high conflicts with --effort=medium');
  });

  it('with an effort is refused where the model has no such control', async () => {
    const refused = select({ model: 'openai/gpt-4.1', effort: 'high', environment: keys });
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request' });
    await expect(refused).rejects.toThrow('not supported for model "openai/gpt-4.1"');
  });

  it.each([
    [{ OLLAMA_HOST: 'http://' }, 'ollama/x', 'OLLAMA_HOST'],
    [{ OPENAI_BASE_URL: 'not an address' }, 'openai/x', 'OPENAI_BASE_URL'],
    [{ OPENAI_API_KEY: 'k', BATON_OPENAI_API: 'soap' }, 'openai/x', 'BATON_OPENAI_API'],
    [{ OPENAI_API_KEY: 'k', BATON_MODEL_IDLE_TIMEOUT: 'soon' }, 'openai/x', 'BATON_MODEL_IDLE_TIMEOUT'],
    [{ OPENAI_API_KEY: 'k', BATON_MODEL_RETRIES: 'many' }, 'openai/x', 'BATON_MODEL_RETRIES'],
  ])('with %o is refused, naming the variable', async (environment, model, variable) => {
    const refused = select({ model, environment });
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request' });
    await expect(refused).rejects.toThrow(variable);
  });

  it('is stopped by an abort', async () => {
    const stopped = select({ model: 'whatever', signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ kind: 'aborted' });
  });

  it.each([
    ['127.0.0.1:PORT', 'a bare host and port'],
    [':PORT', 'a port with a colon'],
    ['PORT', 'a port alone'],
    ['0.0.0.0:PORT', 'the address a server listens on'],
    ['http://localhost:PORT/', 'a whole address'],
    ['http://127.0.0.1:PORT/v1', 'a whole address with its path'],
  ])('reaches Ollama by OLLAMA_HOST=%s', async (value) => {
    const server = await serve(['m']);
    const { port } = new URL(server.url);
    const model = await select({
      model: 'ollama/m',
      environment: { OLLAMA_HOST: value.replace('PORT', port) },
    });
    expect((await ask(model, 'hi')).text).toBe('ok');
    expect(server.calls[0]?.url).toBe('/v1/chat/completions');
  });
});

describe('what is known of a model', () => {
  it('is its window and its price, at the address of its provider', async () => {
    const model = await select({ model: 'openai/gpt-6.1-sol', environment: { OPENAI_API_KEY: 'k' } });
    expect(model.contextWindow).toBe(1_050_000);
    expect(model.price).toMatchObject({ input: 2, output: 10 });
  });

  it('is no price behind another address, and nothing for a model nobody knows', async () => {
    const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect((await select({ model: 'openai/gpt-6.1-sol', environment })).price).toBeUndefined();
    const unknown = await select({ model: 'openai/my-own', environment });
    expect(unknown.contextWindow).toBeUndefined();
    expect(unknown.price).toBeUndefined();
  });
});

describe('the catalogue', () => {
  it('lists providers, local servers, scripts and BATON_MODEL, with what is known of each', async () => {
    const google = await serve(['gemini-2.5-pro', 'text-embedding-9']);
    const ollama = await serve(['qwen3:8b']);
    const { models, failures } = await list({
      GOOGLE_GEMINI_BASE_URL: google.url,
      OLLAMA_HOST: ollama.url,
      BATON_MODEL: 'openai/chosen',
    });
    expect(failures).toEqual([]);
    const ids = models.map(({ id }) => id).filter((id) => !id.startsWith('replay/'));
    expect(ids).toEqual(['openai/chosen', 'google/gemini-2.5-pro', 'ollama/qwen3:8b']);
    expect(models.find(({ id }) => id === 'google/gemini-2.5-pro')).toMatchObject({
      label: 'Display gemini-2.5-pro',
      contextWindow: 1000,
      efforts: ['low', 'medium', 'high'],
    });
  });

  it('is kept for a day in a private file that holds no key, and asked for again when told to', async () => {
    const server = await serve(['a']);
    const environment = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'sk-very-secret' };
    await list(environment);
    await list(environment);
    expect(server.seen).toHaveLength(1);
    await list(environment, true);
    expect(server.seen).toHaveLength(2);
    await list({ ...environment, OPENAI_API_KEY: 'another account' });
    expect(server.seen).toHaveLength(3);

    const path = join(home, '.cache', 'baton', 'models.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('secret');

    const file = JSON.parse(readFileSync(path, 'utf8'));
    for (const entry of Object.values<{ at: number }>(file.entries)) entry.at -= 25 * 3_600_000;
    writeFileSync(path, JSON.stringify(file));
    await list(environment);
    expect(server.seen).toHaveLength(4);
    writeFileSync(path, '{"broken');
    expect((await list(environment)).models.map(({ id }) => id)).toContain('openai/a');
  });

  it('names what could not be asked and lists the rest', async () => {
    const server = await serve(['a']);
    const { models, failures } = await list({
      OPENAI_BASE_URL: `${server.url}/v1`,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      GROQ_BASE_URL: 'no address at all',
    });
    expect(models.map(({ id }) => id)).toContain('openai/a');
    expect(failures).toHaveLength(2);
    expect(failures.join('\n')).toContain('Anthropic');
    expect(failures.join('\n')).toContain('GROQ_BASE_URL');
  });
});
