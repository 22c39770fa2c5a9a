import { KEY_VARIABLES } from '../../contract/provider-keys.ts';
import type { Environment } from '../models/environment.ts';

export interface ImageRequest {
  prompt: string;
  /** `16:9`; part of the prompt where the provider has no setting for it. */
  aspectRatio?: string;
  /** Pictures to start from. */
  references: readonly { mediaType: string; base64: string }[];
  signal: AbortSignal;
}

/** A model that makes images. */
export interface ImageModel {
  /** `provider/model`. */
  readonly id: string;
  /** @throws {ModelError} for every failure, also for an answer without an image. */
  generate(request: ImageRequest): Promise<Buffer>;
}

/**
 * Whether a run has a model that makes images, without loading anything: one that was chosen (`BATON_IMAGE_MODEL`), or
 * one of Google or OpenAI by their key. A server that is only compatible with OpenAI seldom makes images, so it has to
 * be chosen.
 * @param runModel `provider/model`
 */
export function imagesAvailable(environment: Environment, runModel: string): 'chosen' | 'default' | 'none' {
  const isSet = (name: string): boolean => (environment[name]?.trim() ?? '') !== '';
  if (runModel.startsWith('replay/')) return 'none';
  if (isSet('BATON_IMAGE_MODEL')) return 'chosen';
  if (KEY_VARIABLES.google.some(isSet)) return 'default';
  const isOwnServer = isSet('OPENAI_BASE_URL') || isSet('OPENAI_API_BASE');
  return KEY_VARIABLES.openai.some(isSet) && !isOwnServer ? 'default' : 'none';
}
