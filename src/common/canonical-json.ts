export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [member: string]: JsonValue };

/** A deeper value is refused before recursion exhausts the stack. */
const MAX_DEPTH = 32;
const SURROGATE = /\p{Surrogate}/u;

/** Writes a value as RFC 8785 requires. Each value has exactly one text, so that the hash of the text can be computed again. */
export function canonicalJson(value: JsonValue, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError(`JSON is nested more than ${MAX_DEPTH} levels deep.`);
  if (typeof value === 'string') return canonicalString(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('JSON has no NaN and no infinite numbers.');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.keys(value).sort(); // by UTF-16 code units
  return `{${members.map((name) => `${canonicalString(name)}:${canonicalJson(value[name] as JsonValue, depth + 1)}`).join(',')}}`;
}

function canonicalString(text: string): string {
  const json = JSON.stringify(text);
  // JSON.stringify writes half of a surrogate pair as an escape such as \ud800, so only texts with such an escape are searched.
  if (json.includes('\\ud') && SURROGATE.test(text))
    throw new RangeError('A text contains half of a surrogate pair.');
  return json;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
