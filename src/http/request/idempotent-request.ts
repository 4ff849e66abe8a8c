import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { throwError } from '../../common/errors/domain-error.js';
import type { Principal, RequestWithPrincipal } from '../auth/principal.js';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/** 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$';
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** A request with an idempotency key. Caller, route and key identify it. */
export interface IdempotentRequest {
  /** `user:` or `admin:` and an id. */
  readonly caller: string;
  /** Method and path pattern, such as `POST /api/user/withdrawals/:id/cancel`. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the parameters of path and query, and of the body. */
  readonly fingerprint: Buffer;
}

/** Undefined for a request without a key or without a principal. Throws VALIDATION_ERROR for a malformed key. */
export function idempotentRequestOf(request: RequestWithPrincipal): IdempotentRequest | undefined {
  const key = request.headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()];
  if (key === undefined || !request.principal) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = 'must be 1 to 255 visible ASCII characters';
    throwError('VALIDATION_ERROR', [{ field: IDEMPOTENCY_KEY_HEADER, message }]);
  }
  return {
    caller: callerOf(request.principal),
    route: `${request.method} ${(request.route as { path: string }).path}`,
    key,
    fingerprint: fingerprintOf(request),
  };
}

/** Identifies a user or an admin in one text. */
export function callerOf({ type, id }: Pick<Principal, 'type' | 'id'>): string {
  return `${type}:${id}`;
}

/** Identifies the request in one text, for locks. */
export function lockNameOf({ caller, route, key }: IdempotentRequest): string {
  return `${caller} ${route} ${key}`;
}

function fingerprintOf({ params, query, body }: Request): Buffer {
  const canonical = JSON.stringify(withSortedKeys([params, query, body]));
  return createHash('sha256').update(canonical).digest();
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, withSortedKeys(field)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
