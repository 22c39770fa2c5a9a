import type { Effort } from '../../backends/types.ts';

export interface PlanArguments {
  task: string;
  context?: string;
}

/** The prompt for a blueprint of work that somebody else will carry out. References in task and context are inlined. */
export function planPrompt({ task, context }: PlanArguments): string {
  const known = context?.trim() ? `\n## What is known\n\n${context.trim()}\n` : '';
  return `# Planning request

You are asked for a plan, not for the work itself: look at whatever you need, change nothing.

## Goal

${task.trim()}
${known}
## What the plan must contain

1. An analysis of the parts of the system that the goal touches and of what the goal requires of them, said and unsaid.
2. The work in phases, in the order in which they can be done; each phase leaves the system in a working state.
3. For each phase: what it depends on, the edge cases and risks in it, and how to verify that it is done.
4. Steps that an engineer or an agent can take as they stand: name the files, the functions and the decisions, and say what you are not sure of.
5. Signatures, schema sketches or pseudocode where words would leave room for doubt, and only there.`;
}

/** The first progress message of a plan. */
export function planStartMessage(effort: Effort): string {
  return `🧠 Gemini is formulating deep architectural plan with ${effort} reasoning effort...`;
}
