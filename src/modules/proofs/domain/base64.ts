/** Strict decoding: each value has exactly one text, so that no changed character leaves the bytes as they were. */
export function parseBase64(text: unknown, length?: number): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return undefined;
  return length === undefined || bytes.length === length ? bytes : undefined;
}
