import type { IncomingMessage } from 'node:http';

export type Body = { ok: true; value: unknown } | { ok: false; status: 400 | 413; message: string };

/** Of a body that is too large, so much is read and thrown away: who still writes would not see the answer. */
const DISCARDED_BYTES = 64 * 1024 * 1024;

/** Reads a request's JSON body up to a bound; nothing beyond it is kept. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const tooLarge: Body = {
    ok: false,
    status: 413,
    message: `Payload Too Large: Request body must not exceed ${maxBytes} bytes`,
  };
  if (Number(request.headers['content-length'] ?? 0) > DISCARDED_BYTES) return tooLarge;
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += piece.length;
    if (bytes > DISCARDED_BYTES) return tooLarge;
    if (bytes > maxBytes) chunks = [];
    else chunks.push(piece);
  }
  if (bytes > maxBytes) return tooLarge;
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return { ok: true, value };
  } catch {
    return { ok: false, status: 400, message: 'Parse error: the body is not JSON' };
  }
}
