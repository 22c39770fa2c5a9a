import { stateDir } from '../../platform/paths.ts';
import { type Answered, tabbed } from '../commands/answer.ts';
import { answerAgents, answerSkills } from '../commands/customizations.ts';
import { answerPermissions } from '../commands/permissions.ts';
import { SLASH_HELP, type SlashCommand } from '../commands/slash-names.ts';
import { answerUsage } from '../commands/usage.ts';
import type { Places } from '../context/places.ts';
import { chooseModel } from './choose-model.ts';
import type { Diagnostics } from './diagnostics.ts';
import { earlyEnvelope, toSeconds } from './envelope.ts';
import type { PrintOptions } from './options.ts';
import type { Output } from './output.ts';
import { openRights } from './rights.ts';

async function answerModel(name: 'model' | 'effort', options: PrintOptions): Promise<Answered> {
  const model = await chooseModel(options, process.env);
  const effort = options.effort ?? '';
  const isDefault = options.model === undefined && !process.env.BATON_MODEL;
  return {
    text: tabbed(
      name === 'model' ? [[model.id, model.id]] : [[effort === '' ? 'default' : effort, model.id]],
    ),
    answer: { name, data: { id: model.id, label: model.id, effort, is_default: isDefault } },
    ...(model.notice !== undefined && { notices: [model.notice] }),
  };
}

function answerHelp(): Answered {
  return {
    text: tabbed(SLASH_HELP.map(({ name, description }) => [`/${name}`, description])),
    answer: { name: 'help', data: { commands: SLASH_HELP } },
  };
}

/** Answers one of our own slash commands. @throws {RunError} */
export async function answerCommand(
  command: SlashCommand,
  options: PrintOptions,
  places: Places,
): Promise<Answered> {
  switch (command) {
    case 'usage':
      return answerUsage(stateDir(process.env));
    case 'model':
    case 'effort':
      return answerModel(command, options);
    case 'skills':
      return answerSkills(places);
    case 'agents':
      return answerAgents(places);
    case 'permissions':
      return answerPermissions(
        (await openRights({ ...options, sandbox: false }, process.env, { id: '', artifacts: '' })).policy,
      );
    case 'help':
      break;
  }
  return answerHelp();
}

/** Shows an answer of the CLI: no conversation, no turn, no model. */
export function showAnswer(
  { text, answer, notices }: Answered,
  output: Output,
  diagnostics: Diagnostics,
): void {
  for (const notice of notices ?? []) diagnostics.warn(notice);
  const envelope = earlyEnvelope({ status: 'SUCCESS', response: text });
  output.command(answer, { ...envelope, duration_seconds: toSeconds(performance.now()) });
}
