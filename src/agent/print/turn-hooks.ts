import type { Compactor } from '../context/compaction.ts';
import type { LoopHooks } from '../loop/types.ts';
import type { Decision, PermissionRequest } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import { type Caps, checkCaps } from './caps.ts';
import type { Denials } from './denials.ts';
import type { Ledger } from './ledger.ts';
import type { Redact } from './redact.ts';

export interface HookParts {
  caps: Caps;
  ledger: Ledger;
  compactor: Compactor;
  denials: Denials;
  decide: (requests: readonly PermissionRequest[]) => Decision;
  structured: StructuredOutput | undefined;
  redact: Redact;
  /** The model was found to take no tools. */
  onNoTools: (message: string) => void;
  signal: () => AbortSignal;
}

/** What permissions, budgets, compaction and schemas have to say in a turn. The loop knows none of them. */
export function createHooks(parts: HookParts): LoopHooks {
  const { structured, compactor } = parts;
  let takesTools = true;
  const hooks: LoopHooks = {
    async beforeModel(messages, callsMade) {
      checkCaps(parts.caps, callsMade, parts.ledger.total, parts.ledger.totalCost);
      return compactor.beforeModel(messages, parts.signal());
    },
    onOverflow: (messages) => compactor.onOverflow(messages, parts.signal()),
    async beforeTool(tool, _call, prepared) {
      const decision = parts.decide(prepared.requests);
      return decision.verdict === 'allow' ? undefined : parts.denials.refuse(tool, decision);
    },
    afterTool: (call, outcome) => compactor.limitResult(call.name, parts.redact(outcome)),
    planCall: () => structured?.planCall() ?? { withoutTools: !takesTools },
    onToolsRefused(error) {
      if (!takesTools) return false;
      takesTools = false;
      structured?.withoutTools();
      parts.onNoTools(error.message);
      return true;
    },
  };
  if (structured) {
    hooks.isAnswered = () => structured.answer() !== undefined || structured.isSpent();
    hooks.afterReply = (text) => structured.afterReply(text);
  }
  return hooks;
}
