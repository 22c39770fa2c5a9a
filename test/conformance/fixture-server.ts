/**
 * A server for the official conformance suite: this package's own HTTP entry, guards, sessions, server class and tasks
 * code, with the suite's fixtures in the place of its tools. Prints `LISTENING <url>`.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../src/contract/fields.ts';
import type { ServerCore } from '../../src/server/core.ts';
import type { ServerFactory } from '../../src/server/create-server.ts';
import { serveHttp } from '../../src/server/http/serve-http.ts';
import { openCore } from '../../src/server/open-core.ts';
import { BatonServer } from '../../src/server/tasks/baton-server.ts';
import { serveTasks } from '../../src/server/tasks/serve-tasks.ts';
import { FORMS, PNG } from './fixture-content.ts';
import { fixtureTasks, taskTools } from './fixture-tasks.ts';
import { ask, FIXTURE_TOOLS, form, states, unknownTool } from './fixture-tools.ts';

const user = (content: Fields): Fields => ({ role: 'user', content });
const text = (value: string): Fields => user({ type: 'text', text: value });

const PROMPTS: Readonly<
  Record<string, { arguments?: Fields[]; get(args: Fields, context: ServerContext): Result }>
> = {
  test_simple_prompt: { get: () => ({ messages: [text('This is a simple prompt for testing.')] }) },
  test_prompt_with_arguments: {
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ arg1, arg2 }) => ({
      messages: [text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: ({ resourceUri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        text('Please process the embedded resource above.'),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({
      messages: [
        user({ type: 'image', data: PNG, mimeType: 'image/png' }),
        text('Please analyze the image above.'),
      ],
    }),
  },
  test_input_required_result_prompt: {
    get: (_args, context) =>
      context.mcpReq.inputResponses?.user_context === undefined
        ? ask({ user_context: form('What context should the prompt use?', FORMS.context) })
        : { messages: [text('Use the context that was given.')] },
  },
};

const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', description: 'a text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'an image', mimeType: 'image/png' },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'to be subscribed to',
    mimeType: 'text/plain',
  },
];

function readFixture(uri: string): Fields {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'watched' };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

const HANDLED = { params: { '~standard': passThrough() }, result: { '~standard': passThrough() } };

/** A schema that lets everything through: what the fixtures send is checked by the suite, not by us. */
function passThrough(): { version: 1; vendor: string; validate(value: unknown): { value: Fields } } {
  return { version: 1, vendor: 'fixtures', validate: (value) => ({ value: value as Fields }) };
}

function fixtureServer(core: ServerCore, era: 'legacy' | 'modern'): Server {
  const server = new BatonServer(
    { name: 'conformance-fixtures', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        ...(era === 'legacy' && { logging: {} }),
      },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  const tools = { ...FIXTURE_TOOLS, ...taskTools(core, server) };
  const on = (
    method: string,
    handle: (params: Fields, context: ServerContext) => Promise<Result> | Result,
  ): void => {
    server.setRequestHandler(method, HANDLED, async (params: unknown, context: ServerContext) =>
      handle(isFields(params) ? params : {}, context),
    );
  };
  on('tools/list', () => ({
    tools: Object.entries(tools).map(([name, tool]) => ({
      name,
      description: tool.description,
      inputSchema: tool.inputSchema ?? { type: 'object' },
    })),
  }));
  on('tools/call', (params, context) => {
    const name = String(params.name);
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) throw unknownTool(name);
    return tool.call((params.arguments ?? {}) as Fields, context);
  });
  on('resources/list', () => ({ resources: RESOURCES }));
  on('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'data by id',
        mimeType: 'application/json',
      },
    ],
  }));
  on('resources/read', ({ uri }) => ({ contents: [readFixture(String(uri))] }));
  on('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: name,
      arguments: prompt.arguments ?? [],
    })),
  }));
  on('prompts/get', (params, context) => {
    const prompt = PROMPTS[String(params.name)];
    if (!prompt)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown prompt ${String(params.name)}`);
    return prompt.get((params.arguments ?? {}) as Fields, context);
  });
  on('completion/complete', () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }));
  if (era === 'modern') serveTasks(server, fixtureTasks(core));
  else {
    on('resources/subscribe', () => ({}));
    on('resources/unsubscribe', () => ({}));
  }
  return server;
}

async function main(): Promise<void> {
  const { core } = openCore({ name: 'baton', environment: process.env, cwd: process.cwd() });
  const createFactory =
    (shared: ServerCore): ServerFactory =>
    ({ era } = { era: 'legacy' }) =>
      fixtureServer(shared, era);
  const running = await serveHttp(core, { address: { host: '127.0.0.1', port: 0 }, createFactory });
  process.stdout.write(`LISTENING ${running.url}\n`);
  process.once('SIGTERM', () => void running.close().then(() => process.exit(0)));
}

void main();
