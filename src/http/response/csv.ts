// Comma-separated values, RFC 4180.

/** A spreadsheet would evaluate such text as a formula: one user could run code on the machine of another (CSV injection). */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function csvRow(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** Quotes the field if necessary. Text that begins like a formula gets an apostrophe in front; numbers do not. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
