import type { ServerCore } from '../core.ts';
import type { ToolDefinition } from '../tool.ts';
import { RUN_PROPERTIES } from './run-properties.ts';

export const LIST_MODELS_TEXT = {
  title: 'List agy models',
  description: `List the models that agy_run and agy_run_sync can be given, as the agent program names them; fails when it is missing or not signed in.`,
} as const;

export function listModels(core: ServerCore): ToolDefinition {
  return {
    name: 'list_models',
    ...LIST_MODELS_TEXT,
    annotations: { readOnlyHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        backend: {
          ...RUN_PROPERTIES.backend,
          description: 'agy or baton. Default: the configured one.',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        models: {
          type: 'array',
          items: { type: 'string' },
          description: 'Model ids, for the argument model.',
        },
        model_details: {
          type: 'array',
          description: 'The same models in the same order, with their labels.',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', description: 'Model id.' },
              label: { type: 'string', description: 'Name for people; empty when there is none.' },
            },
            required: ['id', 'label'],
            additionalProperties: false,
          },
        },
      },
      required: ['models', 'model_details'],
      additionalProperties: false,
    },
    async run(args, call) {
      const backend = await core.backend(typeof args.backend === 'string' ? args.backend : undefined);
      const models = await backend.listModels(call.environment, call.signal);
      return {
        structured: {
          models: models.map((model) => model.id),
          model_details: models.map(({ id, label }) => ({ id, label })),
        },
      };
    },
  };
}
