/**
 * Text of another server, to be stored: without control characters and lone surrogates (PostgreSQL stores neither NUL
 * nor surrogates), and cut to `maxLength` without splitting a character. Null if it is not text or the result is blank.
 */
export function storableText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null;
  const printable = value.replace(/[\p{Cc}\p{Cs}]/gu, '');
  const cut = printable.slice(0, maxLength).replace(/\p{Cs}$/u, '');
  return cut.trim() === '' ? null : cut;
}
