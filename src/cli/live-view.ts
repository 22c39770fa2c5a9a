import type { StepUpdate, StreamEvent } from '../contract/events.ts';
import { type Paint, printable } from './paint.ts';

/** Where a run's steps and text go: lines for people, and the answer text piece by piece. */
export interface LiveView {
  show(event: StreamEvent): void;
  /** Ends an unfinished line of text. */
  end(): void;
  /** All text pieces shown so far. */
  readonly text: string;
}

const VALUE_CHARS = 72;

function short(text: string, chars: number = VALUE_CHARS): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** The arguments of a tool call that say most: the first plain ones, paths relative to the run's folder. */
function describeParameters(parameters: Record<string, unknown> | undefined, folder: string): string {
  const local = (value: string): string =>
    folder !== '' && value.startsWith(`${folder}/`) ? value.slice(folder.length + 1) : value;
  return Object.entries(parameters ?? {})
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== folder)
    .slice(0, 3)
    .map(([name, value]) => `${name}=${short(local(String(value)), 48)}`)
    .join(' ');
}

function resultOf(step: StepUpdate): string {
  const lines = (step.tool_info?.output ?? '').split('\n').filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined) return '';
  return lines.length > 1 ? `${short(first)} (+${lines.length - 1} lines)` : short(first);
}

/**
 * Shows a run while it goes on: one line when a tool begins and one when it has ended, answer text as it comes.
 * @param write lines about steps; `writeText` pieces of the answer, undefined = they are not shown
 */
export function createLiveView(options: {
  paint: Paint;
  write: (text: string) => void;
  writeText?: (text: string) => void;
}): LiveView {
  const { paint, write, writeText } = options;
  const begun = new Set<number>();
  let text = '';
  let lineOpen = false;
  let folder = '';

  const endLine = (): void => {
    if (lineOpen) writeText?.('\n');
    lineOpen = false;
  };
  const line = (content: string): void => {
    endLine();
    write(`${content}\n`);
  };

  const showTool = (step: StepUpdate): void => {
    const name = step.tool_name ?? step.tool_info?.name ?? 'tool';
    if (step.state === 'ACTIVE' || !begun.has(step.step_index)) {
      if (begun.has(step.step_index)) return;
      begun.add(step.step_index);
      line(
        `${paint.cyan('→')} ${paint.bold(name)} ${paint.dim(describeParameters(step.tool_info?.parameters, folder))}`.trimEnd(),
      );
      if (step.state === 'ACTIVE') return;
    }
    const took =
      step.duration_seconds === undefined ? '' : paint.dim(` ${step.duration_seconds.toFixed(1)} s`);
    const error = step.tool_info?.error?.message;
    if (step.state === 'ERROR' || error !== undefined)
      line(`  ${paint.red('✗')} ${name}: ${short(error ?? 'failed')}${took}`);
    else line(`  ${paint.green('✓')} ${paint.dim([name, resultOf(step)].filter(Boolean).join(': '))}${took}`);
  };

  const showStep = (step: StepUpdate): void => {
    if (step.step_type === 'tool') {
      showTool(step);
      return;
    }
    if (step.step_type === 'subagent') {
      for (const agent of step.subagent_info?.subagents ?? [])
        line(`${paint.cyan('→')} ${paint.bold('subagent')} ${short(agent.role ?? agent.type_name ?? '')}`);
      return;
    }
    if (step.step_type === 'error_message') {
      line(`${paint.red('✗')} ${short(step.text_delta ?? 'the model’s API failed')}`);
      return;
    }
    if (step.step_type !== 'agent_response' || !step.text_delta) return;
    text += step.text_delta;
    const piece = printable(step.text_delta);
    writeText?.(piece);
    lineOpen = !piece.endsWith('\n');
  };

  return {
    get text() {
      return text;
    },
    show(event) {
      if (event.event === 'init') {
        folder = event.init.cwd;
        const parts = [event.init.model, event.init.cwd].filter(Boolean).join(' · ');
        line(paint.dim(`${parts}${parts ? ' · ' : ''}conversation ${event.conversation_id}`));
      } else if (event.event === 'step_update') showStep(event.step_update);
    },
    end: endLine,
  };
}
