import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { findTurn } from '../../backends/agy/find-turn.ts';
import { geminiRetryFailed } from '../../backends/gemini/gemini.ts';
import { promptLine } from '../../backends/headless/prompt.ts';
import type { Environment } from '../../backends/types.ts';
import { jobFiles } from '../../jobs/job-folder.ts';
import { readTail } from '../../jobs/read-events.ts';
import type { JobRecord, JobStatus } from '../../jobs/types.ts';
import { type Attempt, readAttempts } from '../attempts/attempt-log.ts';
import { ATTEMPTS_FILE } from '../attempts/with-attempts.ts';

const STDERR_SHOWN_BYTES = 4000;
/** Endings of a run that printed no answer, which an older build may have left in its transcript all the same. */
const SILENT_ENDINGS: readonly (string | undefined)[] = ['no_result', 'empty', 'interrupted'];

/**
 * The status of an ended relay run as its caller is to see it: with the answer out of the agent's own transcript where
 * the run printed none, in the agent's own words where it failed, and with what its further attempts were for.
 */
export async function explainEnding(
  stateDir: string,
  record: JobRecord,
  status: JobStatus,
  environment: Environment,
): Promise<JobStatus> {
  const attempts = readAttempts(join(jobFiles(stateDir, record.id).folder, `with-${ATTEMPTS_FILE}`));
  const explained = { ...status, notices: [...status.notices, ...attempts.flatMap(attemptNotice)] };
  if (status.state !== 'failed') return explained;
  if (attempts.some(({ reason }) => reason === 'quota'))
    return { ...explained, error: geminiRetryFailed(status.error ?? '') };
  if (status.result !== undefined || !SILENT_ENDINGS.includes(status.failure_reason)) return explained;
  return withTranscript(stateDir, record, explained, environment);
}

function attemptNotice({ number, reason, model, isCut }: Attempt): string[] {
  if (isCut) return ['The second attempt was ended after 10 minutes: its text may be incomplete.'];
  return reason === 'quota'
    ? [`The quota of the Pro model is used up: attempt ${number} of this job went to ${model ?? 'Flash'}.`]
    : [`The agent printed nothing, so attempt ${number} of this job ran under a terminal (AGY_MCP_PTY).`];
}

async function withTranscript(
  stateDir: string,
  record: JobRecord,
  status: JobStatus,
  environment: Environment,
): Promise<JobStatus> {
  const { invocation } = record;
  const found =
    invocation.backend === 'agy'
      ? await findTurn({
          environment,
          conversationId: status.conversation_id,
          cwd: invocation.cwd,
          sinceMs: Date.parse(record.accepted_at),
          isOurs: (prompt) => isPromptOf(record, prompt),
        })
      : { trace: false };
  if ('reply' in found) {
    const { error: _error, failure_reason: _reason, partial: _partial, ...rest } = status;
    return {
      ...rest,
      state: 'done',
      result: found.reply,
      conversation_id: found.conversationId,
      notices: [
        ...status.notices,
        'The agent printed no answer: this one was read from its own transcript of this run.',
      ],
    };
  }
  if (status.failure_reason !== 'no_result') return status;
  const said = readTail(jobFiles(stateDir, record.id).stderr, STDERR_SHOWN_BYTES).trim();
  return { ...status, error: said || (found.problem ?? silence(record)) };
}

function silence({ invocation }: JobRecord): string {
  const program = invocation.backend === 'baton' ? 'baton-agent' : invocation.backend;
  return `${program} produced no output for ${invocation.cwd} (no stdout, stderr, or transcript). Run \`${program} -p "hi"\` directly to check for an expired login or exhausted quota.`;
}

/** Whether a text is what the run was given: by its command line, else by the hash of its stdin. */
function isPromptOf(record: JobRecord, prompt: string): boolean {
  const { args } = record.invocation;
  const at = args.lastIndexOf('-p');
  if (at !== -1) return args[at + 1]?.trim() === prompt.trim();
  return createHash('sha256').update(promptLine(prompt)).digest('hex') === record.input_sha256;
}
