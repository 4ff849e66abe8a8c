/** Strict decoding: each value has exactly one text, so that no changed character leaves the bytes as they were. */
export function parseBase64(text: unknown, length?: number): Buffer | undefined {
  return decoded(text, 'base64', length);
}

/** Without padding, as in JWS. */
export function parseBase64Url(text: unknown, length?: number): Buffer | undefined {
  return decoded(text, 'base64url', length);
}

function decoded(text: unknown, encoding: 'base64' | 'base64url', length?: number): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, encoding);
  if (bytes.toString(encoding) !== text) return undefined;
  return length === undefined || bytes.length === length ? bytes : undefined;
}
