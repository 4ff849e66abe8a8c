import { Money } from '../common/money.js';
import type { PlatformEvent } from './events.types.js';

// The JSON of a recorded event. Amounts, times and bytes, which JSON does not know, are objects with one marked field, so that
// decoding returns the emitted values.

type Encoded = string | number | boolean | null | readonly Encoded[] | { readonly [key: string]: Encoded };

/** The fields of an event that have no column of their own. */
export function encodeFields(event: PlatformEvent): Encoded {
  const { name: _name, at: _at, userId: _userId, ...fields } = event as PlatformEvent & { userId?: string };
  return encode(fields);
}

export function decodeFields(data: object): object {
  return decode(data as Encoded) as object;
}

function encode(value: unknown): Encoded {
  if (value instanceof Money) return { $amount: value.toString() };
  if (value instanceof Date) return { $time: value.toISOString() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value as Encoded;
  const defined = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(defined.map(([key, field]) => [key, encode(field)]));
}

function decode(value: Encoded): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const { $amount, $time, $bytes } = value as Record<string, string>;
  if ($amount !== undefined) return Money.of($amount);
  if ($time !== undefined) return new Date($time);
  if ($bytes !== undefined) return Buffer.from($bytes, 'base64');
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, decode(field)]));
}
