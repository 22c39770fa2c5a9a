import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseImageModel } from '../../../src/agent/images/choose-model.ts';
import { hasImageProvider } from '../../../src/contract/image-providers.ts';

type Variables = Record<string, string>;

/** An environment whose configuration folder is empty, or holds kept keys. */
function withConfig(environment: Variables, kept?: Variables): Variables {
  const folder = mkdtempSync(join(tmpdir(), 'baton-images-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (kept) {
    mkdirSync(join(folder, 'baton'));
    writeFileSync(join(folder, 'baton', 'keys.json'), JSON.stringify({ format: 1, keys: kept }), {
      mode: 0o600,
    });
  }
  return { ...environment, XDG_CONFIG_HOME: folder };
}

function idOf(environment: Variables, runModel: string): string | undefined {
  const choice = chooseImageModel(environment, runModel);
  return choice && `${choice.endpoint.provider.id}/${choice.model}`;
}

const BOTH = { GEMINI_API_KEY: 'k', OPENAI_API_KEY: 'k' };

test.each<[Variables, string, string | undefined]>([
  [BOTH, 'openai/x', 'openai/gpt-image-2'],
  [BOTH, 'anthropic/x', 'google/gemini-3.1-flash-image-preview'],
  [BOTH, 'google/gemini-3-pro-image-preview', 'google/gemini-3-pro-image-preview'],
  [{ OPENAI_API_KEY: 'k' }, 'google/x', 'openai/gpt-image-2'],
  [{ OPENROUTER_API_KEY: 'k' }, 'openrouter/x', 'openrouter/google/gemini-3.1-flash-image-preview'],
  [{ XAI_API_KEY: 'k' }, 'ollama/x', 'xai/grok-imagine-image'],
  [
    { ...BOTH, BATON_IMAGE_MODEL: 'google/imagen-4.0-generate-001' },
    'openai/x',
    'google/imagen-4.0-generate-001',
  ],
  [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/x', undefined],
  [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://local' }, 'openai/x', undefined],
  [BOTH, 'replay/x', undefined],
])('with %j a run of %s makes images with %s', (environment, runModel, expected) => {
  expect(idOf(withConfig(environment), runModel)).toBe(expected);
});

test('a key that setup keeps counts, but adds no provider to those that the environment sets up', () => {
  const kept = { GEMINI_API_KEY: 'kept' };
  expect(idOf(withConfig({}, kept), 'google/x')).toBe('google/gemini-3.1-flash-image-preview');
  const local = { OPENAI_BASE_URL: 'http://local' };
  expect(idOf(withConfig(local, kept), 'openai/x')).toBeUndefined();
  expect(idOf(withConfig(local, kept), 'google/x')).toBe('google/gemini-3.1-flash-image-preview');
});

test.each<[Variables, string]>([
  [
    { BATON_IMAGE_MODEL: 'nonsense' },
    'names no model that makes images; write provider/model, such as google/',
  ],
  [{ BATON_IMAGE_MODEL: 'anthropic/claude' }, 'names no model that makes images'],
  [{ BATON_IMAGE_MODEL: 'google/x' }, 'there is no key for Google: set GEMINI_API_KEY'],
])('the choice %j is refused', (environment, message) => {
  expect(() => chooseImageModel(withConfig(environment), 'ollama/x')).toThrow(message);
});

test.each<[Variables, boolean]>([
  [{}, false],
  [{ ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: ' ' }, false],
  [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://local' }, false],
  [{ OPENAI_API_KEY: 'k' }, true],
  [{ GOOGLE_API_KEY: 'k' }, true],
  [{ BATON_IMAGE_MODEL: 'openai/local' }, true],
])('%j makes images: %s', (environment, expected) => {
  expect(hasImageProvider(environment)).toBe(expected);
});
