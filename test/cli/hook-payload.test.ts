import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHookPayload } from '../../src/cli/hook-payload.ts';

function read(response: unknown): { jobId?: string; state?: string } {
  const payload = readHookPayload(JSON.stringify({ tool_name: 't', tool_response: response }));
  return { jobId: payload?.jobId, state: payload?.state };
}

/** `depth` objects around a value. */
function nested(value: unknown, depth: number): unknown {
  return depth === 0 ? value : { inner: nested(value, depth - 1) };
}

describe('what a hook payload names (95)', () => {
  it('reads JSON inside of text, also inside of content blocks', () => {
    const text = JSON.stringify({ job_id: 'j1', state: 'done' });
    expect(read({ content: [{ type: 'text', text }] })).toEqual({ jobId: 'j1', state: 'done' });
    expect(read([{ type: 'text', text }])).toEqual({ jobId: 'j1', state: 'done' });
    expect(read(text)).toEqual({ jobId: 'j1', state: 'done' });
  });

  it('believes structured content before text, text before the rest', () => {
    const response = {
      job_id: 'outer',
      content: [{ type: 'text', text: '{"job_id":"text","state":"running"}' }],
      structuredContent: { job_id: 'structured' },
    };
    expect(read(response)).toEqual({ jobId: 'structured', state: 'running' });
    expect(read({ ...response, structuredContent: undefined })).toEqual({ jobId: 'text', state: 'running' });
  });

  it('takes an empty state for what it is, instead of looking for another', () => {
    const response = { structuredContent: { job_id: 'j', state: '', deeper: { state: 'done' } } };
    expect(read(response)).toEqual({ jobId: 'j', state: '' });
  });

  it('does not follow endless nesting', () => {
    expect(read(nested({ job_id: 'j' }, 20)).jobId).toBe('j');
    expect(read(nested({ job_id: 'j' }, 200)).jobId).toBeUndefined();
  });

  it('never throws, whatever the payload is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['object', 'undefined']).toContain(typeof readHookPayload(text));
      }),
    );
  });
});
