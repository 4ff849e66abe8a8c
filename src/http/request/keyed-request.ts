import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { fail } from '../../common/errors/domain-error.js';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { KEY_HEADER, KEY_PATTERN } from './key-header.js';

const KEY = new RegExp(KEY_PATTERN);

/** A request that carries a key. Caller, route and key name it; the fingerprint is what it asks for. */
export interface KeyedRequest {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
  /** SHA-256. */
  readonly fingerprint: Buffer;
}

/** The keyed request, or undefined when there is no key. Throws VALIDATION_ERROR for what can not be one. */
export function keyedRequest(request: RequestWithPrincipal): KeyedRequest | undefined {
  const key = request.headers[KEY_HEADER.toLowerCase()];
  if (key === undefined || !request.principal) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    fail('VALIDATION_ERROR', [{ field: KEY_HEADER, message: 'must be 1 to 255 visible ASCII characters' }]);
  }
  const { type, id } = request.principal;
  return {
    caller: `${type}:${id}`,
    route: `${request.method} ${(request.route as { path: string }).path}`,
    key,
    fingerprint: fingerprintOf(request),
  };
}

/** One text to the database and the process, whatever its parts hold. */
export function nameOf({ caller, route, key }: KeyedRequest): string {
  return `${caller} ${route} ${key}`;
}

function fingerprintOf({ params, query, body }: Request): Buffer {
  const asked = JSON.stringify(canonical([params, query, body]));
  return createHash('sha256').update(asked).digest();
}

/** The order in which an object names its fields says nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, canonical(field)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
