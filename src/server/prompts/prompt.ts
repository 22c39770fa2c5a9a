import type { ServerCore } from '../core.ts';

export interface PromptArgument {
  name: string;
  description: string;
  required?: boolean;
  /**
   * Values to offer while the argument is being typed; those that do not fit are left out by the caller, unless they are
   * chosen by what was typed already (`areChosen`).
   * @param begun what has been typed so far
   */
  values?: (core: ServerCore, begun: string) => Promise<readonly string[]> | readonly string[];
  areChosen?: boolean;
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
