import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Fields, isFields, textOr } from '../../src/contract/fields.ts';
import { FORMS, PNG, RICH_SCHEMA, WAV } from './fixture-content.ts';

export interface FixtureTool {
  description: string;
  inputSchema?: Fields;
  call(args: Fields, context: ServerContext): Promise<Result> | Result;
}

export const say = (text: string): Result => ({ content: [{ type: 'text', text }] });

/** The seal of states that a client carries from one round to the next. */
export const states = createRequestStateCodec<{ step: string }>({
  key: 'conformance fixtures, nothing to be kept secret',
});

const form = (message: string, requestedSchema: (typeof FORMS)[keyof typeof FORMS]): Fields => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema },
});
const sample = (text: string, maxTokens: number): Fields => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
});
const roots: Fields = { method: 'roots/list', params: {} };

/** The result that asks the client. What is asked is built by hand, as the wire has it. */
function ask(inputRequests: Fields, requestState?: string): Result {
  return { resultType: 'input_required', inputRequests, ...(requestState !== undefined && { requestState }) };
}

const answers = (context: ServerContext): Fields => context.mcpReq.inputResponses ?? {};

/** A field of the accepted form of that key, when it is a text. */
function formText(context: ServerContext, key: string, field: string): string | undefined {
  const answer = answers(context)[key];
  const content = isFields(answer) && answer.action === 'accept' ? answer.content : undefined;
  const value = isFields(content) ? content[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function sampledText(context: ServerContext, key: string): string | undefined {
  const answer = answers(context)[key];
  const content = isFields(answer) ? answer.content : undefined;
  return isFields(content) && typeof content.text === 'string' ? content.text : undefined;
}

function declared(context: ServerContext): Fields {
  const envelope: unknown = context.mcpReq.envelope;
  const capabilities = isFields(envelope)
    ? envelope['io.modelcontextprotocol/clientCapabilities']
    : undefined;
  return isFields(capabilities) ? capabilities : {};
}

async function notifyInSteps(
  context: ServerContext,
  method: string,
  steps: readonly Fields[],
): Promise<void> {
  for (const [index, params] of steps.entries()) {
    if (index > 0) await sleep(50);
    if (method === 'notifications/message')
      await context.mcpReq.notify({ method, params: { level: 'info', ...params, data: params.data } });
    else {
      const progressToken = context.mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: Number(params.progress), total: 100 },
        });
    }
  }
}

/** A tool that shows one form and reports what came back, on both eras. */
function reportForm(
  description: string,
  schema: keyof typeof FORMS,
  opening: string,
  inputSchema?: Fields,
): FixtureTool {
  return {
    description,
    ...(inputSchema && { inputSchema }),
    call(args, context) {
      const answer = answers(context).answer;
      if (!isFields(answer))
        return ask({ answer: form(textOr(args.message, 'Please fill in the form'), FORMS[schema]) });
      return say(
        `${opening}: action=${String(answer.action)}, content=${JSON.stringify(answer.content ?? {})}`,
      );
    },
  };
}

const oneText = (name: string): Fields => ({
  type: 'object',
  properties: { [name]: { type: 'string', description: name } },
  required: [name],
});

export const FIXTURE_TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: {
    description: 'a text',
    call: () => say('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'an image',
    call: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  },
  test_audio_content: {
    description: 'a sound',
    call: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'an embedded resource',
    call: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: 'three kinds of content',
    call: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    description: 'log messages on the way',
    async call(_args, context) {
      const texts = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
      await notifyInSteps(
        context,
        'notifications/message',
        texts.map((data) => ({ data })),
      );
      return say('Tool with logging executed successfully');
    },
  },
  test_tool_with_progress: {
    description: 'progress on the way',
    async call(_args, context) {
      await notifyInSteps(
        context,
        'notifications/progress',
        [0, 50, 100].map((progress) => ({ progress })),
      );
      return say('Tool with progress executed successfully');
    },
  },
  test_error_handling: {
    description: 'an error',
    call: () => ({ ...say('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_reconnection: {
    description: 'its stream is closed in the middle of the call',
    async call(_args, context) {
      context.http?.closeSSE?.();
      await sleep(200);
      return say('Reconnected');
    },
  },
  test_sampling: {
    description: 'asks the model of the client',
    inputSchema: oneText('prompt'),
    call(args, context) {
      const text = sampledText(context, 'answer');
      return text === undefined
        ? ask({ answer: sample(String(args.prompt), 100) })
        : say(`LLM response: ${text}`);
    },
  },
  test_elicitation: reportForm('shows a form', 'user', 'User response', oneText('message')),
  test_elicitation_sep1034_defaults: reportForm('a form with defaults', 'defaults', 'Elicitation completed'),
  test_elicitation_sep1330_enums: reportForm('a form with choices', 'enums', 'Elicitation completed'),
  test_streaming_elicitation: reportForm(
    'shows a form in the middle of a stream',
    'name',
    'Elicitation completed',
  ),
  test_logging_tool: {
    description: 'logs when the request asks for it',
    async call(_args, context) {
      await context.mcpReq.log('info', 'logged');
      return say('logged where wanted');
    },
  },
  json_schema_2020_12_tool: { description: 'a rich schema', inputSchema: RICH_SCHEMA, call: () => say('ok') },
  test_input_required_result_elicitation: {
    description: 'asks for a name',
    call(_args, context) {
      const name = formText(context, 'user_name', 'name');
      return name === undefined
        ? ask({ user_name: form('What is your name?', FORMS.name) })
        : say(`Hello, ${name}!`);
    },
  },
  test_input_required_result_sampling: {
    description: 'asks the model of the client',
    call(_args, context) {
      const text = sampledText(context, 'capital_question');
      return text === undefined
        ? ask({ capital_question: sample('What is the capital of France?', 100) })
        : say(text);
    },
  },
  test_input_required_result_list_roots: {
    description: 'asks for the roots',
    call(_args, context) {
      const answer = answers(context).client_roots;
      return isFields(answer) ? say(`roots: ${JSON.stringify(answer.roots)}`) : ask({ client_roots: roots });
    },
  },
  test_input_required_result_request_state: {
    description: 'has a state carried',
    async call(_args, context) {
      const state = context.mcpReq.requestState<{ step: string }>();
      if (state?.step === 'confirm' && answers(context).confirm !== undefined) return say('state-ok');
      return ask({ confirm: form('Please confirm', FORMS.ok) }, await states.mint({ step: 'confirm' }));
    },
  },
  test_input_required_result_tampered_state: {
    description: 'has a sealed state carried',
    async call(_args, context) {
      const state = context.mcpReq.requestState<{ step: string }>();
      if (state?.step === 'sealed') return say('state-ok');
      return ask({ confirm: form('Please confirm', FORMS.ok) }, await states.mint({ step: 'sealed' }));
    },
  },
  test_input_required_result_multiple_inputs: {
    description: 'asks for three things at once',
    async call(_args, context) {
      const given = answers(context);
      const keys = ['user_name', 'greeting', 'client_roots'];
      if (keys.every((key) => isFields(given[key])))
        return say(`Hello, ${formText(context, 'user_name', 'name') ?? '?'}!`);
      const wanted = {
        user_name: form('What is your name?', FORMS.name),
        greeting: sample('Generate a greeting', 50),
        client_roots: roots,
      };
      return ask(wanted, await states.mint({ step: 'three' }));
    },
  },
  test_input_required_result_multi_round: {
    description: 'asks twice',
    async call(_args, context) {
      const step = context.mcpReq.requestState<{ step: string }>()?.step;
      const color = formText(context, 'step2', 'color');
      if (step === '2' && color !== undefined) return say(`${color} it is`);
      if (step === '1' && formText(context, 'step1', 'name') !== undefined) {
        const second = form('Step 2: What is your favorite color?', FORMS.color);
        return ask({ step2: second }, await states.mint({ step: '2' }));
      }
      return ask({ step1: form('Step 1: What is your name?', FORMS.name) }, await states.mint({ step: '1' }));
    },
  },
  test_missing_capability: {
    description: 'needs sampling',
    call(_args, context) {
      if (isFields(declared(context).sampling)) return say('sampling is there');
      throw new ProtocolError(-32_021, 'Missing required client capability', {
        requiredCapabilities: { sampling: {} },
      });
    },
  },
  test_input_required_result_capabilities: {
    description: 'asks only what the client can answer',
    call(_args, context) {
      if (context.mcpReq.inputResponses) return say('answered');
      const { elicitation, sampling } = declared(context);
      return inputRequired({
        inputRequests: {
          ...(isFields(elicitation) && {
            name: inputRequired.elicit({
              message: 'What is your name?',
              requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
            }),
          }),
          ...(isFields(sampling) && {
            greeting: inputRequired.createMessage({
              messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
              maxTokens: 50,
            }),
          }),
        },
      });
    },
  },
};

export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${JSON.stringify(name)}`);
}

export { ask, form };
