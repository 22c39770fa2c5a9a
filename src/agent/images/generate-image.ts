import { closeSync } from 'node:fs';
import { IMAGE_EXTENSIONS, sniffImage } from '../../platform/image-format.ts';
import { openVerified, regularFile } from '../tools/anchored.ts';
import { readArguments } from '../tools/arguments.ts';
import { keepFile } from '../tools/kept-output.ts';
import { failed, settle, succeeded } from '../tools/outcome.ts';
import { readChunk } from '../tools/read-text.ts';
import { type ResolvedPath, resolveArgument } from '../tools/resolve-path.ts';
import { type PreparedCall, type Tool, ToolInputError, type ToolOutcome } from '../tools/types.ts';
import type { ImageModel, ImageRequest } from './types.ts';

const MAX_REFERENCES = 3;
const MAX_REFERENCE_BYTES = 8 * 1024 * 1024;
/** A picture beyond this is saved, but not shown to the model. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;

export interface GenerateImageHost {
  /** Looks for the model that makes images; loads what that needs. @throws {ModelError} */
  find(): Promise<ImageModel>;
  /** Where relative paths start. */
  base: string;
  conversationFolder: string;
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
  const model = await host.find();
  const bytes = await model.generate(request);
  const format = sniffImage(bytes);
  if (!format) return failed(`${model.id} gave data that is no image`);
  const path = keepFile(host.conversationFolder, plainName(name), format.extensions[0], bytes);
  const shown = bytes.length <= MAX_SHOWN_BYTES;
  return succeeded(
    `The image was saved as ${path} (${format.mimeType}, ${bytes.length} bytes, made by ${model.id}).`,
    {
      displayOutput: path,
      ...(shown ? { image: { mediaType: format.mimeType, base64: bytes.toString('base64') } } : {}),
    },
  );
}

function prepare(host: GenerateImageHost, raw: Record<string, unknown>): PreparedCall {
  const args = readArguments(raw);
  const prompt = args.text('Prompt').trim();
  if (prompt === '') throw new ToolInputError('the Prompt is empty');
  const name = args.optionalText('ImageName') ?? 'image';
  const aspectRatio = args.optionalText('AspectRatio');
  if (aspectRatio !== undefined && !/^\d{1,2}:\d{1,2}$/.test(aspectRatio))
    throw new ToolInputError(`AspectRatio is written like 16:9, not ${JSON.stringify(aspectRatio)}`);
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
      description: 'Makes an image by words, saves it in the folder of this conversation and shows it.',
      parameters: {
        type: 'object',
        properties: {
          Prompt: { type: 'string', description: 'What the image shows' },
          ImageName: { type: 'string', description: 'A short name for the file, without ending' },
          AspectRatio: { type: 'string', description: 'Such as 1:1 or 16:9' },
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
