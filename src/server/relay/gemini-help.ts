import type { BackendName } from '../../backends/types.ts';
import { errorMessage } from '../../platform/errors.ts';
import type { ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';
import type { RelayHouse } from './run-tool.ts';

const PROGRAMS: Record<BackendName, string> = {
  agy: 'Antigravity CLI (agy)',
  gemini: 'Gemini CLI',
  baton: 'baton-agent',
};

export function geminiHelp({ core }: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-help',
    title: 'Help of the backend CLI',
    description: 'Print the help text of the command-line program that the active backend is.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run(_args, call) {
      const { backend } = await core.relayBackend(undefined);
      try {
        return { text: await backend.helpText(call.environment, call.signal) };
      } catch (error) {
        return { text: `${PROGRAMS[backend.name]} help unavailable: ${errorMessage(error)}` };
      }
    },
  });
}
