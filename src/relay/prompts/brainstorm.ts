import { methodologyBlock } from './methodologies.ts';

export interface BrainstormArguments {
  prompt: string;
  methodology?: string;
  domain?: string;
  constraints?: string;
  existingContext?: string;
  ideaCount?: number;
  includeAnalysis?: boolean;
}

export const DEFAULT_IDEA_COUNT = 12;

/** The prompt for a list of ideas by a named method. References in any of the texts are inlined. */
export function brainstormPrompt(args: BrainstormArguments): string {
  const count = args.ideaCount ?? DEFAULT_IDEA_COUNT;
  const withAnalysis = args.includeAnalysis ?? true;
  return [
    '# Brainstorming session',
    `## Challenge\n\n${args.prompt.trim()}`,
    methodologyBlock(args.methodology, args.domain),
    contextBlock(args),
    `## What is asked for

${count} ideas, each of them:
- distinct from all the others, and not the first thing that anybody would say;
- something that can be done, not only wished for;
- clearly named, and explained in few words.`,
    withAnalysis && analysisBlock,
    `## Form

For each idea a heading \`### <number>. <name>\`, then a description of two or three sentences${withAnalysis ? ', then one line:\nFeasibility: <1-5> | Impact: <1-5> | Innovation: <1-5> | <assessment>' : '.'}`,
    'Before you answer, take out ideas that are nearly the same, replace them, and check each one against the constraints.',
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n');
}

const analysisBlock = `## Assessment

Rate each idea from 1 to 5 for feasibility (can it be done with what there is), impact (how much it changes) and innovation (how new it is), and add one sentence on what it takes to implement it.`;

function contextBlock(args: BrainstormArguments): string {
  const lines = [
    ['Domain', args.domain],
    ['Constraints', args.constraints],
    ['Background', args.existingContext],
  ].flatMap(([name, text]) => (text?.trim() ? [`- ${name}: ${text.trim()}`] : []));
  return lines.length === 0 ? '' : `## Context\n\nUse what follows to aim the ideas:\n${lines.join('\n')}`;
}

/** The first progress message of a brainstorm. */
export function brainstormStartMessage(args: BrainstormArguments): string {
  return `Generating ${args.ideaCount ?? DEFAULT_IDEA_COUNT} ideas via ${args.methodology ?? 'auto'} methodology...`;
}
