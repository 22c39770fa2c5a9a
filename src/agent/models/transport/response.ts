import type { IncomingMessage } from 'node:http';
import { LightHeaders } from './headers.ts';

/** The connection delivered nothing for longer than the idle limit. */
export class StalledError extends Error {
  override name = 'StalledError';
  readonly code = 'ETIMEDOUT';
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

/** The body as a web stream that is only read as fast as it is asked for. Each wait is bounded by `idleMs`. */
function bodyStream(
  message: IncomingMessage,
  idleMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = message.iterator({ destroyOnReturn: true });
  // The iterator listens only while it is being read; an abort in between must not end the process.
  message.on('error', () => {});
  const onAbort = (): void => {
    if (signal) message.destroy(reasonOf(signal));
  };
  const release = (): void => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const timer = setTimeout(() => {
        message.destroy(
          new StalledError(`nothing arrived for ${idleMs / 1000} s in the middle of the reply`),
        );
      }, idleMs);
      try {
        const next = await chunks.next();
        if (!next.done) return controller.enqueue(next.value);
        release();
        controller.close();
      } catch (error) {
        release();
        controller.error(signal?.aborted ? reasonOf(signal) : error);
      } finally {
        clearTimeout(timer);
      }
    },
    async cancel() {
      release();
      message.destroy();
      await Promise.resolve();
    },
  });
}

/** The part of the web's `Response` that the provider packages use, over a reply of `node:http`. */
export class LightResponse implements globalThis.Response {
  readonly headers: LightHeaders;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly url: string;
  readonly type = 'basic';
  readonly redirected = false;
  readonly body: ReadableStream<Uint8Array>;
  bodyUsed = false;

  constructor(url: string, message: IncomingMessage, idleMs: number, signal: AbortSignal | undefined) {
    this.url = url;
    this.status = message.statusCode ?? 0;
    this.statusText = message.statusMessage ?? '';
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = new LightHeaders();
    for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
      this.headers.append(message.rawHeaders[i] ?? '', message.rawHeaders[i + 1] ?? '');
    }
    this.body = bodyStream(message, idleMs, signal);
  }

  async #bytes(): Promise<Buffer<ArrayBuffer>> {
    this.bodyUsed = true;
    const pieces: Uint8Array[] = [];
    for await (const piece of this.body) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = await this.#bytes();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }

  async text(): Promise<string> {
    return (await this.#bytes()).toString('utf8');
  }

  async json(): Promise<unknown> {
    const value: unknown = JSON.parse(await this.text());
    return value;
  }

  blob(): Promise<never> {
    return Promise.reject(new Error('blob() is not part of this transport'));
  }

  formData(): Promise<never> {
    return Promise.reject(new Error('formData() is not part of this transport'));
  }

  clone(): never {
    throw new Error('clone() is not part of this transport');
  }
}
