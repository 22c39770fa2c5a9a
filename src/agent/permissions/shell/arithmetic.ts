import type { ParameterExpansionPart, TestBinaryExpression, Word } from 'unbash';
import { addProblem, type Findings } from './findings.ts';

const NUMBER = /^\s*[-+]?(0[xX][\da-fA-F]+|\d+)\s*$/;
const NAME = /^\$?\{?([A-Za-z_]\w*)\}?$/;
/** Sizes and numbers that the shell itself keeps. */
const OWN_NUMBER = /^\$(\{#\w+(\[[@*]\])?\}|[#?$!])$/;
const ELEMENT = /^([A-Za-z_]\w*)\[\$?(\w+)\]$/;

/**
 * Notes what the shell evaluates as arithmetic. The value of a variable there is an expression again, which can hold a
 * command; so anything but numbers and names of variables that only ever hold numbers is a problem.
 */
export function noteArithmetic(text: string, findings: Findings): void {
  if (text === '' || NUMBER.test(text) || OWN_NUMBER.test(text)) return;
  const [, name] = NAME.exec(text) ?? [];
  if (name !== undefined) {
    findings.evaluated.add(name);
    return;
  }
  const [, list, index] = ELEMENT.exec(text) ?? [];
  if (list === undefined || index === undefined) {
    addProblem(findings, `${text} is evaluated as arithmetic, which may run commands`);
    return;
  }
  findings.evaluated.add(list);
  if (!NUMBER.test(index)) findings.evaluated.add(index);
}

function noteIndex(index: Word | undefined, findings: Findings): void {
  if (index && index.text !== '@' && index.text !== '*') noteArithmetic(index.value, findings);
}

/** The forms of `${…}` that evaluate a value. */
export function noteExpansion(part: ParameterExpansionPart, findings: Findings): void {
  if (part.prefix === '!') addProblem(findings, `${part.text} names its variable only at run time`);
  noteIndex(part.index, findings);
  const { operation } = part;
  if (operation?.type === 'Transform' && operation.operand.text === 'P')
    addProblem(findings, `${part.text} evaluates a value as a prompt`);
  if (operation?.type === 'Slice') {
    noteArithmetic(operation.offset.value.trim(), findings);
    if (operation.length) noteArithmetic(operation.length.value.trim(), findings);
  }
}

export function noteAssignmentIndex(index: Word | undefined, findings: Findings): void {
  noteIndex(index, findings);
}

const COMPARES_NUMBERS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

export function noteComparison(test: TestBinaryExpression, findings: Findings): void {
  if (!COMPARES_NUMBERS.has(test.operator)) return;
  noteArithmetic(test.left.value, findings);
  noteArithmetic(test.right.value, findings);
}
