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

export function journalText({ postings, ...head }: JournalTransaction): string {
  return `${journalHead(head)}${journalPostings(postings)}\n`;
}

/** The first lines of a transaction. Its postings and an empty line follow. */
export function journalHead({
  day,
  code,
  description,
  comment,
}: Omit<JournalTransaction, 'postings'>): string {
  const head = `${day} * ${code === undefined ? '' : `(${code}) `}${description.replace(SPECIAL, ' ')}\n`;
  return comment === undefined ? head : `${head}    ${journalComment(comment)}\n`;
}

export function journalPostings(postings: readonly JournalPosting[]): string {
  return postings.map(postingLine).join('');
}

export function journalComment(text: string): string {
  return `; ${text.replace(SPECIAL, ' ')}`;
}

function postingLine({ account, amount, commodity, balance }: JournalPosting): string {
  const name = PLAIN_COMMODITY.test(commodity) ? commodity : `"${commodity}"`;
  return `    ${account}  ${amount} ${name}${balance === undefined ? '' : ` = ${balance} ${name}`}\n`;
}
