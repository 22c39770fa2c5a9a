import { type Fields, isFields, parseJson } from '../../contract/fields.ts';
import type { CallPlan } from '../loop/types.ts';
import type { Tool, ToolOutcome } from '../tools/types.ts';
import { compileSchema } from './validator.ts';

/** How often the model is told what was wrong before the turn fails. */
export const MAX_REPAIRS = 3;

const WRAPPED = 'result';

/** The answer of a run that was given a schema. */
export interface StructuredOutput {
  /** As the caller gave it, for `json_schema`. */
  readonly schema: Fields;
  /** `finish`, by which the model gives its answer. */
  readonly tool: Tool;
  /** A new turn begins: nothing is answered yet. */
  beginTurn(): void;
  /** The valid answer of this turn. */
  answer(): { value: unknown } | undefined;
  /** Why the last try was no valid answer. */
  fault(): string | undefined;
  planCall(): CallPlan;
  /** The model ended with a text: takes it as the answer if it is one, else says what to do (undefined: given up). */
  afterReply(text: string): string | undefined;
  /** The repairs are used up: the turn ends without an answer. */
  isSpent(): boolean;
  /** The model takes no tools: the answer must come as text. */
  withoutTools(): void;
}

/** The schema of the arguments of `finish`: providers want an object, so anything else is put into one. */
function argumentsSchema(schema: Fields): { parameters: Fields; isWrapped: boolean } {
  const { $schema: _dialect, ...plain } = schema;
  const isObject = schema.type === 'object' || (schema.type === undefined && isFields(schema.properties));
  if (isObject) return { parameters: { ...plain, type: 'object' }, isWrapped: false };
  const { $defs, definitions, ...rest } = plain;
  return {
    parameters: {
      type: 'object',
      properties: { [WRAPPED]: rest },
      required: [WRAPPED],
      additionalProperties: false,
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
    },
    isWrapped: true,
  };
}

/** The JSON values that a text may mean: all of it, a fenced block, or (anywhere) from its first bracket to its last. */
export function* jsonCandidates(text: string, anywhere: boolean): Generator {
  const whole = parseJson(text.trim());
  if (whole !== undefined) yield whole;
  for (const [, block = ''] of text.matchAll(/```(?:json)?\s*\n([\s\S]*?)```/g)) {
    const value = parseJson(block);
    if (value !== undefined) yield value;
  }
  if (!anywhere) return;
  for (const [open, close] of [
    ['{', '}'],
    ['[', ']'],
  ] as const) {
    const start = text.indexOf(open);
    const end = text.lastIndexOf(close);
    if (start === -1 || end <= start) continue;
    const value = parseJson(text.slice(start, end + 1));
    if (value !== undefined) yield value;
  }
}

function createFinish(parameters: Fields, accept: (args: Fields) => string | undefined): Tool {
  return {
    declaration: {
      name: 'finish',
      description:
        'Gives the final answer and ends the task. Call it exactly once, alone, when the work is done; ' +
        'its arguments are the answer.',
      parameters,
    },
    displayName: 'Finish',
    async prepare(args) {
      return {
        requests: [],
        parameters: args,
        async run(): Promise<ToolOutcome> {
          const fault = accept(args);
          if (fault === undefined) return { output: 'The answer was taken.', isError: false };
          return {
            output: `The answer does not match the schema: ${fault}. Call finish again with a corrected answer.`,
            isError: true,
            errorMessage: `the answer does not match the schema: ${fault}`,
          };
        },
      };
    },
  };
}

/**
 * Holds a run's answer to a schema. The model answers through the tool `finish`; an answer in text counts when it is the
 * wanted value. What does not match is sent back with the validator's words, three times; the last time the provider's
 * own structured output is asked for.
 * @throws {SchemaInputError} when the schema is wrong
 */
export function createStructuredOutput(schema: Fields): StructuredOutput {
  const validate = compileSchema(schema);
  const { parameters, isWrapped } = argumentsSchema(schema);
  let answered: { value: unknown } | undefined;
  let fault: string | undefined;
  let repairs = 0;
  let toolsWork = true;

  const accept = (args: Fields): string | undefined => {
    const value = isWrapped ? args[WRAPPED] : args;
    fault = validate(value);
    if (fault === undefined) answered = { value };
    else repairs++;
    return fault;
  };

  const takeText = (text: string): boolean => {
    let first: string | undefined;
    const candidates = [...jsonCandidates(text, asText())];
    if (asText() && schema.type === 'string') candidates.push(text.trim());
    for (const candidate of candidates) {
      // A model that was asked for arguments may write them out, wrapper and all.
      const inner = isWrapped && isFields(candidate) && WRAPPED in candidate ? [candidate[WRAPPED]] : [];
      for (const value of [candidate, ...inner]) {
        const wrong = validate(value);
        if (wrong === undefined) {
          answered = { value };
          fault = undefined;
          return true;
        }
        first ??= wrong;
      }
    }
    fault = first ?? 'the answer was text instead of the value';
    return false;
  };

  const asText = (): boolean => !toolsWork || repairs >= MAX_REPAIRS - 1;
  const rules = `It must be valid against this JSON Schema:\n${JSON.stringify(schema)}`;

  return {
    schema,
    tool: createFinish(parameters, accept),
    beginTurn() {
      answered = undefined;
      fault = undefined;
      repairs = 0;
    },
    answer: () => answered,
    fault: () => fault,
    isSpent: () => repairs > MAX_REPAIRS,
    planCall() {
      const instruction = toolsWork
        ? `Give your final answer only by calling the tool finish with it as arguments. ${rules}`
        : `Your final answer must be one JSON value and nothing else: no words around it, no code fence. ${rules}`;
      const byProvider = asText() ? { responseSchema: parameters } : {};
      return { instruction, withoutTools: asText(), ...byProvider };
    },
    afterReply(text) {
      if (takeText(text)) return undefined;
      repairs++;
      if (repairs > MAX_REPAIRS) return undefined;
      const wrong = `That is not the answer yet: ${fault}.`;
      return asText()
        ? `${wrong} Reply with the JSON value alone, without any other words. ${rules}`
        : `${wrong} Call the tool finish with the answer as its arguments. ${rules}`;
    },
    withoutTools() {
      toolsWork = false;
    },
  };
}
