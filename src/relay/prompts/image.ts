export const ASPECT_RATIOS = [
  '1:1',
  '16:9',
  '9:16',
  '4:3',
  '3:4',
  '3:2',
  '2:3',
  '5:4',
  '4:5',
  '21:9',
  '4:1',
  '1:4',
  '8:1',
  '1:8',
] as const;

export const IMAGE_SIZES = ['512', '1K', '2K', '4K'] as const;

export const DEFAULT_ASPECT_RATIO = '1:1';

export interface ImageArguments {
  prompt: string;
  aspectRatio?: string;
  size?: string;
}

/** The prompt that has an agent make one picture. The form travels in the words: agents have no flag for it. */
export function imagePrompt(args: ImageArguments): string {
  const size = args.size ? `\nImage Size: ${args.size}` : '';
  return `Generate one image with your image generation tool.

Prompt: ${args.prompt.trim()}
Aspect Ratio: ${args.aspectRatio ?? DEFAULT_ASPECT_RATIO}${size}

Use the tool itself: do not write code that draws, and do not look for an existing picture. When it is done, answer with the absolute path of the file as a Markdown image link. If no image can be made, say why in one sentence.`;
}

/** The first progress message of an image. */
export function imageStartMessage(args: ImageArguments): string {
  return `🎨 Generating image with aspect ratio ${args.aspectRatio ?? DEFAULT_ASPECT_RATIO}...`;
}
