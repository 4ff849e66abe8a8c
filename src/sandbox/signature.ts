import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The parts of the signed text in their order. `timestamp`, and `recvWindow`, the time for which the request is valid after it, are in
 * milliseconds; `path` includes the query, as sent.
 */
export interface SignedRequest {
  timestamp: string;
  recvWindow: string;
  method: string;
  path: string;
  body: string;
}

/** base64(HMAC-SHA512(base64-decoded secret, timestamp + recvWindow + METHOD + path-and-query + body)). */
export function sign(secret: string, request: SignedRequest): string {
  const text =
    request.timestamp + request.recvWindow + request.method.toUpperCase() + request.path + request.body;
  return createHmac('sha512', Buffer.from(secret, 'base64')).update(text).digest('base64');
}

export function signatureMatches(secret: string, request: SignedRequest, signature: string): boolean {
  const expected = Buffer.from(sign(secret, request));
  const received = Buffer.from(signature);
  return expected.length === received.length && timingSafeEqual(expected, received);
}

const RECV_WINDOW_MS = '5000'; // text, as the header has it

/** The four headers that sign requests to the deposit provider and its callbacks. */
export function signedHeaders(
  credentials: { key: string; secret: string },
  request: { method: string; url: string; body: string },
): Record<string, string> {
  const timestamp = String(Date.now());
  const { pathname, search } = new URL(request.url);
  const signature = sign(credentials.secret, {
    timestamp,
    recvWindow: RECV_WINDOW_MS,
    method: request.method,
    path: pathname + search,
    body: request.body,
  });
  return {
    'X-Processing-Key': credentials.key,
    'X-Processing-Timestamp': timestamp,
    'X-Processing-RecvWindow': RECV_WINDOW_MS,
    'X-Processing-Signature': signature,
  };
}
