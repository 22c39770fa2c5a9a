import { commandRequests } from '../../../src/agent/permissions/command-requests.ts';
import { decide } from '../../../src/agent/permissions/decide.ts';
import { readRule } from '../../../src/agent/permissions/rules.ts';
import type {
  Decision,
  Mode,
  PermissionMode,
  PermissionRequest,
  Policy,
  Rule,
} from '../../../src/agent/permissions/types.ts';

export interface Given {
  allow?: string[];
  ask?: string[];
  deny?: string[];
  mode?: Mode;
  permissionMode?: PermissionMode;
  readOutside?: boolean;
}

export const WORKSPACE = '/ws';
export const HOME = '/home/u';

function rules(texts: readonly string[] = []): Rule[] {
  return texts.map((text) => readRule(text, 'settings.json', { base: WORKSPACE, home: HOME }));
}

/** A policy over the workspace /ws. The folders need not exist: a decision reads nothing. */
export function policyOf(given: Given): Policy {
  return {
    allow: rules(given.allow),
    ask: rules(given.ask),
    deny: rules(given.deny),
    mode: given.mode ?? 'default',
    permissionMode: given.permissionMode ?? 'request-review',
    readOutside: given.readOutside ?? false,
    workspace: [WORKSPACE, '/second'],
    readable: ['/state/conversations/1/output'],
    closed: ['/state'],
    closedToWrites: ['/home/u/.config/baton'],
    guarded: ['/ws/.ssh', '/home/u/.ssh'],
  };
}

export async function decideCommand(commandLine: string, given: Given): Promise<Decision> {
  return decide(
    policyOf(given),
    await commandRequests(commandLine, { cwd: WORKSPACE, home: HOME, dialect: 'bash' }),
  );
}

/** Decides on `action(target)` for anything but a command. */
export function decideOn(action: string, target: string, given: Given): Decision {
  const request = (): PermissionRequest => {
    switch (action) {
      case 'read_file':
      case 'write_file':
        return { action, path: target, given: target };
      case 'read_url':
      case 'execute_url':
        return { action, url: target };
      case 'mcp': {
        const [server = '', tool = ''] = target.split('/');
        return { action, server, tool };
      }
      default:
        throw new Error(`no request for ${action}`);
    }
  };
  return decide(policyOf(given), [request()]);
}
