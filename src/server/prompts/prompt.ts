import type { ServerCore } from '../core.ts';

export interface PromptArgument {
  name: string;
  description: string;
  required?: boolean;
  /** Values to offer while the argument is being typed; those that do not fit are left out by the caller. */
  values?: (core: ServerCore) => Promise<readonly string[]> | readonly string[];
}

/** A recipe that a person picks in the client; what comes out is said to the client's model. */
export interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** @param given the arguments that are not empty; the required ones are among them. */
  text(given: Readonly<Record<string, string>>): string;
}
