import { readSavedKeys, SavedKeysError } from '../../platform/saved-keys.ts';
import type { Environment } from './environment.ts';
import { isConfigured, PROVIDERS } from './providers.ts';
import { ModelError } from './types.ts';

/** The environment with what `baton setup` keeps, for the choice of a model only: commands of a run do not get it. */
export interface KeyedEnvironment {
  /** The environment, with kept keys where it has none of that name. */
  environment: Environment;
  /** The model to use when none is named; undefined where the environment sets up a provider itself. */
  model: string | undefined;
  /** Where the default model is looked for: kept keys add no provider to those that the environment sets up. */
  forDefault: Environment;
}

/** @throws {ModelError} when keys are kept in a file that may not be used, and the environment has none */
export function withKeptKeys(environment: Environment): KeyedEnvironment {
  const isSetUp = PROVIDERS.some((provider) => isConfigured(provider, environment));
  let kept: ReturnType<typeof readSavedKeys>;
  try {
    kept = readSavedKeys(environment);
  } catch (error) {
    if (!(error instanceof SavedKeysError)) throw error;
    if (!isSetUp) throw new ModelError('auth', error.message, { cause: error });
  }
  if (!kept) return { environment, model: undefined, forDefault: environment };
  const missing = Object.entries(kept.keys).filter(([name]) => (environment[name] ?? '').trim() === '');
  const all = { ...environment, ...Object.fromEntries(missing) };
  if (!isSetUp) return { environment: all, model: kept.model, forDefault: all };
  // A provider whose address is set here may have its key from the file.
  const ofSetUp = missing.filter(([name]) =>
    PROVIDERS.some((provider) => provider.keyVariables.includes(name) && isConfigured(provider, environment)),
  );
  return {
    environment: all,
    model: undefined,
    forDefault: { ...environment, ...Object.fromEntries(ofSetUp) },
  };
}
