import { canonicalJson, demand, ProofError } from '../encoding.js';
import { type Accounts, keyOf, type LeafEntry } from './accounts.js';
import { partsOf } from './decimals.js';
import type { HashFile } from './log-hashes.js';
import type { JournalReader } from './journal.js';
import type { OwedComparison } from './owed.js';
import {
  type DayRange,
  instantIn,
  type JsonObject,
  requireMembers,
  textIn,
  wholeNumberIn,
} from './json-members.js';

const LEAF_MEMBERS = ['effectiveAt', 'entries', 'id', 'kind', 'nonce', 'reference', 'type', 'v'];
const LEAF_PREFIX = '{"leaf":';
/**
 * Clocks of processes differ by up to five minutes, so a debit may be dated 23:59 and the credit that it spends 00:01. Credits
 * before this time of day count for an opening balance below zero.
 */
const EARLY = 'T00:05:00.000Z';

/**
 * Verifies transactions one after the other: their places in the log, that their entries sum to zero, and their order. Adds the
 * entries to the balances of `accounts`. Does not throw a difference from the journal: `JournalReader` records the first one.
 */
export class TransactionVerifier {
  count = 0;
  entries = 0;
  /** The lowest leaf; Infinity if there is none. */
  firstLeaf = Infinity;
  private last = { day: '', leafIndex: -1 };

  private readonly range: DayRange;
  private readonly hashes: HashFile;
  private readonly accounts: Accounts;
  private readonly journal: JournalReader;
  private readonly owed: OwedComparison | undefined;

  constructor(
    range: DayRange,
    hashes: HashFile,
    accounts: Accounts,
    journal: JournalReader,
    owed: OwedComparison | undefined,
  ) {
    this.range = range;
    this.hashes = hashes;
    this.accounts = accounts;
    this.journal = journal;
    this.owed = owed;
  }

  /**
   * `text` is the line as stored. It is canonical JSON, so the leaf's text is a substring of it and can be hashed without
   * serialising again.
   */
  async verifyTransaction(text: string, value: JsonObject): Promise<void> {
    requireMembers(value, ['leaf', 'leafIndex']);
    const leafIndex = wholeNumberIn(value, 'leafIndex');
    const leaf = value.leaf as JsonObject;
    this.hashes.requireLeaf(leafTextIn(text, leafIndex), leafIndex);
    requireMembers(leaf, LEAF_MEMBERS);
    demand(leaf.kind === 'transaction' && leaf.v === 1, 'The leaf is not a transaction of version 1.');
    const effectiveAt = instantIn(leaf, 'effectiveAt');
    const day = effectiveAt.slice(0, 10);
    demand(day >= this.range.from && day <= this.range.to, `${day} is outside the days of the pack.`);
    const { last } = this;
    demand(
      day > last.day || (day === last.day && leafIndex > last.leafIndex),
      'The transactions are not in the order of days and leaf indexes.',
    );
    const entries = entriesOf(leaf);
    requireZeroSums(entries);
    const reference = referenceOf(leaf);
    this.owed?.addTransaction(day, reference.type, entries);
    await this.journal.compareTransaction({
      day,
      leafIndex,
      id: textIn(leaf, 'id'),
      type: textIn(leaf, 'type'),
      reference,
      entries,
    });
    const isEarly = effectiveAt < this.range.from + EARLY;
    for (const { key, amount } of entries) {
      if (isEarly) this.accounts.coverOpening(key, amount);
      this.accounts.changeBalance(key, amount);
    }
    this.last = { day, leafIndex };
    this.firstLeaf = Math.min(this.firstLeaf, leafIndex);
    this.count += 1;
    this.entries += entries.length;
  }
}

/** The part of a canonical line that is the leaf. */
export function leafTextIn(text: string, leafIndex: number): string {
  const suffix = `,"leafIndex":${leafIndex}}`;
  demand(
    text.startsWith(LEAF_PREFIX) && text.endsWith(suffix),
    'The line is not {leaf, leafIndex} in canonical form.',
  );
  return text.slice(LEAF_PREFIX.length, -suffix.length);
}

function referenceOf(leaf: JsonObject): { readonly type: string; readonly id: string } {
  const reference = leaf.reference as JsonObject;
  requireMembers(reference, ['id', 'type']);
  return { type: textIn(reference, 'type'), id: textIn(reference, 'id') };
}

function entriesOf(leaf: JsonObject): LeafEntry[] {
  const { entries } = leaf;
  demand(Array.isArray(entries) && entries.length > 0, 'The transaction has no entries.');
  return (entries as readonly JsonObject[]).map((entry) => {
    requireMembers(entry, ['account', 'amount', 'asset']);
    const amount = partsOf(entry.amount);
    if (amount === 0n) throw new ProofError(`The amount of an entry is zero: ${canonicalJson(entry)}`);
    const [account, asset] = [textIn(entry, 'account'), textIn(entry, 'asset')];
    return { account, asset, key: keyOf(account, asset), amount, amountText: entry.amount as string };
  });
}

function requireZeroSums(entries: readonly LeafEntry[]): void {
  const sums = new Map<string, bigint>();
  for (const { asset, amount } of entries) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  for (const [asset, sum] of sums) demand(sum === 0n, `The entries in ${asset} do not sum to zero.`);
}
