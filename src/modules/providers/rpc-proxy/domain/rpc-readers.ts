import { isLosslessNumber } from 'lossless-json';
import { isObject, type RpcError } from './rpc-messages.js';

/** Thrown for params that the proxy does not forward, with the JSON-RPC error that the caller gets instead. */
export class RefusedParams extends Error {
  constructor(readonly error: RpcError) {
    super(error.message);
  }
}

/** Checks one value and returns the copy of it that is sent to the node. Throws RefusedParams. */
export type Reader = (value: unknown, name: string) => unknown;

export function refuseParams(message: string): never {
  throw new RefusedParams({ code: -32602, message });
}

/** The result of `build`, or the error of the RefusedParams that it throws. */
export function errorOrResult<Result extends object>(build: () => Result): Result | RpcError {
  try {
    return build();
  } catch (error) {
    if (error instanceof RefusedParams) return error.error;
    throw error;
  }
}

const hexText =
  (pattern: RegExp, meaning: string): Reader =>
  (value, name) =>
    typeof value === 'string' && pattern.test(value) ? value : refuseParams(`${name} must be ${meaning}`);

export const ADDRESS = hexText(/^0x[0-9a-fA-F]{40}$/, 'an address of 0x and 40 hex digits');
export const HASH = hexText(/^0x[0-9a-fA-F]{64}$/, 'a hash of 0x and 64 hex digits');
export const QUANTITY = hexText(/^0x[0-9a-fA-F]{1,64}$/, 'a number in hex');
export const DATA = hexText(/^0x(?:[0-9a-fA-F]{2})*$/, 'data in hex');
export const BLOCK_TAG = hexText(
  /^(?:latest|earliest|pending|safe|finalized|0x[0-9a-fA-F]{1,16})$/,
  'a block number in hex or a known tag',
);

export const FLAG: Reader = (value, name) =>
  typeof value === 'boolean' ? value : refuseParams(`${name} must be true or false`);

export const PERCENTILE: Reader = (value, name) => {
  const isPercentile = isLosslessNumber(value) && Number(value.value) >= 0 && Number(value.value) <= 100;
  return isPercentile ? value : refuseParams(`${name} must be a number from 0 to 100`);
};

/** A number in hex; a larger one is lowered to the maximum. */
export const quantityUpTo =
  (maximum: bigint): Reader =>
  (value, name) => {
    const quantity = BigInt(QUANTITY(value, name) as string);
    return toHex(quantity < maximum ? quantity : maximum);
  };

export const listOf =
  (reader: Reader, atMost: number): Reader =>
  (value, name) => {
    if (!Array.isArray(value) || value.length > atMost)
      return refuseParams(`${name} must be a list of at most ${atMost}`);
    return value.map((item, index) => reader(item, `${name}[${index}]`));
  };

export const eitherNullOr =
  (reader: Reader): Reader =>
  (value, name) =>
    value === null ? null : reader(value, name);

/** One value, or a list of `atMost` values or fewer. */
export const oneOrMore =
  (reader: Reader, atMost: number): Reader =>
  (value, name) =>
    (Array.isArray(value) ? listOf(reader, atMost) : reader)(value, name);

/** An object that has no fields but `fields`, whose names are case-sensitive. Fields that are null are omitted. */
export const objectOf =
  (fields: Readonly<Record<string, Reader>>): Reader =>
  (value, name) => {
    if (!isObject(value)) return refuseParams(`${name} must be an object`);
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined)
      return refuseParams(`${name} has an unknown field; known are ${Object.keys(fields).join(', ')}`);
    const present = Object.entries(value).filter(([, content]) => content !== null);
    return Object.fromEntries(
      present.map(([key, content]) => [key, (fields[key] as Reader)(content, `${name}.${key}`)]),
    );
  };

export function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
