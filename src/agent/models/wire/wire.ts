import type { Endpoint } from '../providers.ts';
import type { Fetch } from '../transport/fetch.ts';
import type { Effort } from '../types.ts';
import type { WireTraits } from './prompt.ts';
import type { SdkModel, SdkOptions } from './sdk.ts';

/** What a wire needs to know of a request besides its messages. */
interface WireSettings {
  effort: Effort | undefined;
  maxOutputTokens: number | undefined;
}

/** A provider package, set up for one model. Each wire is a chunk of its own, loaded when it is used. */
export interface WireModel {
  readonly model: SdkModel;
  readonly traits: WireTraits;
  /** The provider's own settings for a request. */
  settings(wanted: WireSettings): { providerOptions?: SdkOptions; maxOutputTokens?: number };
}

export type CreateWire = (endpoint: Endpoint, slug: string, fetch: Fetch) => WireModel;
