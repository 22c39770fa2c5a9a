import { isFields, parseJson, textOr } from '../../contract/fields.ts';
import type { ShortOutcome } from '../../platform/short-command.ts';
import { askProgram, briefly, type Program } from '../probe.ts';
import { BackendError, type Environment, type ModelEntry } from '../types.ts';

const TIMEOUT_MS = 30_000;

/** The JSON object of an answer, also behind housekeeping lines. */
export function findEnvelope(stdout: string): Record<string, unknown> | undefined {
  const whole = parseJson(stdout);
  if (isFields(whole)) return whole;
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  for (const line of lines.reverse()) {
    const value = parseJson(line);
    if (isFields(value)) return value;
  }
  return undefined;
}

/** Builds before the JSON catalogue print one `id<TAB>label` row per model whatever format is asked for. */
function readRows(stdout: string): ModelEntry[] | undefined {
  const rows = stdout.split(/\r?\n/).filter((line) => line.trim() !== '');
  const entries: ModelEntry[] = [];
  for (const row of rows) {
    const [id, label, ...rest] = row.split('\t').map((part) => part.trim());
    if (!id || label === undefined || rest.length > 0 || /\s/.test(id)) return undefined;
    entries.push({ id, label });
  }
  return entries.length > 0 ? entries : undefined;
}

function explain(outcome: ShortOutcome): string {
  const stderr = briefly(outcome.stderr);
  return stderr === '' ? '' : `: ${stderr}`;
}

function readCatalogue(envelope: Record<string, unknown>, fail: (why: string) => BackendError): ModelEntry[] {
  if (envelope.status !== 'SUCCESS') {
    const error = textOr(envelope.error);
    throw fail(
      `envelope status ${JSON.stringify(textOr(envelope.status))}, want "SUCCESS"${error && `: ${error}`}`,
    );
  }
  const command = isFields(envelope.command) ? envelope.command : {};
  if (command.name !== 'models') {
    throw fail(`envelope command ${JSON.stringify(textOr(command.name))}, want "models"`);
  }
  const models = isFields(command.data) ? command.data.models : undefined;
  if (!Array.isArray(models)) throw fail('envelope has no command.data.models array');
  return models
    .filter(isFields)
    .map((entry) => ({ id: textOr(entry.id), label: textOr(entry.label) }))
    .filter((entry) => entry.id !== '');
}

/**
 * The models that a headless agent offers, from `--output-format json models` within 30 s.
 * @throws {BackendError} `agy models: …` with what was wrong.
 */
export async function listHeadlessModels(
  program: Program,
  label: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<ModelEntry[]> {
  const fail = (why: string): BackendError => new BackendError(`${label} models: ${why}`, 'unusable');
  const asked = await askProgram(
    program,
    ['--output-format', 'json', 'models'],
    environment,
    TIMEOUT_MS,
    signal,
  );
  if ('problem' in asked) throw fail(asked.problem);
  const outcome = asked.value;
  if (outcome.ending === 'cancelled') throw fail('cancelled by the caller');
  if (outcome.ending === 'timeout') throw fail(`no answer within 30s${explain(outcome)}`);
  if (outcome.signal !== undefined) throw fail(`ended by ${outcome.signal}${explain(outcome)}`);
  const envelope = findEnvelope(outcome.stdout);
  if (outcome.code !== 0) {
    const error = textOr(envelope?.error);
    throw fail(`exit status ${outcome.code}${explain(outcome) || (error && `: ${error}`)}`);
  }
  if (envelope) return readCatalogue(envelope, fail);
  const rows = readRows(outcome.stdout);
  if (rows) return rows;
  throw fail(
    `parse json envelope: stdout was ${JSON.stringify(briefly(outcome.stdout, 120))}${explain(outcome)}`,
  );
}
