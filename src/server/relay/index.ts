import type { ServerCore } from '../core.ts';
import type { ToolDefinition } from '../tool.ts';
import { geminiAsk } from './gemini-ask.ts';
import { geminiBrainstorm } from './gemini-brainstorm.ts';
import { geminiCancel } from './gemini-cancel.ts';
import { geminiConversations } from './gemini-conversations.ts';
import { geminiDoctor } from './gemini-doctor.ts';
import { geminiFetchChunk } from './gemini-fetch-chunk.ts';
import { geminiHelp } from './gemini-help.ts';
import { geminiImage } from './gemini-image.ts';
import { geminiModels } from './gemini-models.ts';
import { geminiPing } from './gemini-ping.ts';
import { geminiPlan } from './gemini-plan.ts';
import { geminiTimeoutTest } from './gemini-timeout-test.ts';
import type { RelayHouse } from './run-tool.ts';
import { createFlights } from './runs.ts';

/** The relay tools of a server, in the order in which they are listed. */
export function createRelayTools(core: ServerCore): ToolDefinition[] {
  const house: RelayHouse = { core, flights: createFlights(), toldChoice: false };
  return [
    geminiAsk(house),
    geminiPlan(house),
    geminiImage(house),
    geminiModels(house),
    geminiDoctor(),
    geminiBrainstorm(house),
    geminiFetchChunk(house),
    geminiConversations(house),
    geminiCancel(house),
    geminiPing(),
    geminiHelp(house),
    ...(core.environment.GEMINI_MCP_TEST_TOOLS ? [geminiTimeoutTest()] : []),
  ];
}
