import type { Day } from './days.js';

// Plain-text accounting in the part of the format that hledger and Ledger have in common. Debits are positive here; in the
// platform's ledger credits are positive.

/**
 * One line of a transaction, which hledger and Ledger call a posting. `account` and `commodity` are written without escaping:
 * callers build them from constants, account kinds, strategy ids and UUIDs.
 */
export interface JournalLine {
  /** Parts are separated by colons. A part may contain single spaces, but no two in a row and no control character. */
  readonly account: string;
  readonly amount: string;
  /** Without quotation marks and control characters. */
  readonly commodity: string;
  /** The balance of the account in the commodity after this line. hledger and Ledger verify it. */
  readonly balance?: string;
}

export interface JournalTransaction {
  readonly day: Day;
  /** The transaction code in parentheses; audit packs put the leaf index here. */
  readonly code?: string;
  readonly description: string;
  readonly comment?: string;
  readonly lines: readonly JournalLine[];
}

const PLAIN_COMMODITY = /^[A-Za-z]+$/;
/** Characters that would begin a comment (`;`) or a note (`|`), or end the line. */
const SPECIAL = /[;|\p{Cc}]+/gu;

export function journalText({ lines, ...head }: JournalTransaction): string {
  return `${journalHead(head)}${journalLines(lines)}\n`;
}

/** The text before the lines of a transaction. The lines and an empty line follow. */
export function journalHead({ day, code, description, comment }: Omit<JournalTransaction, 'lines'>): string {
  const text = description.replace(SPECIAL, ' ');
  // hledger and Ledger read a parenthesis at the start of a description as the code, so an empty code is put before it.
  const startsLikeCode = text.trimStart().startsWith('(');
  const codeText = code !== undefined || startsLikeCode ? `(${code ?? ''}) ` : '';
  const head = `${day} * ${codeText}${text}\n`;
  return comment === undefined ? head : `${head}    ${journalComment(comment)}\n`;
}

export function journalLines(lines: readonly JournalLine[]): string {
  return lines.map(lineText).join('');
}

export function journalComment(text: string): string {
  return `; ${text.replace(SPECIAL, ' ')}`;
}

function lineText({ account, amount, commodity, balance }: JournalLine): string {
  const name = PLAIN_COMMODITY.test(commodity) ? commodity : `"${commodity}"`;
  return `    ${account}  ${amount} ${name}${balance === undefined ? '' : ` = ${balance} ${name}`}\n`;
}
