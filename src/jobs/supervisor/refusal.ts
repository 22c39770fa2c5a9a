import type { RefusalCode } from '../protocol.ts';

/** A request that is answered with no: nothing was started. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
