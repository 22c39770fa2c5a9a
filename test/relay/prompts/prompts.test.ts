import { describe, expect, test } from 'vitest';
import { brainstormPrompt, brainstormStartMessage } from '../../../src/relay/prompts/brainstorm.ts';
import { imagePrompt, imageStartMessage } from '../../../src/relay/prompts/image.ts';
import { METHODOLOGIES, methodologyBlock } from '../../../src/relay/prompts/methodologies.ts';
import { planPrompt, planStartMessage } from '../../../src/relay/prompts/plan.ts';

test('plan: goal, context only when given, and the five asks', () => {
  expect(
    planPrompt({ task: ' Retry with backoff for the upload queue ', context: 'see @src/upload.ts' }),
  ).toMatchSnapshot();
  expect(planPrompt({ task: 'x', context: '   ' })).not.toContain('What is known');
  // TRAP 1.2: the message tells the effort that is really asked for.
  expect(planStartMessage('low')).toBe(
    '🧠 Gemini is formulating deep architectural plan with low reasoning effort...',
  );
});

test('brainstorm: every part in order', () => {
  expect(
    brainstormPrompt({
      prompt: 'Cut our cold start',
      methodology: 'scamper',
      domain: 'software',
      constraints: 'two weeks',
      existingContext: 'Node 20',
      ideaCount: 10,
    }),
  ).toMatchSnapshot();
  const bare = brainstormPrompt({ prompt: 'x', includeAnalysis: false });
  expect(bare).toContain('12 ideas');
  expect(bare).not.toMatch(/Feasibility|Assessment|Context/);
  expect(brainstormStartMessage({ prompt: 'x' })).toBe('Generating 12 ideas via auto methodology...');
});

describe('each method is one of its own', () => {
  test.each(METHODOLOGIES)('%s', (name) => {
    expect(methodologyBlock(name, 'music')).toMatchSnapshot();
  });
  test('an unknown one is auto', () => {
    expect(methodologyBlock('voodoo')).toBe(methodologyBlock('auto'));
    expect(new Set(METHODOLOGIES.map((name) => methodologyBlock(name))).size).toBe(METHODOLOGIES.length);
  });
});

test('image: prompt, ratio and size travel in the words', () => {
  expect(imagePrompt({ prompt: 'a dark hero image', aspectRatio: '16:9', size: '2K' })).toMatchSnapshot();
  expect(imagePrompt({ prompt: 'x' })).toContain('Aspect Ratio: 1:1');
  expect(imagePrompt({ prompt: 'x' })).not.toContain('Image Size');
  expect(imageStartMessage({ prompt: 'x' })).toBe('🎨 Generating image with aspect ratio 1:1...');
});
