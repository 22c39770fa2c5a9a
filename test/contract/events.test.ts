import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { decodeEnvelope, decodeEvent } from '../../src/contract/decode-event.ts';
import { classifyErrorText, findAgyError } from '../../src/contract/outcome.ts';
import { agyErrorSchema, envelopeSchema, streamEventSchema } from '../../src/contract/schemas.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true });
const isEvent = ajv.compile(streamEventSchema);
const isEnvelope = ajv.compile(envelopeSchema);
const isAgyError = ajv.compile(agyErrorSchema);

const zero = { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 };

/** One line of each kind, as the published reference and the measurements show them. */
const samples: Record<string, Record<string, unknown>> = {
  init: {
    event: 'init',
    conversation_id: 'c3b66b04-872b-4fbe-a3a4-058a026ef20a',
    init: { cwd: '/w', tools: ['run_command'], permission_mode: 'request-review' },
  },
  'init with flags': {
    event: 'init',
    conversation_id: 'c',
    init: {
      cwd: '/w',
      tools: [],
      permission_mode: 'always-proceed',
      model: 'm',
      agent: 'a',
      json_schema: { type: 'object' },
      expanded_commands: [{ name: 'plan', type: 'system' }],
    },
  },
  'user input': {
    event: 'step_update',
    step_update: { conversation_id: 'c', step_index: 0, state: 'DONE', step_type: 'user_input' },
  },
  'text piece': {
    event: 'step_update',
    step_update: {
      conversation_id: 'c',
      step_index: 2,
      state: 'ACTIVE',
      step_type: 'agent_response',
      text_delta: 'apple',
    },
  },
  checkpoint: {
    event: 'step_update',
    step_update: {
      conversation_id: 'c',
      step_index: 4,
      state: 'DONE',
      step_type: 'checkpoint',
      duration_seconds: 0.53,
      usage: zero,
    },
  },
  tool: {
    event: 'step_update',
    step_update: {
      conversation_id: 'c',
      step_index: 4,
      state: 'DONE',
      step_type: 'tool',
      tool_name: 'run_command',
      duration_seconds: 0.07,
      tool_info: { name: 'run_command', parameters: { CommandLine: 'echo hi' }, output: 'hi\r\n' },
    },
  },
  'failed tool': {
    event: 'step_update',
    step_update: {
      conversation_id: 'c',
      step_index: 5,
      state: 'ERROR',
      step_type: 'tool',
      tool_name: 'view_file',
      tool_info: { name: 'view_file', error: { type: 'TOOL_ERROR', message: 'no such file' } },
    },
  },
  subagent: {
    event: 'step_update',
    step_update: {
      conversation_id: 'c',
      step_index: 6,
      state: 'DONE',
      step_type: 'subagent',
      tool_name: 'invoke_subagent',
      subagent_info: {
        subagents: [
          {
            type_name: 'research',
            role: 'r',
            conversation_id: 'd',
            log_uri: 'file:///l',
            workspace_uris: ['file:///w'],
          },
        ],
      },
    },
  },
  result: {
    event: 'result',
    result: {
      conversation_id: 'c',
      status: 'SUCCESS',
      response: 'ok\n',
      duration_seconds: 6.88,
      num_turns: 1,
      usage: zero,
    },
  },
  'result with all': {
    event: 'result',
    result: {
      conversation_id: '',
      status: 'ERROR',
      response: '',
      error: 'bad',
      duration_seconds: 0,
      num_turns: 0,
      structured_output: { major: 2 },
      json_schema: { type: 'object' },
      usage: zero,
      denied_actions: [{ action: 'command', display_name: 'RunCommand' }],
    },
  },
  'command result': { event: 'command_result', command: { name: 'usage', data: { groups: [] } } },
};

describe('events', () => {
  it.each(Object.entries(samples))('%s fits the schema and decodes to itself', (_name, sample) => {
    isEvent(sample);
    expect(isEvent.errors).toBeNull();
    expect(decodeEvent(sample)).toEqual(sample);
  });

  it.each([
    ['an unknown event', { event: 'future_thing', future_thing: {} }],
    ['a known one without its payload', { event: 'result' }],
    ['one whose payload is of a wrong type', { event: 'step_update', step_update: 'x' }],
    ['a number', 7],
    ['nothing', null],
    ['a list', []],
  ])('%s decodes to undefined', (_name, value) => {
    expect(decodeEvent(value)).toBeUndefined();
  });

  it('unknown fields and wrong types cost nothing but themselves', () => {
    expect(
      decodeEvent({
        event: 'result',
        extra: 1,
        result: {
          conversation_id: 7,
          status: 'SUCCESS',
          response: 'kept',
          duration_seconds: 'x',
          num_turns: 2,
          usage: null,
          new_field: {},
        },
      }),
    ).toEqual({
      event: 'result',
      result: {
        conversation_id: '',
        status: 'SUCCESS',
        response: 'kept',
        duration_seconds: 0,
        num_turns: 2,
        usage: zero,
      },
    });
  });

  it('an envelope must say something', () => {
    expect(decodeEnvelope({ conversation_id: 'c' })).toBeUndefined();
    expect(isEnvelope({ ...(samples.result!.result as object), status: 'MAYBE' })).toBe(false);
  });
});

describe('error texts', () => {
  it('an AGY_ERROR line is found among others, the last one counts', () => {
    const line = (status: string) =>
      `AGY_ERROR: {"short_error":"s","status":"${status}","error_code":429,"code_kind":"http","retryable":true,"error_id":"u-1"}`;
    const found = findAgyError(`error: x\n${line('UNAVAILABLE')}\nmore\n${line('RESOURCE_EXHAUSTED')}\ntail`);
    expect(found).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error_code: 429, retryable: true });
    expect(isAgyError(found)).toBe(true);
    expect(findAgyError('AGY_ERROR: not json')).toBeUndefined();
    expect(findAgyError('nothing')).toBeUndefined();
  });

  it.each([
    ['Individual quota reached. Resets in 120h9m43s.', 'quota_exhausted'],
    ['rate limit exceeded', 'quota_exhausted'],
    ['Rate-Limit hit', 'quota_exhausted'],
    ['got HTTP 429 from upstream', 'quota_exhausted'],
    ['RESOURCE_EXHAUSTED (code 429)', 'quota_exhausted'],
    ['Resource exhausted', 'quota_exhausted'],
    ['ResourceExhausted', 'quota_exhausted'],
    ['Too Many Requests', 'quota_exhausted'],
    ['Your AI credits balance is too low to continue.', 'quota_exhausted'],
    ['write failed: disk quota exceeded', undefined],
    ['disk quota exceeded after too many requests', 'quota_exhausted'],
    ['exit 429', undefined],
    ['', undefined],
    ['authentication failed or timed out', 'not_signed_in'],
    ["Error: authentication required. Run 'agy' to log in, then retry.", 'not_signed_in'],
    ['Please sign in to view available models.', 'not_signed_in'],
  ])('%s', (message, reason) => {
    expect(classifyErrorText(message)).toBe(reason);
  });
});
