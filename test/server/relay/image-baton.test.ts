import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../../support/mcp.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';
import { callRelay } from '../../support/relay.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');
const DRAWING: ScriptedReply = {
  calls: [
    {
      name: 'generate_image',
      arguments: { Prompt: 'a red fox', ImageName: 'fox', AspectRatio: '16:9', ImageSize: '2K' },
    },
  ],
};

/** gemini-image over our own agent, with a stand-in for the providers of models and images. */
let house: ServerHouse;
let models: ModelServer | undefined;
beforeEach(() => {
  house = serverHouse({ AGY_MCP_AGY_PATH: undefined, BATON_BACKEND: 'baton', BATON_MODEL: 'openai/mock-1' });
});
afterEach(async () => {
  await models?.close();
  models = undefined;
  await house.remove();
});

function withImages(server: ModelServer): Record<string, string> {
  return { ...server.environment('chat'), ...server.environment('google') };
}

describe('gemini-image with BATON_BACKEND=baton', () => {
  it('gives back the picture that the run made, and puts a copy into the project', async () => {
    models = await startModelServer([DRAWING, { text: 'The fox is done.' }], { image: PNG });
    const session = await house.connect({ environment: withImages(models) });
    const reply = await callRelay(session, 'gemini-image', {
      prompt: 'a red fox',
      aspectRatio: '16:9',
      size: '2K',
      outputPath: 'art/fox.jpg',
    });
    expect(reply.shown).not.toContain('(error)');
    expect(reply.items.at(-1)).toBe(`<image/png, ${PNG.length} bytes>`);
    expect(reply.items[0]).toContain('**Saved to Project:** `art/fox.png`');
    expect(reply.items[0]).toMatch(/\*File: `\S+\/conversations\/[0-9a-f-]{36}\/output\/fox\.png`\*/);
    expect(readFileSync(join(house.work, 'art/fox.png'))).toEqual(PNG);
    expect(models.imageCalls).toHaveLength(1);
    // The wanted form reaches the agent's model in the words of the prompt.
    expect(JSON.stringify(models.calls[0]?.body.messages)).toContain('Image Size: 2K');
  });

  it('is an error when the run made none, and nothing is written', async () => {
    models = await startModelServer([{ text: 'Here it is: ![fox](/nowhere/fox.png)' }], { image: PNG });
    const session = await house.connect({ environment: withImages(models) });
    const reply = await callRelay(session, 'gemini-image', { prompt: 'a fox', outputPath: 'fox.png' });
    expect(reply.isError).toBe(true);
    expect(reply.items[0]).toContain('no image was made in this run');
    expect(existsSync(join(house.work, 'fox.png'))).toBe(false);
  });

  it('starts nothing when no provider of images is set up, and names the ways out', async () => {
    models = await startModelServer([DRAWING], { image: PNG });
    const session = await house.connect({ environment: models.environment('chat') });
    const reply = await callRelay(session, 'gemini-image', { prompt: 'a fox' });
    expect(reply.isError).toBe(true);
    expect(reply.items[0]).toContain('set GEMINI_API_KEY, OPENAI_API_KEY (of OpenAI itself)');
    expect(reply.items[0]).toContain('BATON_IMAGE_MODEL');
    expect(models.calls).toHaveLength(0);
  });
});
