import type { ToolOutcome } from '../tools/types.ts';

/** Shorter values are too likely to stand in ordinary text. */
const LEAST_CHARACTERS = 12;
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

export type Redact = (outcome: ToolOutcome) => ToolOutcome;

/**
 * Takes the values of this process's own secrets (variables named like keys, tokens and passwords) out of what tools
 * return, before a model, a conversation file or a reader of the steps gets to see it.
 */
export function createRedaction(environment: Readonly<Record<string, string | undefined>>): Redact {
  const secrets = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= LEAST_CHARACTERS && SECRET_NAME.test(name)
      ? [{ name, value }]
      : [],
  );
  // A value that another one begins with must not be cut out of it first.
  secrets.sort((a, b) => b.value.length - a.value.length);
  const clean = (text: string): string =>
    secrets.reduce((rest, { name, value }) => rest.replaceAll(value, `[value of ${name}]`), text);
  if (secrets.length === 0) return (outcome) => outcome;
  return (outcome) => ({
    ...outcome,
    output: clean(outcome.output),
    ...(outcome.displayOutput !== undefined && { displayOutput: clean(outcome.displayOutput) }),
    ...(outcome.errorMessage !== undefined && { errorMessage: clean(outcome.errorMessage) }),
  });
}
