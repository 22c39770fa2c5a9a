import { selectModel } from '../models/select.ts';
import { type Model, ModelError } from '../models/types.ts';
import { RunError } from './failures.ts';
import { type PrintOptions, selectionFrame } from './options.ts';

const FRAME = /^invalid model selection(?: \(--model "(?:[^"\\]|\\.)*"\))?: /;

/**
 * The model of the run. Whatever is wrong with the choice is the caller's to mend, so it ends the run with exit code 1.
 * @throws {RunError}
 */
export async function chooseModel(
  options: Pick<PrintOptions, 'model' | 'effort' | 'cwd'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Model> {
  const { model, effort, cwd } = options;
  try {
    return await selectModel({
      ...(model !== undefined && { model }),
      ...(effort && { effort }),
      environment,
      signal: new AbortController().signal,
      workspace: cwd,
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const reason = error.message.replace(FRAME, '');
    const isChoice = error.kind === 'unknown_model' || error.kind === 'invalid_request';
    if (isChoice) throw new RunError(`${selectionFrame(model, effort)}: ${reason}`, { cause: error });
    throw new RunError(error.kind === 'auth' ? `authentication required: ${reason}` : reason, {
      cause: error,
    });
  }
}
