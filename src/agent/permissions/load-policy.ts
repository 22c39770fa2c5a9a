import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../platform/errors.ts';
import { configDir, stateDir } from '../../platform/paths.ts';
import { savedKeysFile } from '../../platform/saved-keys.ts';
import { secretPaths } from '../sandbox/secret-paths.ts';
import { followLinks } from '../tools/resolve-path.ts';
import type { Workspace } from '../tools/types.ts';
import { decide } from './decide.ts';
import { type RuleContext, readRule } from './rules.ts';
import { type PermissionSettings, readPermissionSettings, SettingsError } from './settings.ts';
import type { Mode, PermissionMode, Policy, Rule } from './types.ts';

export interface PolicyOptions {
  environment: Readonly<Record<string, string | undefined>>;
  workspace: Workspace;
  mode: Mode;
  /** `--dangerously-skip-permissions` */
  skipPermissions: boolean;
  /** Rules of this run, `--allow` and `--deny`. */
  allow?: readonly string[];
  deny?: readonly string[];
  /** Folders that may be read besides the workspace, even below our own state: this conversation's kept output. */
  readable?: readonly string[];
}

export interface LoadedPolicy {
  policy: Policy;
  /** Lines for stderr: rules of agy's settings that are not understood. */
  warnings: readonly string[];
}

function real(path: string): string {
  try {
    return followLinks(path);
  } catch {
    return path;
  }
}

interface Reading {
  context: RuleContext;
  warnings: string[];
}

function readRules(texts: readonly string[], source: string, own: boolean, reading: Reading): Rule[] {
  return texts.flatMap((text) => {
    let rule: Rule;
    try {
      rule = readRule(text, source, reading.context);
    } catch (error) {
      const message = `the rule ${JSON.stringify(text)} (${source}) cannot be used: ${errorMessage(error)}`;
      if (own) throw new SettingsError(message);
      // agy ignores this one itself.
      if (!text.trim().startsWith('unsandboxed(')) reading.warnings.push(message);
      return [];
    }
    if (rule.form.kind === 'nothing')
      reading.warnings.push(`the rule ${rule.text} (${source}) names nothing, so it matches nothing`);
    if (
      rule.form.kind === 'words' &&
      rule.form.sequences.some((words) => words.some((word) => /^\*$|:\*$/.test(word)))
    )
      reading.warnings.push(
        `the rule ${rule.text} (${source}) is compared word by word, * included; a rule covers whatever follows its words anyway`,
      );
    return [rule];
  });
}

const PERMISSION_MODES = ['request-review', 'always-proceed', 'strict'];

function settingsMode(settings: readonly PermissionSettings[], warnings: string[]): PermissionMode {
  const named: string[] = [];
  for (const { toolPermission, path } of settings) {
    if (toolPermission === undefined) continue;
    // `proceed-in-sandbox` lets commands run in agy's own sandbox; here they need a rule.
    if (PERMISSION_MODES.includes(toolPermission)) named.push(toolPermission);
    else if (toolPermission !== 'proceed-in-sandbox')
      warnings.push(
        `${path}: toolPermission ${JSON.stringify(toolPermission)} is not known and counts as request-review`,
      );
  }
  if (named.includes('strict')) return 'strict';
  return named[0] === 'always-proceed' ? 'always-proceed' : 'request-review';
}

/**
 * The policy of a run: the settings of the user (ours, and agy's where they exist), and the rules of the command line.
 * Nothing of a repository is read: its files grant nothing.
 * @throws {SettingsError} for a settings file or a rule of ours that cannot be used
 */
export function loadPolicy(options: PolicyOptions): LoadedPolicy {
  const { environment, workspace } = options;
  const home = environment.HOME || homedir();
  const own = join(configDir(environment), 'settings.json');
  const agy = join(home, '.gemini', 'antigravity-cli', 'settings.json');
  const settings = [readPermissionSettings(own, true), readPermissionSettings(agy, false)].filter(
    (found) => found !== undefined,
  );
  const reading: Reading = { context: { base: workspace.base, home }, warnings: [] };
  const collect = (name: 'allow' | 'ask' | 'deny'): Rule[] =>
    settings.flatMap((found) => readRules(found[name], found.path, found.own, reading));
  const fromSettings = settingsMode(settings, reading.warnings);
  const policy: Policy = {
    allow: [...collect('allow'), ...readRules(options.allow ?? [], '--allow', true, reading)],
    ask: collect('ask'),
    deny: [...collect('deny'), ...readRules(options.deny ?? [], '--deny', true, reading)],
    mode: options.mode,
    permissionMode: options.skipPermissions ? 'always-proceed' : fromSettings,
    readOutside:
      settings.find((found) => found.allowNonWorkspaceAccess !== undefined)?.allowNonWorkspaceAccess ?? false,
    workspace: workspace.folders,
    readable: (options.readable ?? []).map(real),
    closed: [
      ...new Set(
        [stateDir(environment), stateDir(environment, 'agy-mcp'), savedKeysFile(environment)].map(real),
      ),
    ],
    closedToWrites: [configDir(environment), join(home, '.gemini')].map(real),
    guarded: secretPaths(real(home)).map(real),
  };
  return { policy, warnings: reading.warnings };
}

/** Which paths a search has to leave out, although the folder it starts from may be read. */
export function createHiddenTest(policy: Policy): (path: string) => boolean {
  return (path) => decide(policy, [{ action: 'read_file', path, given: path }]).verdict !== 'allow';
}
