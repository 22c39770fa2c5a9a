import type { Policy, Rule } from '../permissions/types.ts';
import { type Answered, tabbed } from './answer.ts';

const shown = (rules: readonly Rule[]): { rule: string; source: string }[] =>
  rules.map(({ text, source }) => ({ rule: text, source }));

/** `/permissions`: the mode and the rules of a run with these flags. */
export function answerPermissions(policy: Policy): Answered {
  const { permissionMode, mode, workspace } = policy;
  const lists = { deny: shown(policy.deny), ask: shown(policy.ask), allow: shown(policy.allow) };
  return {
    text: tabbed([
      ['permission_mode', permissionMode],
      ['mode', mode],
      ...workspace.map((folder) => ['workspace', folder]),
      ...Object.entries(lists).flatMap(([list, rules]) =>
        rules.map(({ rule, source }) => [list, rule, source]),
      ),
    ]),
    answer: {
      name: 'permissions',
      data: { permission_mode: permissionMode, mode, workspace, ...lists },
    },
  };
}
