import { isFields } from '../../contract/fields.ts';
import type { Endpoint } from '../models/providers.ts';
import { ModelError } from '../models/types.ts';
import type { ImageRequest, ReferenceImage } from './types.ts';

export interface ImageAnswer {
  /** The picture, or undefined when the answer has none. */
  base64: string | undefined;
  /** What the provider said besides, which may tell why there is none. */
  said: string;
}

/** One request for an image in a provider's form. Sent as JSON. */
export interface ImageWire {
  /** Behind the endpoint's address. */
  path: string;
  headers: Record<string, string>;
  body: unknown;
  read: (answer: unknown) => ImageAnswer;
}

/** @throws {ModelError} `invalid_request` for what this provider cannot do; nothing was sent. */
export type CreateImageWire = (endpoint: Endpoint, model: string, request: ImageRequest) => ImageWire;

/** The list, or an empty one for anything else. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value below these names, or undefined. */
export function field(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
}

/** The data of a `data:` address; undefined for any other text. */
export function dataOf(url: string): string | undefined {
  return /^data:[^,]*;base64,(.+)$/s.exec(url)?.[1];
}

export function dataUrl({ mediaType, base64 }: ReferenceImage): string {
  return `data:${mediaType};base64,${base64}`;
}

export function bearer({ key }: Endpoint): Record<string, string> {
  return key ? { authorization: `Bearer ${key}` } : {};
}

export function cannot(endpoint: Endpoint, model: string, what: string): ModelError {
  const { label, id } = endpoint.provider;
  return new ModelError(
    'invalid_request',
    `${label} (${id}/${model}) ${what}; leave that out, or set BATON_IMAGE_MODEL to another model`,
  );
}
