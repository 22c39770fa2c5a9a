import { METHODOLOGIES } from '../../relay/prompts/methodologies.ts';
import type { ToolDefinition } from '../tool.ts';
import { LARGE_RESULT_META } from '../tools/large-result.ts';
import { BACKEND, EFFORT, MODEL } from './properties.ts';
import { relayTool } from './relay-tool.ts';
import { type RelayHouse, runRelayTool, startRelayTask } from './run-tool.ts';

export function geminiBrainstorm(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-brainstorm',
    title: 'Brainstorm with Gemini',
    description:
      'Have Gemini brainstorm ideas by a method (SCAMPER, design thinking, lateral, divergent, convergent, or its choice), each with an assessment of feasibility and impact.',
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    properties: {
      prompt: { type: 'string', description: 'The challenge or question. @files are sent along.' },
      model: MODEL,
      methodology: { type: 'string', enum: METHODOLOGIES, description: 'The method. Default auto.' },
      effort: EFFORT,
      domain: { type: 'string', description: 'Field of the ideas: software, business, product, …' },
      constraints: { type: 'string', description: 'Budget, time, technical or legal limits.' },
      existingContext: { type: 'string', description: 'Background, earlier attempts, present state.' },
      ideaCount: { type: 'integer', minimum: 1, description: 'How many ideas. Default 12.' },
      includeAnalysis: { type: 'boolean', description: 'Assess each idea. Default true.' },
      backend: BACKEND,
    },
    required: ['prompt'],
    meta: { ...LARGE_RESULT_META, 'anthropic/searchHint': 'brainstorm ideas, creative options' },
    run: (args, call) => runRelayTool(house, 'gemini-brainstorm', args, call),
    startTask: (args, call) => startRelayTask(house, 'gemini-brainstorm', args, call),
  });
}
