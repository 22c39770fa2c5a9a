import type { ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';

export function geminiDoctor(): ToolDefinition {
  return relayTool({
    name: 'gemini-doctor',
    title: 'Diagnose the Gemini setup',
    description:
      'Say what is installed, which backend is active, whether its account is signed in and how much quota is left, and what to do about it. The first move when a gemini-* tool fails. Costs no tokens.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    async run(_args, call) {
      const { relayHealth } = await import('../../relay/doctor/health.ts');
      const { doctorReport } = await import('../../relay/doctor/report.ts');
      return { text: doctorReport(await relayHealth(call.environment, call.signal)) };
    },
  });
}
