import { isInside, relativePath } from '../tools/resolve-path.ts';
import { isCovered, mayConcern, missingRules } from './command-rules.ts';
import { plainHost } from './rules.ts';
import type {
  CommandRequest,
  Decision,
  FileRequest,
  McpRequest,
  PermissionRequest,
  Policy,
  Refusal,
  Rule,
  UrlRequest,
} from './types.ts';

const ALLOW: Decision = { verdict: 'allow' };
const NOBODY = 'and nobody can be asked in headless mode';

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function targetOf(request: PermissionRequest): string {
  switch (request.action) {
    case 'read_file':
    case 'write_file':
      return request.given;
    case 'command':
      return request.commandLine;
    case 'read_url':
    case 'execute_url':
      return request.url;
    case 'mcp':
      return `${request.server}/${request.tool}`;
    default:
      return request satisfies never;
  }
}

function deny(request: PermissionRequest, cause: string): Refusal {
  const { action } = request;
  const reason = `Permission denied for ${action}(${shorten(targetOf(request))}). ${cause}`;
  return { verdict: 'deny', action, reason, rules: [] };
}

function denyByRule(request: PermissionRequest, rule: Rule): Refusal {
  return deny(request, `Matches user-configured deny rule ${rule.text} (${rule.source}).`);
}

function ask(request: PermissionRequest, cause: string, rules: readonly string[]): Refusal {
  const { action } = request;
  const target = JSON.stringify(shorten(targetOf(request)));
  return {
    verdict: 'ask',
    action,
    reason: `permission check failed for ${action} ${target}: ${cause}, ${NOBODY}`,
    rules,
  };
}

function askByRule(request: PermissionRequest, rule: Rule): Refusal {
  return ask(request, `the rule ${rule.text} (${rule.source}) asks for it`, []);
}

function of(rules: readonly Rule[], ...actions: readonly string[]): Rule[] {
  return rules.filter((rule) => actions.includes(rule.action));
}

function matchesPath(rule: Rule, paths: readonly string[]): boolean {
  const { form } = rule;
  if (form.kind === 'all') return true;
  if (form.kind === 'regex') return paths.some((path) => form.regex.test(path));
  return form.kind === 'paths' && paths.some((path) => form.paths.some((folder) => isInside(path, folder)));
}

/** The folder of the list that a path lies in, the deepest one. */
function deepest(path: string, folders: readonly string[]): number {
  return Math.max(-1, ...folders.filter((folder) => isInside(path, folder)).map((folder) => folder.length));
}

function isClosed(policy: Policy, path: string): boolean {
  return deepest(path, policy.closed) > deepest(path, policy.readable);
}

/** Git runs what its own folder says (hooks, pagers, filters), so writing there is as good as running a command. */
function isGitFolder(path: string, folder: string): boolean {
  return relativePath(folder, path)
    .split('/')
    .some((name) => name.toLowerCase() === '.git');
}

function decideFile(policy: Policy, request: FileRequest): Decision {
  const { action, path, given } = request;
  const writes = action === 'write_file';
  const denied = of(policy.deny, 'read_file', ...(writes ? ['write_file'] : []));
  const rule = denied.find((candidate) => matchesPath(candidate, [path, given]));
  if (rule) return denyByRule(request, rule);
  if (isClosed(policy, path)) return deny(request, "It belongs to the agent's own state.");
  if (writes && policy.closedToWrites.some((folder) => isInside(path, folder)))
    return deny(request, 'Matches hardcoded system protection boundary rule: it holds permission settings.');
  if (writes && policy.mode === 'plan') return deny(request, 'Nothing is written in plan mode.');
  if (policy.permissionMode === 'always-proceed') return ALLOW;
  const asked = of(policy.ask, 'read_file', ...(writes ? ['write_file'] : []));
  const question = asked.find((candidate) => matchesPath(candidate, [path, given]));
  if (question) return askByRule(request, question);
  const granted = of(policy.allow, 'write_file', ...(writes ? [] : ['read_file']));
  // What is granted is the real place: a link in a granted folder may lead anywhere.
  if (granted.some((candidate) => matchesPath(candidate, [path]))) return ALLOW;
  return decideFileByPlace(policy, request);
}

function decideFileByPlace(policy: Policy, request: FileRequest): Decision {
  const { action, path } = request;
  const writes = action === 'write_file';
  const rules = [`${action}(${path})`];
  if (!writes && deepest(path, policy.readable) >= 0) return ALLOW;
  if (policy.permissionMode === 'strict') return ask(request, 'the permission mode is strict', rules);
  if (policy.guarded.some((folder) => isInside(path, folder)))
    return ask(request, 'it is a place where keys and sign-ins are kept', rules);
  if (!writes && policy.readOutside) return ALLOW;
  const folder = policy.workspace.find((candidate) => isInside(path, candidate));
  if (folder === undefined) return ask(request, 'it is outside the workspace', rules);
  if (writes && isGitFolder(path, folder))
    return ask(request, 'git runs what is written in its folder', rules);
  return ALLOW;
}

function denyCommand(policy: Policy, request: CommandRequest): Refusal | undefined {
  const { script, commandLine, mentions } = request;
  for (const rule of of(policy.deny, 'command')) {
    if (rule.target === commandLine.trim() || script.parts.some((part) => mayConcern(rule, part)))
      return denyByRule(request, rule);
  }
  for (const rule of of(policy.deny, 'read_file')) {
    // A rule against all reading is no reason to refuse every command that has a word in it.
    if (rule.form.kind !== 'all' && mentions.some((path) => matchesPath(rule, [path])))
      return denyByRule(request, rule);
  }
  if (mentions.some((path) => isClosed(policy, path)))
    return deny(request, "It names the agent's own state.");
  return undefined;
}

function decideCommand(policy: Policy, request: CommandRequest): Decision {
  const { script, commandLine } = request;
  const denied = denyCommand(policy, request);
  if (denied) return denied;
  if (policy.mode === 'plan') return deny(request, 'No command is run in plan mode.');
  const rules = of(policy.allow, 'command');
  const always = policy.permissionMode === 'always-proceed';
  const questions = always ? [] : of(policy.ask, 'command');
  if (script.problem !== undefined) {
    const anything = always || rules.some((rule) => rule.form.kind === 'all');
    const bound = questions.length > 0 || of(policy.deny, 'command').length > 0;
    if (anything && !bound) return ALLOW;
    return deny(request, `It cannot be judged: ${script.problem}.`);
  }
  if (always) return ALLOW;
  const question = questions.find((rule) => script.parts.some((part) => mayConcern(rule, part)));
  if (question) return askByRule(request, question);
  if (rules.some((rule) => rule.form.kind === 'all' || rule.target === commandLine.trim())) return ALLOW;
  if (script.parts.length > 0 && script.parts.every((part) => isCovered(part, rules))) return ALLOW;
  const missing = script.parts.map((part) => missingRules(part, rules));
  if (script.parts.length === 0) missing.push([`command(${commandLine.trim()})`]);
  if (missing.some((found) => found === undefined))
    return deny(request, 'No rule can allow it: what it runs depends on values known only at run time.');
  return ask(request, 'no rule allows it', [...new Set(missing.flatMap((found) => found ?? []))]);
}

function decideUrl(policy: Policy, request: UrlRequest): Decision {
  let url: URL;
  try {
    url = new URL(request.url);
  } catch {
    return deny(request, 'It is no address.');
  }
  const hosts = [plainHost(url.hostname), plainHost(url.host)];
  const matches = (rule: Rule): boolean => {
    const { form } = rule;
    if (form.kind === 'all') return true;
    if (form.kind === 'regex') return form.regex.test(request.url);
    return form.kind === 'host' && hosts.includes(form.host);
  };
  const denied = of(policy.deny, request.action).find(matches);
  if (denied) return denyByRule(request, denied);
  if (policy.permissionMode === 'always-proceed') return ALLOW;
  const question = of(policy.ask, request.action).find(matches);
  if (question) return askByRule(request, question);
  if (of(policy.allow, request.action).some(matches)) return ALLOW;
  return ask(request, 'no rule allows it', [`${request.action}(${plainHost(url.hostname)})`]);
}

function decideMcp(policy: Policy, request: McpRequest): Decision {
  const name = `${request.server}/${request.tool}`;
  const matches = (rule: Rule): boolean => {
    const { form } = rule;
    if (form.kind === 'all') return true;
    if (form.kind === 'regex') return form.regex.test(name);
    return (
      form.kind === 'mcp' && form.server === request.server && (form.tool ?? request.tool) === request.tool
    );
  };
  const denied = of(policy.deny, 'mcp').find(matches);
  if (denied) return denyByRule(request, denied);
  if (policy.mode === 'plan')
    return deny(request, 'What it changes is not known, so it is not called in plan mode.');
  if (policy.permissionMode === 'always-proceed') return ALLOW;
  const question = of(policy.ask, 'mcp').find(matches);
  if (question) return askByRule(request, question);
  if (of(policy.allow, 'mcp').some(matches)) return ALLOW;
  return ask(request, 'no rule allows it', [`mcp(${name})`]);
}

function decideOne(policy: Policy, request: PermissionRequest): Decision {
  switch (request.action) {
    case 'read_file':
    case 'write_file':
      return decideFile(policy, request);
    case 'command':
      return decideCommand(policy, request);
    case 'read_url':
    case 'execute_url':
      return decideUrl(policy, request);
    case 'mcp':
      return decideMcp(policy, request);
    default:
      return request satisfies never;
  }
}

/**
 * Decides on all that one tool call asks for. Pure: the same policy and requests give the same decision.
 * Deny rules bind over ask rules, ask rules over allow rules; without a rule the place and the kind of the action decide.
 */
export function decide(policy: Policy, requests: readonly PermissionRequest[]): Decision {
  const refusals = requests
    .map((request) => decideOne(policy, request))
    .filter((one) => one.verdict !== 'allow');
  const [first] = refusals;
  if (!first) return ALLOW;
  const denied = refusals.find((refusal) => refusal.verdict === 'deny');
  if (denied) return denied;
  // An ask rule can be lifted by no other rule, so then none is offered.
  const liftable = refusals.every((refusal) => refusal.rules.length > 0);
  return { ...first, rules: liftable ? [...new Set(refusals.flatMap((refusal) => refusal.rules))] : [] };
}
