import type { Day } from './days.js';

// Plain-text accounting in the part of the format that hledger and Ledger have in common. Debits are positive.

export interface JournalPosting {
  /** Parts are separated by colons. */
  readonly account: string;
  readonly amount: string;
  readonly commodity: string;
  /** The balance of the account in the commodity after the posting, which the programs verify. */
  readonly balance?: string;
}

export interface JournalTransaction {
  readonly day: Day;
  readonly code?: string;
  readonly description: string;
  readonly comment?: string;
  readonly postings: readonly JournalPosting[];
}

const PLAIN_COMMODITY = /^[A-Za-z]+$/;
/** Begin a comment or a note, or end the line. */
const SPECIAL = /[;|\p{Cc}]+/gu;

export function journalText({ day, code, description, comment, postings }: JournalTransaction): string {
  const head = `${day} * ${code === undefined ? '' : `(${code}) `}${description.replace(SPECIAL, ' ')}`;
  const lines = [head, ...(comment === undefined ? [] : [`    ${journalComment(comment)}`]), ...postings.map(postingLine)];
  return `${lines.join('\n')}\n\n`;
}

export function journalComment(text: string): string {
  return `; ${text.replace(SPECIAL, ' ')}`;
}

function postingLine({ account, amount, commodity, balance }: JournalPosting): string {
  const name = PLAIN_COMMODITY.test(commodity) ? commodity : `"${commodity}"`;
  return `    ${account}  ${amount} ${name}${balance === undefined ? '' : ` = ${balance} ${name}`}`;
}
