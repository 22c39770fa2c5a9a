import { type Fields, isFields } from '../../contract/fields.ts';
import type { ServerCommand } from './clients.ts';
import { ConfigTextError } from './config-text.ts';

/** Longer than hook-wait's own limit of an hour: when the outer limit comes first, the wake is lost. */
const HOOK_TIMEOUT_SECONDS = 3700;

/** A word for the shell that Claude Code runs hooks in (bash on Windows as well). */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command of the hook: the same program as the server, on the same state folder. */
export function hookCommand(server: ServerCommand, state: Readonly<Record<string, string>>): string {
  const variables = Object.entries(state).map(([name, value]) => `${name}=${quoted(value)}`);
  const script = server.args.slice(0, -1);
  return [...variables, ...[server.command, ...script, 'hook-wait'].map(quoted)].join(' ');
}

/** Which tool calls are watched, by the name that the server is registered under. */
export function hookMatcher(name: string): string {
  return `mcp__${name}__agy_run(_sync)?`;
}

function isOurHook(hook: unknown): boolean {
  return isFields(hook) && typeof hook.command === 'string' && /\bhook-wait\b/.test(hook.command);
}

function groupsOf(settings: Fields): { hooks: Fields; groups: unknown[] } {
  const hooks = settings.hooks ?? {};
  if (!isFields(hooks)) throw new ConfigTextError('"hooks" is no object');
  const groups = hooks.PostToolUse ?? [];
  if (!Array.isArray(groups)) throw new ConfigTextError('"hooks.PostToolUse" is no list');
  return { hooks, groups };
}

function withoutHook(groups: readonly unknown[], matcher: string): unknown[] {
  return groups.flatMap((group) => {
    if (!isFields(group) || group.matcher !== matcher || !Array.isArray(group.hooks)) return [group];
    const kept: unknown[] = group.hooks.filter((hook) => !isOurHook(hook));
    if (kept.length === group.hooks.length) return [group];
    return kept.length > 0 ? [{ ...group, hooks: kept }] : [];
  });
}

/**
 * Settings of Claude Code in which the end of a job wakes the model. A hook of ours for the same name is brought up to
 * date where it stands; others are left alone.
 */
export function addWakeHook(settings: Fields, name: string, command: string): Fields {
  const { hooks, groups } = groupsOf(settings);
  const matcher = hookMatcher(name);
  const hook = { type: 'command', command, asyncRewake: true, timeout: HOOK_TIMEOUT_SECONDS };
  let found = false;
  const updated = groups.map((group: unknown) => {
    if (!isFields(group) || group.matcher !== matcher || !Array.isArray(group.hooks)) return group;
    const list: unknown[] = group.hooks;
    if (!list.some(isOurHook)) return group;
    found = true;
    return {
      ...group,
      hooks: list.map((other) => (isFields(other) && isOurHook(other) ? { ...other, ...hook } : other)),
    };
  });
  const all = found ? updated : [...groups, { matcher, hooks: [hook] }];
  return { ...settings, hooks: { ...hooks, PostToolUse: all } };
}

/** The settings without that hook, and without the lists that it alone was in. */
export function removeWakeHook(settings: Fields, name: string): Fields {
  const { hooks, groups } = groupsOf(settings);
  const left = withoutHook(groups, hookMatcher(name));
  if (left.length === groups.length && left.every((group, index) => group === groups[index])) return settings;
  const { PostToolUse: _gone, ...others } = hooks;
  if (left.length > 0) return { ...settings, hooks: { ...hooks, PostToolUse: left } };
  if (Object.keys(others).length > 0) return { ...settings, hooks: others };
  const { hooks: _hooks, ...rest } = settings;
  return rest;
}
