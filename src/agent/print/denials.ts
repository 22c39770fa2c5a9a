import type { DeniedAction } from '../../contract/events.ts';
import { deniedAction, type Refusal } from '../permissions/types.ts';
import type { Tool, ToolOutcome } from '../tools/types.ts';
import { PROGRAM } from './flags.ts';

/** Keeps what was refused, for `denied_actions` (the conversation so far) and for the notice of a turn. */
export interface Denials {
  /** All of the conversation, each pair once. */
  readonly all: readonly DeniedAction[];
  /** Notes a refusal and words it for the model. */
  refuse(tool: Tool, refusal: Refusal): ToolOutcome;
  /** The stderr line of the turn that ends now, or undefined when nothing was refused in it for want of a rule. */
  takeNotice(hasOutput: boolean): string | undefined;
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** The notice that names the permissions and how to grant them. Callers look for `auto-denied` in it. */
export function denialNotice(
  actions: readonly string[],
  rules: readonly string[],
  hasOutput: boolean,
): string {
  const several = actions.length > 1;
  const what = several
    ? `one or more tools required the ${quoteAll(actions)} permissions that headless mode cannot prompt for, so they were auto-denied`
    : `a tool required the ${quoteAll(actions)} permission that headless mode cannot prompt for, so it was auto-denied`;
  const examples = rules.length > 0 ? ` (e.g. ${rules.join(', ')})` : '';
  return (
    `${PROGRAM}: ${hasOutput ? '' : 'no output produced — '}${what}. ` +
    `Add an allow-rule under permissions.allow in settings.json${examples}, or give it for one run with --allow. ` +
    'Alternatively, re-run with --dangerously-skip-permissions to auto-approve all tools.'
  );
}

export function createDenials(before: readonly DeniedAction[]): Denials {
  const all: DeniedAction[] = [...before];
  // Names and rules add up over the process, as in agy; the notice is due in turns that had a refusal.
  const actions = new Set<string>();
  const rules = new Set<string>();
  let due = false;
  return {
    all,
    refuse(tool, refusal) {
      const entry = deniedAction(refusal, tool.displayName);
      const known = all.some((a) => a.action === entry.action && a.display_name === entry.display_name);
      if (!known) all.push(entry);
      if (refusal.verdict === 'ask') {
        due = true;
        actions.add(refusal.action);
        for (const rule of refusal.rules) rules.add(rule);
      }
      return {
        output:
          `${refusal.reason}\nThe call was not made. Nobody can be asked in this run: do what can be done without it, ` +
          'and say what is missing.',
        isError: true,
        errorMessage: refusal.reason,
      };
    },
    takeNotice(hasOutput) {
      if (!due) return undefined;
      due = false;
      return denialNotice([...actions], [...rules], hasOutput);
    },
  };
}
