import type { ToolDefinition } from '../tool.ts';
import { LARGE_RESULT_META } from '../tools/large-result.ts';
import { ADD_DIRS, BACKEND, EFFORT, MODEL } from './properties.ts';
import { relayTool } from './relay-tool.ts';
import { type RelayHouse, runRelayTool, startRelayTask } from './run-tool.ts';

export function geminiPlan(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-plan',
    title: 'Plan with Gemini',
    description:
      'Have Gemini draw up an implementation plan: phases in order, dependencies, risks, and how to check each phase. Read-only: nothing on disk is changed. To follow up, put the plan into a gemini-ask.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    properties: {
      task: {
        type: 'string',
        description: 'The feature, refactoring or problem to plan. @files are sent along.',
      },
      context: { type: 'string', description: 'Constraints and requirements; @files are sent along.' },
      model: {
        ...MODEL,
        description:
          'Model id. Default gemini-3.8-flash-high on agy; gemini-3.1-pro-high thinks deeper. Other backends use their own.',
      },
      effort: { ...EFFORT, description: 'Reasoning effort. Default high.' },
      addDirs: ADD_DIRS,
      includeUsage: { type: 'boolean', description: 'Add a line with tokens and time. Default true.' },
      backend: BACKEND,
    },
    required: ['task'],
    meta: {
      ...LARGE_RESULT_META,
      'anthropic/searchHint': 'plan architecture, implementation plan, design phases',
    },
    run: (args, call) => runRelayTool(house, 'gemini-plan', args, call),
    startTask: (args, call) => startRelayTask(house, 'gemini-plan', args, call),
  });
}
