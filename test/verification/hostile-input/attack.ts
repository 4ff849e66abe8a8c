import type { SeededRandom } from '../../harness/seeded-random.js';
import type { HostileRequest } from './hostile-request.js';
import { validValue, validBody, uuid, type Operation } from './operations.js';

/** The inputs from which an attack builds a request. */
export interface AttackContext {
  readonly operation: Operation;
  readonly random: SeededRandom;
  /** Token of the sender. */
  readonly token: string | undefined;
  /** Id of an existing record of the operation, which belongs to the sender or to another user. */
  readonly existingId: () => string | undefined;
}

/** The parts of a request that an attack can change. */
export type RequestParts = Pick<
  HostileRequest,
  'method' | 'target' | 'headers' | 'body' | 'bytes' | 'mayHaveInvalidFraming'
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
  const encodedBody = body === undefined ? undefined : encode(body);
  const headers = parts.headers ?? [];
  const has = (name: string) => headers.some(([other]) => other.toLowerCase() === name);
  const added: [string, string][] = [];
  if (token && !has('authorization')) added.push(['authorization', `Bearer ${token}`]);
  if (encodedBody && !has('content-type')) added.push(['content-type', 'application/json']);
  return {
    method: operation.method,
    target: query ? `${path}?${query}` : path,
    headers: [...added, ...headers],
    ...(encodedBody ? { body: encodedBody } : {}),
  };
}

function encode(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The path with ids of existing records; without existing records, with random ids. */
export function pathOf({ operation, random, existingId }: AttackContext): string {
  return operation.path.replace(/\{(\w+)\}/g, () => existingId() ?? uuid(random));
}

/** The path with its last parameter replaced. */
export function pathWith(context: AttackContext, value: string): string {
  const last = context.operation.inPath.at(-1);
  const filled = context.operation.path.replace(`{${last}}`, () => value);
  return filled.replace(/\{(\w+)\}/g, () => context.existingId() ?? uuid(context.random));
}

/** Query with the required parameters and some optional ones. */
function queryOf({ inQuery }: Operation, random: SeededRandom): string {
  const fields = inQuery.filter(({ required }) => required || random.next() < 0.2);
  return fields
    .map((field) => `${field.name}=${encodeURIComponent(String(validValue(field, random)))}`)
    .join('&');
}
