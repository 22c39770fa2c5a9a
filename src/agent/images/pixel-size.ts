import type { ImageSize } from './types.ts';

/** Limits of gpt-image-2 and later: edges in steps of 16 up to 3840, at most 3:1, 655,360 to 8,294,400 pixels. */
const STEP = 16;
const LONGEST = 3840;
const WIDEST = 3;
/** Pixels by size. A little above the fewest and exactly the most that may be asked for, before edges are rounded down. */
const PIXELS: Readonly<Record<ImageSize, number>> = {
  '512': 720_000,
  '1K': 1024 * 1024,
  '2K': 2048 * 2048,
  '4K': 3840 * 2160,
};

function ratioOf(aspectRatio: string): number {
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  return width / height;
}

function edge(length: number): number {
  // A root that is whole in theory may come out a little below.
  return Math.floor((length + 1e-6) / STEP) * STEP;
}

/**
 * Width and height for OpenAI's models that take any, `2048x1152`.
 * @returns undefined when the ratio is beyond 3:1
 */
export function freePixelSize(aspectRatio: string, size: ImageSize): string | undefined {
  const ratio = ratioOf(aspectRatio);
  const wide = Math.max(ratio, 1 / ratio);
  if (!(wide <= WIDEST)) return undefined;
  const short = edge(Math.min(Math.sqrt(PIXELS[size] / wide), LONGEST / wide));
  const long = Math.min(edge(Math.min(Math.sqrt(PIXELS[size] * wide), LONGEST)), short * WIDEST);
  return ratio >= 1 ? `${long}x${short}` : `${short}x${long}`;
}

/** The nearest of the three sizes that the older models of OpenAI make. */
export function fixedPixelSize(aspectRatio: string): string {
  const ratio = ratioOf(aspectRatio);
  if (ratio > 1.2) return '1536x1024';
  return ratio < 1 / 1.2 ? '1024x1536' : '1024x1024';
}
