import { raw, type NextFunction, type Request, type Response } from 'express';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { requireStrictJson } from './strict-json.js';

const BODY_LIMIT_BYTES = 100_000;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Larger bodies, and how large: read behind the access guard, so that nobody sends us megabytes without a token. */
const LARGE_BODIES: ReadonlyMap<string, number> = new Map([['POST /api/admin/reconciliations', 5_000_000]]);

const readBytes = raw({ type: () => true, limit: BODY_LIMIT_BYTES, inflate: false });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A request whose exact bytes are kept, for signatures. */
export interface RequestWithRawBody extends Request {
  rawBody?: Buffer;
}

/** Reads the body as strict JSON and nothing else: other types are 415, anything unclear is 400 (D7). */
export function jsonBody(request: RequestWithRawBody, response: Response, next: NextFunction): void {
  if (!METHODS_WITH_BODY.has(request.method) || isLargeBody(request)) return next();
  readBytes(request, response, parsed(request, next, '100 kB'));
}

/** Reads a large body of a route that takes one; throws what `jsonBody` refuses. */
export async function readLargeBody(request: RequestWithRawBody, response: Response): Promise<void> {
  const limit = largeLimitOf(request);
  if (limit === undefined) return;
  const read = raw({ type: () => true, limit, inflate: false });
  await new Promise<void>((resolve, reject) => {
    const done = (problem?: unknown) => (problem ? reject(problem as Error) : resolve());
    read(request, response, parsed(request, done, `${limit / 1_000_000} MB`));
  });
}

export function isLargeBody(request: Request): boolean {
  return largeLimitOf(request) !== undefined;
}

function largeLimitOf({ method, path }: Request): number | undefined {
  return LARGE_BODIES.get(`${method} ${path}`);
}

/** What happens once the bytes are there, or could not be read. */
function parsed(request: RequestWithRawBody, next: NextFunction, limit: string): NextFunction {
  return (problem?: unknown) => {
    if (problem) return next(refusalOf(problem as { type?: string }, limit));
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    request.rawBody = bytes;
    try {
      request.body = bytes.length === 0 ? {} : parse(bytes, request.headers['content-type']);
      next();
    } catch (error) {
      next(error);
    }
  };
}

function parse(bytes: Buffer, contentType: string | undefined): unknown {
  if (!JSON_TYPE.test(contentType ?? '')) throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  try {
    const text = utf8.decode(bytes);
    requireStrictJson(text);
    return JSON.parse(text);
  } catch {
    throw new DomainError('VALIDATION_ERROR', [
      { field: 'body', message: 'is not valid JSON, or not unambiguous' },
    ]);
  }
}

function refusalOf(problem: { type?: string }, limit: string): DomainError {
  if (problem.type === 'entity.too.large') {
    return new DomainError('PAYLOAD_TOO_LARGE', undefined, { message: `The body is larger than ${limit}.` });
  }
  if (problem.type === 'encoding.unsupported') return new DomainError('UNSUPPORTED_MEDIA_TYPE');
  return new DomainError('VALIDATION_ERROR', [{ field: 'body', message: 'could not be read' }]);
}
