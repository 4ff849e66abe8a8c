import { STATUS_CODES } from 'node:http';
import type { DomainError } from '../../common/errors/domain-error.js';
import { newTrace, traceparentOf } from '../../observability/tracing/trace.js';
import { errorResponseOf } from './error-response.js';

/** The text of an error response to a request that Express does not see. The caller closes the connection after it. */
export function renderErrorResponse(
  error: DomainError,
  at: Date,
  headers: Readonly<Record<string, string | number>> = {},
  trace = newTrace(),
): string {
  const body = JSON.stringify(errorResponseOf(error, at, trace));
  const { retryAfterSeconds } = error;
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    "Content-Security-Policy: default-src 'none';base-uri 'none';frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    `traceparent: ${traceparentOf(trace)}`,
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
