import type { Environment } from '../models/environment.ts';
import type { Tool } from '../tools/types.ts';
import { chooseImageModel } from './choose-model.ts';
import { createGenerateImage, type GenerateImageHost } from './generate-image.ts';

export interface ImageToolsOptions extends Omit<GenerateImageHost, 'load'> {
  /** `provider/model` of the run. */
  runModel: string;
}

/**
 * `generate_image`, where something that makes images is set up; what speaks to it is loaded with the first image.
 * @throws {ModelError} for a `BATON_IMAGE_MODEL` that cannot be used
 */
export function openImageTools(environment: Environment, options: ImageToolsOptions): Tool[] {
  const { runModel, ...host } = options;
  const choice = chooseImageModel(environment, runModel);
  if (!choice) return [];
  return [
    createGenerateImage({
      ...host,
      async load() {
        const { createImageModel } = await import('./image-model.ts');
        return createImageModel(choice, environment);
      },
    }),
  ];
}
