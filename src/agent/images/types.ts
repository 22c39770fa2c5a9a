export const IMAGE_SIZES = ['512', '1K', '2K', '4K'] as const;

/** About how many pixels a square has at its edge. */
export type ImageSize = (typeof IMAGE_SIZES)[number];

export interface ReferenceImage {
  mediaType: string;
  base64: string;
}

export interface ImageRequest {
  prompt: string;
  /** `16:9`. */
  aspectRatio?: string;
  size?: ImageSize;
  /** Pictures to start from. */
  references: readonly ReferenceImage[];
  signal: AbortSignal;
}

/** A model that makes images. */
export interface ImageModel {
  /** `provider/model`. */
  readonly id: string;
  /** @throws {ModelError} for every failure, also for an answer without an image. */
  generate(request: ImageRequest): Promise<Buffer>;
}
