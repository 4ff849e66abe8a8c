import type { SeededRandom } from '../../harness/seeded-random.js';
import type { HostileRequest } from './hostile-request.js';
import { fitting, fittingFields, uuid, type Operation } from './operations.js';

/** What an attack is made of. */
export interface Means {
  readonly operation: Operation;
  readonly random: SeededRandom;
  /** The token of whoever sends it. */
  readonly token: string | undefined;
  /** An id of something that is there, of whoever sends it or of somebody else. */
  readonly realId: (operation: Operation) => string | undefined;
}

/** Everything about a request that an attack can change. */
export type Draft = Pick<HostileRequest, 'method' | 'target' | 'headers' | 'body' | 'bytes' | 'brokenFrame'>;

export interface Attack {
  readonly name: string;
  /** On which operations it can be tried; on all when absent. */
  readonly fits?: (operation: Operation) => boolean;
  readonly make: (means: Means) => Draft;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export const takesBody = (operation: Operation) => WRITES.has(operation.method);

/** A request that is in order, with these parts in its stead. */
export function draft(
  means: Means,
  parts: { path?: string; query?: string; body?: unknown; headers?: [string, string][] } = {},
): Draft {
  const { operation, random, token } = means;
  const path = parts.path ?? pathOf(means);
  const query = parts.query ?? queryOf(operation, random);
  const body = 'body' in parts ? parts.body : operation.body && fittingFields(operation.body, random);
  const bytes = body === undefined ? undefined : asBytes(body);
  const given = parts.headers ?? [];
  const has = (name: string) => given.some(([other]) => other.toLowerCase() === name);
  return {
    method: operation.method,
    target: query ? `${path}?${query}` : path,
    headers: [
      ...(token && !has('authorization')
        ? ([['authorization', `Bearer ${token}`]] as [string, string][])
        : []),
      ...(bytes && !has('content-type')
        ? ([['content-type', 'application/json']] as [string, string][])
        : []),
      ...given,
    ],
    ...(bytes ? { body: bytes } : {}),
  };
}

function asBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The path with ids that are really there, where there are any. */
export function pathOf({ operation, random, realId }: Means): string {
  return operation.path.replace(/\{(\w+)\}/g, () => realId(operation) ?? uuid(random));
}

/** The path with this instead of its last parameter. */
export function pathWith(means: Means, value: string): string {
  const last = means.operation.inPath.at(-1);
  const filled = means.operation.path.replace(`{${last}}`, () => value);
  return filled.replace(/\{(\w+)\}/g, () => means.realId(means.operation) ?? uuid(means.random));
}

/** Parameters that are required, and some that are not. */
function queryOf({ inQuery }: Operation, random: SeededRandom): string {
  const taken = inQuery.filter(({ required }) => required || random.next() < 0.2);
  return taken
    .map((field) => `${field.name}=${encodeURIComponent(String(fitting(field, random)))}`)
    .join('&');
}
