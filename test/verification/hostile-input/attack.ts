import type { SeededRandom } from '../../harness/seeded-random.js';
import type { HostileRequest } from './hostile-request.js';
import { validValue, validBody, uuid, type Operation } from './operations.js';

/** The inputs from which an attack builds a request. */
export interface AttackContext {
  readonly operation: Operation;
  readonly random: SeededRandom;
  /** Token of the sender. */
  readonly token: string | undefined;
  /** Id of an existing record, which belongs to the sender or to another user. */
  readonly realId: (operation: Operation) => string | undefined;
}

/** The parts of a request that an attack can change. */
export type RequestParts = Pick<
  HostileRequest,
  'method' | 'target' | 'headers' | 'body' | 'bytes' | 'hasInvalidFraming'
>;

export interface Attack {
  readonly name: string;
  /** Limits the attack to some operations. */
  readonly fits?: (operation: Operation) => boolean;
  readonly make: (context: AttackContext) => RequestParts;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export const takesBody = (operation: Operation) => WRITES.has(operation.method);

/** A valid request with these parts replaced. */
export function draft(
  context: AttackContext,
  parts: { path?: string; query?: string; body?: unknown; headers?: [string, string][] } = {},
): RequestParts {
  const { operation, random, token } = context;
  const path = parts.path ?? pathOf(context);
  const query = parts.query ?? queryOf(operation, random);
  const body = 'body' in parts ? parts.body : operation.body && validBody(operation.body, random);
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

/** The path with ids of existing records, if there are any. */
export function pathOf({ operation, random, realId }: AttackContext): string {
  return operation.path.replace(/\{(\w+)\}/g, () => realId(operation) ?? uuid(random));
}

/** The path with its last parameter replaced. */
export function pathWith(context: AttackContext, value: string): string {
  const last = context.operation.inPath.at(-1);
  const filled = context.operation.path.replace(`{${last}}`, () => value);
  return filled.replace(/\{(\w+)\}/g, () => context.realId(context.operation) ?? uuid(context.random));
}

/** Query with the required parameters and some optional ones. */
function queryOf({ inQuery }: Operation, random: SeededRandom): string {
  const taken = inQuery.filter(({ required }) => required || random.next() < 0.2);
  return taken
    .map((field) => `${field.name}=${encodeURIComponent(String(validValue(field, random)))}`)
    .join('&');
}
