import { pathToFileURL } from 'node:url';
import type { BackendName } from '../../backends/types.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { errorMessage } from '../../platform/errors.ts';
import { type FoundImage, findRunImage } from '../image/find-image.ts';
import { IMAGE_CONTENT_BYTES, imageContent } from '../image/image-content.ts';
import type { ImageTarget } from '../image/image-target.ts';
import { type SavedImage, saveImage } from '../image/save-image.ts';
import type { Root } from '../jail/root.ts';
import { counted } from '../printable.ts';
import { DEFAULT_ASPECT_RATIO, type ImageArguments } from '../prompts/image.ts';
import { errorReply, mergeNotices, type Reply, textReply } from './reply.ts';
import { failedReply, partialNotice } from './text-replies.ts';

const tool = 'gemini-image';

/** What was made of an image run. */
interface ImageOutcome {
  image: FoundImage;
  saved?: SavedImage;
  /** Why the copy that was asked for could not be made. */
  saveProblem?: string;
}

export interface ImageRun {
  status: JobStatus;
  args: ImageArguments;
  backend: BackendName;
  root: Root;
  /** Checked before the run; undefined = no copy was asked for. */
  target: ImageTarget | undefined;
  /** Folders of this run's conversation, in the backend's store. */
  ownFolders: readonly string[];
  /** When the run began, in milliseconds since 1970. */
  startedAt: number;
  notices?: readonly string[];
}

/**
 * Finishes an image run: takes the image that this run made, puts the copy in its place, and answers with the image
 * itself and its path. A run without an image is an error, also when the agent said otherwise.
 */
export async function finishImage(run: ImageRun): Promise<Reply> {
  const { status, root, target } = run;
  if (status.state !== 'done') return failedReply(tool, status, run.notices);
  const image = await findRunImage({
    reply: status.result ?? '',
    ownFolders: run.ownFolders,
    sharedFolders: [root.realPath],
    startedAt: run.startedAt,
  });
  if (!image) return noImageReply(run);
  const outcome: ImageOutcome = { image };
  if (target) {
    try {
      outcome.saved = await saveImage(root, target, image);
    } catch (error) {
      outcome.saveProblem = errorMessage(error);
    }
  }
  return imageReply(run, outcome);
}

function noImageReply(run: ImageRun): Reply {
  const said = run.status.result?.trim() ? `\n\nThe agent said:\n${run.status.result}` : '';
  const wanted = run.target ? ` Nothing was written to ${run.target.name}.` : '';
  return errorReply(
    tool,
    `no image was made in this run (job ${run.status.job_id}).${wanted} Ask again, perhaps with other words or another model; gemini-models shows what the backend can do.${said}`,
    mergeNotices(run.notices ?? [], run.status.notices),
  );
}

/** The reply for an image that was found: the picture as content when it is small enough, and its path. */
function imageReply(run: ImageRun, outcome: ImageOutcome): Reply {
  const { args, status } = run;
  const { image, saved, saveProblem } = outcome;
  const content = imageContent(image);
  const body = [
    '### 🎨 Gemini Image Generation Completed',
    [
      `- **Prompt:** "${args.prompt}"`,
      `- **Aspect Ratio:** ${args.aspectRatio ?? DEFAULT_ASPECT_RATIO}`,
      ...(args.size ? [`- **Size:** ${args.size}`] : []),
      `- **Backend:** ${run.backend.toUpperCase()}`,
    ].join('\n'),
    saved && `💾 **Saved to Project:** \`${saved.name}\``,
    `![Generated Image](${pathToFileURL(image.path).href})`,
    `*File: \`${image.path}\`*`,
    status.result?.trim(),
  ].filter((part) => part !== undefined && part !== '');
  const notices = mergeNotices(
    run.notices ?? [],
    status.notices,
    partialNotice(status),
    saved?.askedFor
      ? [
          `The image is ${image.format.mimeType}, so it was saved as ${saved.name} instead of ${saved.askedFor}.`,
        ]
      : [],
    saveProblem ? [`The image was made, but not copied into the project: ${saveProblem}`] : [],
    content
      ? []
      : [
          `The image has ${counted(image.bytes.length, 'byte')}, more than the ${IMAGE_CONTENT_BYTES} that are sent along; open it by its path.`,
        ],
  );
  const reply = textReply(body.join('\n\n'), notices);
  return { ...reply, content: content ? [...reply.content, content] : reply.content };
}
