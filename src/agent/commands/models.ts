import { listModels } from '../models/catalogue/catalogue.ts';
import { withKeptKeys } from '../models/kept-keys.ts';
import { type Answered, tabbed } from './answer.ts';

/** `models`: everything that can be named with `--model` here and now. */
export async function answerModels(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Answered> {
  const { models, failures } = await listModels(withKeptKeys(environment).environment, { signal });
  return {
    text: tabbed(models.map(({ id, label }) => [id, label])),
    answer: {
      name: 'models',
      data: {
        models: models.map(({ id, label, contextWindow, efforts, price }) => ({
          id,
          label,
          ...(contextWindow !== undefined && { context_window: contextWindow }),
          ...(efforts && { efforts }),
          ...(price && { price_per_million: { input: price.input, output: price.output } }),
        })),
      },
    },
    notices: failures,
  };
}
