// Comma-separated values, RFC 4180. All responses in CSV are written by this file.

/**
 * A spreadsheet would evaluate such text as a formula: one user could run code on the machine of another (CSV injection). Some
 * spreadsheets skip spaces and invisible characters at the beginning, and take full-width and small forms as the sign itself.
 */
const FORMULA = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]|[\t\r\n])/u;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** What a parser takes as a separator, in some country or program, as a line end or as a quote; and spaces that it trims. */
const SEPARATOR = /[",;|，；\p{Cc}\u2028\u2029]|^\s|\s$/u;

export function csvRow(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** Quotes the field if necessary. Text that begins like a formula gets an apostrophe in front; numbers do not. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return SEPARATOR.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
