import { findAgents, findSkills } from '../context/customizations.ts';
import type { Places } from '../context/places.ts';
import { type Answered, tabbed } from './answer.ts';

/** `agents` and `/agents`: one name a line. */
export async function answerAgents(places: Places): Promise<Answered> {
  const { items, notices } = await findAgents(places);
  const shown = items.filter(({ isHidden }) => !isHidden);
  return {
    text: tabbed(shown.map(({ name }) => [name])),
    answer: {
      name: 'agents',
      data: {
        agents: shown.map(({ name, description, path, isMain, isSubagent }) => ({
          name,
          description,
          path,
          main_agent: isMain,
          subagent: isSubagent,
        })),
      },
    },
    notices,
  };
}

/** `/skills`. */
export async function answerSkills(places: Places): Promise<Answered> {
  const { items, notices } = await findSkills(places);
  return {
    text: tabbed(items.map(({ name, description }) => [name, description])),
    answer: {
      name: 'skills',
      data: { skills: items.map(({ name, description, path }) => ({ name, description, path })) },
    },
    notices,
  };
}
