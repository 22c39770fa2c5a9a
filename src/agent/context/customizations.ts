import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Fields, textOr } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { isInside } from '../tools/resolve-path.ts';
import { readFrontMatter } from './front-matter.ts';
import { customizationFolders, type Places } from './places.ts';

/** A custom agent: an introduction of its own, perhaps fewer tools and another model. It never has more rights. */
export interface CustomAgent {
  name: string;
  description: string;
  path: string;
  introduction: string;
  /** Names of the tools it is given; undefined is all. */
  tools?: string[];
  /** `inherit` and the like count as unset. */
  model?: string;
  /** May be run with `--agent`. */
  isMain: boolean;
  /** May be called by another agent. */
  isSubagent: boolean;
  isHidden: boolean;
}

/** Instructions for a kind of task, used as `/name arguments` or by the model itself. */
export interface Skill {
  name: string;
  description: string;
  path: string;
  body: string;
  /** Whether `/name` expands it. */
  isCommand: boolean;
}

export interface Found<T> {
  items: T[];
  notices: string[];
}

function filesOf(folder: string, kind: 'agents' | 'skills'): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
  const inFolders = names.map((name) => join(folder, name, kind === 'agents' ? 'agent.md' : 'SKILL.md'));
  const plain =
    kind === 'agents' ? names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name)) : [];
  return [...plain, ...inFolders.filter((path) => existsSync(path))];
}

/** `research.md`, `research/agent.md` and `research/SKILL.md` are all called `research` unless they say otherwise. */
function nameOf(path: string, fields: Fields): string {
  const own = textOr(fields.name).trim();
  if (own !== '') return own;
  const file = basename(path);
  return file === 'agent.md' || file === 'SKILL.md' ? basename(dirname(path)) : file.slice(0, -'.md'.length);
}

async function readAll<T extends { name: string }>(
  places: Places,
  kind: 'agents' | 'skills',
  create: (path: string, fields: Fields, body: string) => T,
): Promise<Found<T>> {
  const items: T[] = [];
  const notices: string[] = [];
  const seen = new Set<string>();
  for (const folder of customizationFolders(places, kind)) {
    for (const path of filesOf(folder, kind)) {
      try {
        const real = realpathSync(path);
        if (seen.has(real)) continue;
        const home = places.workspace.find((workspace) => isInside(folder, workspace));
        if (home !== undefined && !isInside(real, home)) {
          notices.push(`${path} was left out: it is a link that leads out of the workspace`);
          continue;
        }
        seen.add(real);
        const { fields, body } = await readFrontMatter(readFileSync(real, 'utf8'));
        const item = create(path, fields, body);
        if (!items.some(({ name }) => name === item.name)) items.push(item);
      } catch (error) {
        notices.push(`${path} was left out: ${errorMessage(error)}`);
      }
    }
  }
  return { items, notices };
}

const flag = (value: unknown, fallback: boolean): boolean => (typeof value === 'boolean' ? value : fallback);
const INHERITED = new Set(['', 'inherit', 'flash', 'pro']);

function createAgent(path: string, fields: Fields, body: string): CustomAgent {
  const model = textOr(fields.model).trim();
  const tools = Array.isArray(fields.tools)
    ? fields.tools.filter((tool): tool is string => typeof tool === 'string')
    : undefined;
  return {
    name: nameOf(path, fields),
    description: textOr(fields.description).trim(),
    path,
    introduction: body.trim(),
    ...(tools && { tools }),
    ...(!INHERITED.has(model) && { model }),
    isMain: flag(fields.mainAgent, true),
    isSubagent: flag(fields.subagent, true),
    isHidden: flag(fields.hidden, false),
  };
}

function createSkill(path: string, fields: Fields, body: string): Skill {
  return {
    name: nameOf(path, fields),
    description: textOr(fields.description).trim(),
    path,
    body: body.trim(),
    isCommand: !flag(fields['disable-slash-command'], false),
  };
}

/** The custom agents of the workspace and the user; of one name the workspace's counts. */
export function findAgents(places: Places): Promise<Found<CustomAgent>> {
  return readAll(places, 'agents', createAgent);
}

/** The skills of the workspace and the user; of one name the workspace's counts. */
export function findSkills(places: Places): Promise<Found<Skill>> {
  return readAll(places, 'skills', createSkill);
}

/** What `/name arguments` becomes: the skill's text with the arguments in place of `$ARGUMENTS`, else behind it. */
export function expandSkill(skill: Skill, args: string): string {
  if (skill.body.includes('$ARGUMENTS')) return skill.body.replaceAll('$ARGUMENTS', () => args);
  return args === '' ? skill.body : `${skill.body}\n\n${args}`;
}
