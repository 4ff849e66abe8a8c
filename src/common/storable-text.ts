/**
 * Text of another server, to be stored: without characters that PostgreSQL refuses or replaces, and cut to `maxLength` without
 * splitting a character. Null for a value that is not text, and if nothing is left.
 */
export function storableText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null;
  const printable = value.replace(/[\p{Cc}\p{Cs}]/gu, '');
  const cut = printable.slice(0, maxLength).replace(/\p{Cs}$/u, '');
  return cut.trim() === '' ? null : cut;
}
