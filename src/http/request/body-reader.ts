import type { NextFunction, Request, Response } from 'express';
import { AsyncResource } from 'node:async_hooks';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import { requireStrictJson } from './strict-json.js';

const BODY_LIMIT_BYTES = 100_000;
const FIRST_BYTES = 1024;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Larger bodies, and how large: taken in behind the guards, so that nobody sends us megabytes without a token. */
const LARGE_BODIES: ReadonlyMap<string, number> = new Map([['POST /api/admin/reconciliations', 5_000_000]]);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A request whose exact bytes are kept, for signatures. */
export interface RequestWithRawBody extends Request {
  rawBody?: Buffer;
  /** Why there are none. */
  bodyProblem?: DomainError;
}

export function mayHaveBody({ method }: Request): boolean {
  return METHODS_WITH_BODY.has(method);
}

/** Takes in the bytes, and nothing else: whoever may not call is told so, whatever they sent. */
export function takeBytes(request: RequestWithRawBody, _response: Response, next: NextFunction): void {
  if (!mayHaveBody(request) || largeLimitOf(request)) return next();
  const goOn = AsyncResource.bind(() => next());
  take(request, BODY_LIMIT_BYTES, () => {
    if (!request.errored) goOn(); // else nobody waits for an answer
  });
}

/**
 * The bytes as strict JSON; undefined without any. Throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE for other types and
 * VALIDATION_ERROR for anything unclear.
 */
export async function readBody(request: RequestWithRawBody): Promise<unknown> {
  const limit = largeLimitOf(request);
  if (limit) await new Promise<void>((resolve) => take(request, limit, resolve));
  if (request.bodyProblem) throw request.bodyProblem;
  const { rawBody: bytes } = request;
  return bytes && bytes.length > 0 ? parse(bytes, request.headers['content-type']) : undefined;
}

function largeLimitOf({ method, path }: Request): number | undefined {
  return LARGE_BODIES.get(`${method} ${path}`);
}

/** Into one buffer that grows: kept one by one, pieces of a byte would take hundreds of times their room. */
function take(request: RequestWithRawBody, limit: number, done: () => void): void {
  let bytes: Buffer = Buffer.alloc(Math.min(limit, FIRST_BYTES));
  let length = 0;
  const end = (problem?: DomainError) => {
    request.off('data', add).off('end', whole).off('error', broken);
    if (problem) request.on('error', () => undefined).bodyProblem = problem;
    else request.rawBody = bytes.subarray(0, length);
    done();
  };
  const add = (piece: Buffer) => {
    if (length + piece.length > limit) return end(tooLarge(limit));
    if (length + piece.length > bytes.length) bytes = grown(bytes, length + piece.length, limit);
    length += piece.copy(bytes, length);
  };
  const whole = () => end();
  const broken = () =>
    end(new DomainError('VALIDATION_ERROR', [{ field: 'body', message: 'could not be read' }]));
  const { 'content-length': told, 'content-encoding': encoding = 'identity' } = request.headers;
  if (request.errored) return broken();
  if (encoding.toLowerCase() !== 'identity') return end(new DomainError('UNSUPPORTED_MEDIA_TYPE'));
  if (Number(told) > limit) return end(tooLarge(limit));
  request.on('data', add).once('end', whole).once('error', broken);
}

function grown(bytes: Buffer, atLeast: number, limit: number): Buffer {
  const larger = Buffer.alloc(Math.min(limit, Math.max(atLeast, 2 * bytes.length)));
  bytes.copy(larger);
  return larger;
}

function parse(bytes: Buffer, contentType: string | undefined): unknown {
  if (!JSON_TYPE.test(contentType ?? '')) fail('UNSUPPORTED_MEDIA_TYPE');
  try {
    const text = utf8.decode(bytes);
    requireStrictJson(text);
    return JSON.parse(text);
  } catch {
    return fail('VALIDATION_ERROR', [{ field: 'body', message: 'is not valid JSON, or not unambiguous' }]);
  }
}

function tooLarge(limit: number): DomainError {
  const most = limit < 1_000_000 ? `${limit / 1000} kB` : `${limit / 1_000_000} MB`;
  return new DomainError('PAYLOAD_TOO_LARGE', undefined, { message: `The body is larger than ${most}.` });
}
