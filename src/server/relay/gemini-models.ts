import type { PropertySchema, ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';
import type { RelayHouse } from './run-tool.ts';

const OUTPUT: Readonly<Record<string, PropertySchema>> = {
  backend: { type: 'string', description: 'The backend of the gemini-* tools.' },
  default_model: {
    type: 'string',
    description: 'Answers where a call names no model; absent = the backend’s own choice.',
  },
  pinned_model: { type: 'string', description: 'What gemini-plan and gemini-image use.' },
  capabilities: {
    type: 'object',
    description: 'Which flags the installed program has; absent when it could not be asked.',
    additionalProperties: true,
  },
  models: {
    type: 'array',
    description: 'What can be passed as model.',
    items: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Model id.' },
        label: { type: 'string', description: 'Name for people; may be empty.' },
      },
      required: ['id', 'label'],
      additionalProperties: false,
    },
  },
  is_fallback: { type: 'boolean', description: 'true = a built-in list, not the account’s own.' },
  notices: { type: 'array', items: { type: 'string' }, description: 'What went wrong or should be known.' },
};

export function geminiModels({ core }: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-models',
    title: 'List Gemini models',
    description:
      'List the models that gemini-ask, gemini-plan and gemini-brainstorm can be given, the defaults, and what the active backend can do.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    outputSchema: {
      type: 'object',
      properties: OUTPUT,
      required: ['backend', 'models', 'is_fallback', 'notices'],
      additionalProperties: false,
    },
    async run(_args, call) {
      const { modelsData, modelsReport, modelsText } = await import('../../relay/listings/models.ts');
      const report = await modelsReport(await core.relayBackend(undefined), call.environment, call.signal);
      return { content: [{ type: 'text', text: modelsText(report) }], structured: modelsData(report) };
    },
  });
}
