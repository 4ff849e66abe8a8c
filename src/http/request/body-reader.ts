import type { NextFunction, Request, Response } from 'express';
import { AsyncResource } from 'node:async_hooks';
import { DomainError, throwError } from '../../common/errors/domain-error.js';
import { routerPath } from './request-target.js';
import { requireStrictJson } from './strict-json.js';

const MAX_BODY_BYTES = 100_000;
const INITIAL_BUFFER_BYTES = 1024;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json\s*$/i;
const PARAMETER = /^\s*([\w!#$&^.+-]+\s*=.*)?$/;
const CHARSET = /^\s*charset\s*=/i;
const UTF_8 = /=\s*"?(utf-?8|us-ascii)"?\s*$/i;

/** Limits of routes with larger bodies, which are read after the guards: only callers with a valid token can send them. */
const LARGE_BODY_BYTES: ReadonlyMap<string, number> = new Map([
  ['POST /api/admin/reconciliations', 5_000_000],
]);

const NOT_STRICT =
  'is not valid JSON, or has duplicate or reserved keys, invalid characters or too deep nesting';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A request that keeps the exact bytes of its body, because the signatures of callbacks cover them. */
export interface RequestWithRawBody extends Request {
  rawBody?: Buffer;
  /** Set instead of `rawBody` if the body was refused. */
  bodyError?: DomainError;
  /** When the body was received or refused, by the monotonic clock; undefined without a body. */
  bodyEndedMs?: number;
}

export function mayHaveBody({ method }: Request): boolean {
  return METHODS_WITH_BODY.has(method);
}

/** Middleware: buffers the body, unless the route takes large bodies. Errors are reported by `readBody`, after the guards. */
export function bufferBody(request: RequestWithRawBody, _response: Response, next: NextFunction): void {
  if (!mayHaveBody(request) || largeBodyLimitOf(request)) return next();
  const context = new AsyncResource('REQUEST_BODY'); // body events are emitted outside the async context of the request
  receiveBody(request, MAX_BODY_BYTES, () => {
    if (!request.errored) context.runInAsyncScope(next); // after an error the connection is closed, and no response is possible
  });
}

/**
 * The body parsed as strict JSON; undefined without a body. With `isAnyType` the Content-Type is not read. Throws PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE for encoded bodies and types other than JSON in UTF-8, and VALIDATION_ERROR for bodies that are incomplete
 * or not strict JSON.
 */
export async function readBody(request: RequestWithRawBody, isAnyType = false): Promise<unknown> {
  const limit = largeBodyLimitOf(request);
  if (limit) await new Promise<void>((resolve) => receiveBody(request, limit, resolve));
  if (request.bodyError) throw request.bodyError;
  const { rawBody: bytes } = request;
  if (!bytes || bytes.length === 0) return undefined;
  if (!isAnyType && !isJson(request.headers['content-type'])) throwError('UNSUPPORTED_MEDIA_TYPE');
  return parse(bytes);
}

function largeBodyLimitOf({ method, path }: Request): number | undefined {
  return LARGE_BODY_BYTES.get(`${method} ${routerPath(path)}`);
}

/** Uses one buffer that grows: a list of chunks of one byte each would take hundreds of times the memory. */
function receiveBody(request: RequestWithRawBody, limit: number, onReceived: () => void): void {
  let bytes: Buffer = Buffer.alloc(Math.min(limit, INITIAL_BUFFER_BYTES));
  let length = 0;
  const finish = (error?: DomainError) => {
    request.off('data', onData).off('end', onEnd).off('error', onError);
    request.bodyEndedMs = performance.now();
    if (error) {
      request.bodyError = error;
      request.on('error', () => undefined); // a later error, without a listener, would end the process
    } else request.rawBody = bytes.subarray(0, length);
    onReceived();
  };
  const onData = (chunk: Buffer) => {
    if (length + chunk.length > limit) return finish(tooLarge(limit));
    if (length + chunk.length > bytes.length) bytes = enlarged(bytes, length + chunk.length, limit);
    length += chunk.copy(bytes, length);
  };
  const onEnd = () => finish();
  const onError = () =>
    finish(new DomainError('VALIDATION_ERROR', [{ field: 'body', message: 'could not be read' }]));
  const { 'content-length': declaredLength, 'content-encoding': encoding = 'identity' } = request.headers;
  if (request.errored) return onError();
  if (encoding.toLowerCase() !== 'identity') return finish(new DomainError('UNSUPPORTED_MEDIA_TYPE'));
  if (Number(declaredLength) > limit) return finish(tooLarge(limit));
  request.on('data', onData).once('end', onEnd).once('error', onError);
}

function enlarged(bytes: Buffer, minimum: number, limit: number): Buffer {
  const larger = Buffer.alloc(Math.min(limit, Math.max(minimum, 2 * bytes.length)));
  bytes.copy(larger);
  return larger;
}

/** True for JSON in UTF-8. Parameters of the type other than `charset` have no meaning. */
function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.split(';');
  return (
    JSON_TYPE.test(type) &&
    parameters.every((text) => PARAMETER.test(text) && (!CHARSET.test(text) || UTF_8.test(text)))
  );
}

function parse(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    requireStrictJson(text);
    return JSON.parse(text);
  } catch {
    return throwError('VALIDATION_ERROR', [{ field: 'body', message: NOT_STRICT }]);
  }
}

function tooLarge(limit: number): DomainError {
  const size = limit < 1_000_000 ? `${limit / 1000} kB` : `${limit / 1_000_000} MB`;
  return new DomainError('PAYLOAD_TOO_LARGE', undefined, { message: `The body is larger than ${size}.` });
}
