// Comma-separated values, RFC 4180. Pure.

/** What a spreadsheet would take for a formula: somebody's text must not calculate on somebody else's machine. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function csvLine(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/**
 * What has commas, quotes or line ends stands in quotes, and quotes are doubled. Text that begins like a formula gets an
 * apostrophe before it; numbers stay as they are.
 */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
