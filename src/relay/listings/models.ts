import type { Selection } from '../../backends/select.ts';
import type { Backend, Capabilities, Environment, ModelEntry } from '../../backends/types.ts';
import type { Fields } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { printable } from '../printable.ts';

export interface ModelsReport {
  backend: string;
  /** What answers when a call names no model; undefined = the program's own choice. */
  default_model?: string;
  /** What plan and image runs use when they name none. */
  pinned_model?: string;
  /** Absent when the program could not be asked. */
  capabilities?: Capabilities;
  models: ModelEntry[];
  /** The list is a built-in one, because the program's own could not be had. */
  is_fallback: boolean;
  notices: string[];
}

const LIMIT_MS = 40_000;

function defaultModel(backend: Backend, environment: Environment): string | undefined {
  if (backend.name === 'agy') return environment.AGY_MCP_DEFAULT_MODEL || undefined;
  return backend.name === 'baton' ? environment.BATON_MODEL || undefined : undefined;
}

/** What the backend of the relay offers. Never throws for a program that is missing or does not answer. */
export async function modelsReport(
  { backend, notice }: Selection,
  environment: Environment,
  signal: AbortSignal,
): Promise<ModelsReport> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const notices = notice === undefined ? [] : [notice];
  const problem = (error: unknown): void => {
    notices.push(errorMessage(error));
  };
  const [resolved, listed] = await Promise.allSettled([
    backend.resolve(environment, limited),
    backend.listModels(environment, limited),
  ]);
  if (resolved.status === 'rejected') problem(resolved.reason);
  else if (listed.status === 'rejected') problem(listed.reason);
  const live = listed.status === 'fulfilled' ? listed.value : [];
  if (listed.status === 'fulfilled' && live.length === 0) notices.push(`${backend.name} names no models.`);
  const isFallback = live.length === 0 && backend.fallbackModels !== undefined;
  if (isFallback) {
    notices.push(
      'The list above is a built-in one, not the account’s own: some of its models may be gone, and others be missing.',
    );
  }
  const capabilities = resolved.status === 'fulfilled' ? resolved.value.capabilities : undefined;
  if (resolved.status === 'fulfilled' && resolved.value.helpProblem !== undefined)
    notices.push(
      `The flags of ${backend.name} are not known (${resolved.value.helpProblem}), so none are sent.`,
    );
  return {
    backend: backend.name,
    default_model: defaultModel(backend, environment),
    pinned_model: backend.pinnedModel,
    ...(capabilities && { capabilities }),
    models: isFallback ? [...(backend.fallbackModels ?? [])] : live,
    is_fallback: isFallback,
    notices,
  };
}

function supported(value: boolean | undefined, choices = ''): string {
  if (value === undefined) return 'unknown';
  return value ? `✅ Supported${choices}` : '❌ Not supported';
}

function sandboxText({ backend, capabilities }: ModelsReport): string {
  if (capabilities && !capabilities.sandbox) return '❌ Not supported';
  return backend === 'agy' ? '⚠️ Host-executed in headless' : '✅ Isolated';
}

/** The same for people: what gemini-models answers. */
export function modelsText(report: ModelsReport): string {
  const { capabilities, models, notices } = report;
  const list = models.map(
    ({ id, label }) => `  • **${printable(id)}**${label ? `: ${printable(label)}` : ''}`,
  );
  const parts = [
    [
      `### Active Backend: **${report.backend.toUpperCase()}**`,
      `- **Default Model:** ${report.default_model ? `\`${report.default_model}\`` : 'the backend’s own; no model is sent unless a call names one'}`,
      ...(report.pinned_model
        ? [`- **Pinned Model:** gemini-plan and gemini-image use \`${report.pinned_model}\``]
        : []),
      `- **Model Selection:** ${capabilities?.model === false ? '❌ Fixed' : supported(capabilities?.model)}`,
      `- **Reasoning Effort Control:** ${supported(capabilities?.effort, " ('low', 'medium', 'high')")}`,
      `- **Structured Output:** ${supported(capabilities?.jsonSchema)}`,
      `- **Agent Modes:** ${supported(capabilities?.mode, " ('accept-edits', 'plan')")}`,
      `- **Tool Sandbox:** ${sandboxText(report)}`,
    ].join('\n'),
    `### Available Models${report.is_fallback ? ' (built-in list)' : ''}:\n${list.join('\n') || '  (none)'}`,
    notices.length > 0 &&
      `**Backend Notices:**\n${notices.map((notice) => `> ⚠️ ${notice.replaceAll('\n', '\n> ')}`).join('\n')}`,
    'Pass an id as `model` to gemini-ask, gemini-plan or gemini-brainstorm; `flash` and `pro` stand for the newest of their kind.',
  ];
  return parts.filter((part) => part !== false).join('\n\n');
}

/** The same as data. */
export function modelsData(report: ModelsReport): Fields {
  const { capabilities, default_model, pinned_model, ...rest } = report;
  return {
    ...rest,
    ...(default_model && { default_model }),
    ...(pinned_model && { pinned_model }),
    ...(capabilities && { capabilities: { ...capabilities } }),
  };
}
