import { closeSync } from 'node:fs';
import { IMAGE_EXTENSIONS, sniffImage } from '../../platform/image-format.ts';
import { openVerified, regularFile } from '../tools/anchored.ts';
import { readArguments } from '../tools/arguments.ts';
import { keepFile } from '../tools/kept-output.ts';
import { failed, settle, succeeded } from '../tools/outcome.ts';
import { readChunk } from '../tools/read-text.ts';
import { type ResolvedPath, resolveArgument } from '../tools/resolve-path.ts';
import { type PreparedCall, type Tool, ToolInputError, type ToolOutcome } from '../tools/types.ts';
import { IMAGE_SIZES, type ImageModel, type ImageRequest, type ImageSize } from './types.ts';

const MAX_REFERENCES = 3;
const MAX_REFERENCE_BYTES = 8 * 1024 * 1024;

export interface GenerateImageHost {
  /** Loads the model that makes images. */
  load(): Promise<ImageModel>;
  /** Where relative paths start. */
  base: string;
  conversationFolder: string;
  /** Whether that folder is removed at the end of the run. */
  isEphemeral: boolean;
}

function readReference({ given, path }: ResolvedPath): ImageRequest['references'][number] {
  const fd = openVerified(path);
  try {
    const { size } = regularFile(fd, given);
    if (size > MAX_REFERENCE_BYTES)
      throw new Error(`${given} has ${size} bytes; at most ${MAX_REFERENCE_BYTES} can be sent`);
    const bytes = readChunk(fd, size + 1);
    const format = sniffImage(bytes);
    if (!format) throw new Error(`${given} is no PNG, JPEG, GIF or WebP image`);
    return { mediaType: format.mimeType, base64: bytes.toString('base64') };
  } finally {
    closeSync(fd);
  }
}

/** A file name that is safe on every system. */
function plainName(name: string): string {
  const known = IMAGE_EXTENSIONS.find((ending) => name.toLowerCase().endsWith(ending)) ?? '';
  const plain = name
    .slice(0, name.length - known.length)
    .replaceAll(/[^\w-]+/g, '_')
    .slice(0, 60);
  return plain.replaceAll(/^_+|_+$/g, '') || 'image';
}

async function generate(host: GenerateImageHost, request: ImageRequest, name: string): Promise<ToolOutcome> {
  const model = await host.load();
  const bytes = await model.generate(request);
  const format = sniffImage(bytes);
  if (!format) return failed(`${model.id} gave data that is no image`);
  const path = keepFile(host.conversationFolder, plainName(name), format.extensions[0], bytes);
  // The picture itself is not shown: models that take no pictures would refuse all that follows.
  const end = host.isEphemeral ? ' It is removed when this run ends; copy it to keep it.' : '';
  return succeeded(
    `The image was saved as ${path} (${format.mimeType}, ${bytes.length} bytes, made by ${model.id}).${end}`,
    { displayOutput: path },
  );
}

function readSize(given: string | undefined): ImageSize | undefined {
  const size = IMAGE_SIZES.find((one) => one === given?.trim().toUpperCase());
  if (given !== undefined && size === undefined)
    throw new ToolInputError(`ImageSize is one of ${IMAGE_SIZES.join(', ')}, not ${JSON.stringify(given)}`);
  return size;
}

function prepare(host: GenerateImageHost, raw: Record<string, unknown>): PreparedCall {
  const args = readArguments(raw);
  const prompt = args.text('Prompt').trim();
  if (prompt === '') throw new ToolInputError('the Prompt is empty');
  const name = args.optionalText('ImageName') ?? 'image';
  const aspectRatio = args.optionalText('AspectRatio');
  if (aspectRatio !== undefined && !/^[1-9]\d?:[1-9]\d?$/.test(aspectRatio))
    throw new ToolInputError(`AspectRatio is written like 16:9, not ${JSON.stringify(aspectRatio)}`);
  const size = readSize(args.optionalText('ImageSize'));
  const paths = args.texts('ImagePaths').map((path) => resolveArgument(path, host.base));
  if (paths.length > MAX_REFERENCES)
    throw new ToolInputError(`at most ${MAX_REFERENCES} ImagePaths can be given`);
  return {
    requests: paths.map(({ path, given }) => ({ action: 'read_file', path, given })),
    parameters: { Prompt: prompt, ImageName: name },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => (error instanceof Error ? error.message : String(error)),
        async () => {
          const references = paths.map(readReference);
          const request = {
            prompt,
            references,
            signal,
            ...(aspectRatio === undefined ? {} : { aspectRatio }),
            ...(size === undefined ? {} : { size }),
          };
          return await generate(host, request, name);
        },
      ),
  };
}

export function createGenerateImage(host: GenerateImageHost): Tool {
  return {
    displayName: 'GenerateImage',
    declaration: {
      name: 'generate_image',
      description:
        'Makes an image by words and saves it in the folder of this conversation. The answer names its path; view_file shows it.',
      parameters: {
        type: 'object',
        properties: {
          Prompt: { type: 'string', description: 'What the image shows' },
          ImageName: { type: 'string', description: 'A short name for the file, without ending' },
          AspectRatio: { type: 'string', description: 'Such as 1:1 or 16:9' },
          ImageSize: { type: 'string', enum: [...IMAGE_SIZES], description: 'Leave out for the usual one' },
          ImagePaths: {
            type: 'array',
            items: { type: 'string' },
            description: `Images to start from or to change, at most ${MAX_REFERENCES}`,
          },
        },
        required: ['Prompt', 'ImageName'],
      },
    },
    prepare: async (args) => prepare(host, args),
  };
}
