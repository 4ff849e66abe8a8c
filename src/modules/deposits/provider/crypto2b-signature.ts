import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature covers. `path` is the path with its query, as on the wire; `body` the exact bytes. */
export interface SignedParts {
  readonly timestamp: string;
  readonly recvWindow: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer | string;
}

/** base64(HMAC-SHA512(base64-decoded secret, timestamp + recvWindow + METHOD + path-and-query + body)). */
export function crypto2bSignature(secret: string, parts: SignedParts): string {
  return createHmac('sha512', Buffer.from(secret, 'base64'))
    .update(parts.timestamp + parts.recvWindow + parts.method + parts.path)
    .update(parts.body)
    .digest('base64');
}

/** Takes the same time wherever two texts differ. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
