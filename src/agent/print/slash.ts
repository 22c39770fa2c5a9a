import { EXIT } from '../../contract/outcome.ts';
import {
  answeredBy,
  readSlash,
  refusalOf,
  type SlashCommand,
  streamRefusal,
} from '../commands/slash-names.ts';
import { expandSkill, type Skill } from '../context/customizations.ts';
import { RunError } from './failures.ts';

/** What a prompt asks for, once a leading slash was looked at. */
export interface ReadPrompt {
  /** What the model is given. */
  text: string;
  /** Nothing may be changed in this turn. */
  isPlan: boolean;
  /** For `init.expanded_commands`. */
  expanded?: { name: string; type: string };
}

const PLAN_LEAD = `Plan this and change nothing: study what is there, then answer with what to change, where, in which \
order, and how to check it.\n\n`;

/** The command of the CLI behind a prompt, or undefined. @throws {RunError} for one that cannot be used here */
export function commandOf(prompt: string): SlashCommand | undefined {
  const slash = readSlash(prompt);
  if (!slash) return undefined;
  const refusal = refusalOf(slash);
  if (refusal !== undefined) throw new RunError(refusal, { exit: EXIT.usage });
  const command = answeredBy(slash);
  if (command !== undefined && slash.args !== '') {
    throw new RunError(`/${slash.name} takes no arguments in print mode`, { exit: EXIT.usage });
  }
  return command;
}

/** Why a prompt cannot be a turn of a stream of prompts, or undefined. */
export function refusedInStream(prompt: string): string | undefined {
  const slash = readSlash(prompt);
  if (!slash) return undefined;
  return answeredBy(slash) === undefined ? refusalOf(slash) : streamRefusal(slash);
}

/** Expands `/skill arguments` and `/plan task`; any other slash is text for the model. */
export function expandPrompt(prompt: string, skills: readonly Skill[], isOn: boolean): ReadPrompt {
  const slash = isOn ? readSlash(prompt) : undefined;
  const skill = slash && skills.find(({ name, isCommand }) => isCommand && name === slash.name);
  if (skill) {
    const expanded = { name: skill.name, type: 'skill' };
    return { text: expandSkill(skill, slash.args), isPlan: false, expanded };
  }
  if (slash?.name === 'plan' && slash.args !== '') {
    return { text: PLAN_LEAD + slash.args, isPlan: true, expanded: { name: 'plan', type: 'system' } };
  }
  return { text: prompt, isPlan: false };
}
