import type { SubagentInfo, Usage } from '../../contract/events.ts';
import type { ToolOutcome } from '../tools/types.ts';

export type SubagentEntry = SubagentInfo['subagents'][number];

/** What a call of `invoke_subagent` comes to. */
export interface SubagentOutcome extends ToolOutcome {
  subagents: SubagentEntry[];
  /** Of all of them together; it is part of the parent's use. */
  usage: Usage;
}

export function isSubagentOutcome(outcome: ToolOutcome): outcome is SubagentOutcome {
  return 'subagents' in outcome && 'usage' in outcome;
}
