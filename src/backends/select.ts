import { createAgyBackend } from './agy/agy.ts';
import { createBatonBackend } from './baton/baton.ts';
import { createGeminiBackend } from './gemini/gemini.ts';
import { BACKEND_NAMES, type Backend, BackendError, type BackendName, type Environment } from './types.ts';

const RETIREMENT = Date.UTC(2026, 5, 18);
const DAY_MS = 86_400_000;
const WARNING_DAYS = 14;

export interface Selection {
  backend: Backend;
  /** Told once per process, with the first reply that carries notices: the choice was made by the calendar. */
  notice?: string;
}

export interface SelectionOptions {
  /** The tool's own `backend` argument. */
  requested?: string;
  /** Relay tools have the date rule and the legacy CLI; job tools have neither. Default false. */
  forRelay?: boolean;
  /** Default now. */
  today?: Date;
}

function readName(value: string, source: string): BackendName {
  const name = value.trim().toLowerCase();
  if (name === 'antigravity') return 'agy';
  const known = BACKEND_NAMES.find((candidate) => candidate === name);
  if (known) return known;
  throw new BackendError(
    `${source} "${value}" is no backend: want ${BACKEND_NAMES.join(', ')} (antigravity is another name of agy). Nothing was started`,
  );
}

function create(name: BackendName, forRelay: boolean, source: string): Backend {
  if (name === 'agy') return createAgyBackend({ forRelay });
  if (name === 'baton') return createBatonBackend({ forRelay });
  if (forRelay) return createGeminiBackend();
  throw new BackendError(
    `${source} "gemini" serves the gemini-* tools only; jobs need agy or baton. ` +
      'Set BATON_BACKEND to one of these; GEMINI_MCP_BACKEND=gemini alone keeps the legacy CLI for the gemini-* tools',
  );
}

function byDate(today: Date): { name: BackendName; notice?: string } {
  const left = RETIREMENT - today.getTime();
  if (left <= 0) {
    return {
      name: 'agy',
      notice:
        'The Gemini CLI was retired on 2026-06-18, so this went to the Antigravity CLI (agy). Set GEMINI_MCP_BACKEND=gemini to use the old one.',
    };
  }
  const days = Math.ceil(left / DAY_MS);
  if (days > WARNING_DAYS) return { name: 'gemini' };
  return {
    name: 'gemini',
    notice: `The Gemini CLI retires on 2026-06-18, in about ${days} day(s). Try its successor now with GEMINI_MCP_BACKEND=agy.`,
  };
}

/**
 * Which backend serves a call: the tool's own argument, else `BATON_BACKEND`, else for relay tools
 * `GEMINI_MCP_BACKEND`, else the calendar (legacy CLI until 2026-06-18, agy from then on; job tools have always had
 * agy). Whether the backend is there is not looked at: a missing one is an error of its own, never replaced.
 * @throws {BackendError} for a name that is none, and for `gemini` where jobs are asked for.
 */
export function selectBackend(environment: Environment, options: SelectionOptions = {}): Selection {
  const { requested, forRelay = false, today = new Date() } = options;
  if (requested) return { backend: create(readName(requested, 'backend'), forRelay, 'backend') };
  const general = environment.BATON_BACKEND?.trim();
  if (general) return { backend: create(readName(general, 'BATON_BACKEND'), forRelay, 'BATON_BACKEND') };
  if (!forRelay) return { backend: createAgyBackend({ forRelay }) };
  const relay = environment.GEMINI_MCP_BACKEND?.trim();
  if (relay)
    return { backend: create(readName(relay, 'GEMINI_MCP_BACKEND'), forRelay, 'GEMINI_MCP_BACKEND') };
  const { name, notice } = byDate(today);
  const backend = create(name, forRelay, 'the date rule');
  return notice === undefined ? { backend } : { backend, notice };
}
