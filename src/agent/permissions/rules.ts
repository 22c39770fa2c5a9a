import { isAbsolute, resolve } from 'node:path';
import { followLinks } from '../tools/resolve-path.ts';
import { readRuleWords } from './rule-words.ts';
import { ACTIONS, type Action, type Rule, type RuleForm } from './types.ts';

/** A rule that cannot be read. */
export class RuleError extends Error {
  override name = 'RuleError';
}

export interface RuleContext {
  /** The folder that relative paths start from. */
  base: string;
  home: string;
}

function isAction(name: string): name is Action {
  return ACTIONS.some((action) => action === name);
}

function readRegex(source: string): RuleForm {
  if (source === '') return { kind: 'nothing' };
  try {
    // The whole text has to match, so that `regex:git status` is not found inside `rm -rf / git status`.
    return { kind: 'regex', regex: new RegExp(`^(?:${source})$`, 's') };
  } catch (error) {
    throw new RuleError(error instanceof Error ? error.message : String(error));
  }
}

function readPaths(target: string, { base, home }: RuleContext): RuleForm {
  // A folder stands for all below it anyway, so these endings add nothing.
  const folder = target.replace(/(?<=.)\/\*{1,2}$/, '').replace(/(?<=.)\/+$/, '');
  if (/[*?]/.test(folder))
    throw new RuleError('patterns are not read in paths; name the folder, or use regex: for the whole path');
  const path = folder === '~' || folder.startsWith('~/') ? resolve(home, `.${folder.slice(1)}`) : folder;
  const absolute = isAbsolute(path) ? resolve(path) : resolve(base, path);
  try {
    return { kind: 'paths', paths: [...new Set([absolute, followLinks(absolute)])] };
  } catch {
    return { kind: 'paths', paths: [absolute] };
  }
}

/** A host as rules and requests are compared by. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function readHost(target: string): RuleForm {
  if (/[*/@\s]/.test(target))
    throw new RuleError('the target of read_url is a host name, such as example.com, or *');
  return { kind: 'host', host: plainHost(target) };
}

function readMcp(target: string): RuleForm {
  const [, server, tool] = /^([^/]+)\/(.+)$/.exec(target) ?? [];
  if (server === undefined || tool === undefined)
    throw new RuleError('the target of mcp is server/tool, server/* or *');
  return { kind: 'mcp', server, tool: tool === '*' ? undefined : tool };
}

function readForm(action: Action, target: string, context: RuleContext): RuleForm {
  if (target === '') return { kind: 'nothing' };
  if (target === '*') return { kind: 'all' };
  if (target.startsWith('regex:')) return readRegex(target.slice('regex:'.length));
  switch (action) {
    case 'command': {
      const sequences = readRuleWords(target);
      return sequences.length > 0 ? { kind: 'words', sequences } : { kind: 'nothing' };
    }
    case 'read_file':
    case 'write_file':
      return readPaths(target, context);
    case 'read_url':
    case 'execute_url':
      return readHost(target);
    case 'mcp':
      return readMcp(target);
    default:
      return action satisfies never;
  }
}

/**
 * Reads a rule `action(target)`.
 * @throws {RuleError} that names the cause but not the rule
 */
export function readRule(text: string, source: string, context: RuleContext): Rule {
  const [, name, inside] = /^\s*([\w-]+)\s*\((.*)\)\s*$/s.exec(text) ?? [];
  if (name === undefined || inside === undefined)
    throw new RuleError('a rule is written action(target), such as command(git) or write_file(src/)');
  if (!isAction(name)) throw new RuleError(`${name} is no action; the actions are ${ACTIONS.join(', ')}`);
  const target = inside.trim();
  return { action: name, target, text: text.trim(), source, form: readForm(name, target, context) };
}
