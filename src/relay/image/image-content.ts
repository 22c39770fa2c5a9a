import type { FoundImage } from './find-image.ts';

/** An image as an MCP content item. */
export interface ImageContent {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

/** Larger images are only named: as base64 this is just below the 5 MB that model providers take for one image. */
export const IMAGE_CONTENT_BYTES = 3_670_016;

export function imageContent(image: FoundImage, limit = IMAGE_CONTENT_BYTES): ImageContent | undefined {
  if (image.bytes.length > limit) return undefined;
  return { type: 'image', data: image.bytes.toString('base64'), mimeType: image.format.mimeType };
}
