import { groupBy } from '../../../../common/groups.js';
import { ETH_SCALE, MICRO_SCALE, Money } from '../../../../common/money.js';
import type { TokenTransfer } from '../../../providers/chain/chain.client.js';
import { hashDigits } from '../../../providers/chain/domain/transaction-hash.js';
import type { BookRecord, StatementLine } from './movement.js';

/** A statement line and the records that it corresponds to; either side may be empty. */
export interface Pair {
  readonly line: StatementLine | null;
  readonly records: readonly BookRecord[];
}

/** The part of an amount that the ledger credits: for stablecoins, up to the sixth decimal. */
export function roundToLedger(amount: Money, currency: string): Money {
  return amount.roundDown(currency === 'USDC' || currency === 'USDT' ? MICRO_SCALE : ETH_SCALE);
}

/** The posted amount of a settled record, zero if its posting is missing; the recorded amount of any other record. */
export function bookedAmount({ status, amount, posted }: BookRecord): Money {
  return status === 'settled' ? (posted ?? Money.ZERO) : amount;
}

type Key = string | null;
/** The fields of lines and records by which they are paired. */
type Movement = Pick<StatementLine, 'direction' | 'currency' | 'txHash'>;

/** Null, which equals no key, if a part is missing. */
const keyOf = (...parts: readonly (string | null)[]): Key => (parts.includes(null) ? null : parts.join('\n'));
const transferKey = ({ direction, currency, txHash }: Movement): Key =>
  keyOf(direction, currency, txHash && hashDigits(txHash));
const amountKey = (amount: Money, { currency }: Movement): string =>
  roundToLedger(amount, currency).toString();
const recordReferences = ({ id, reference }: BookRecord): string[] =>
  [id, ...(reference === null ? [] : [reference])].map((text) => text.toLowerCase());
const lineReference = ({ reference }: StatementLine): string => reference.toLowerCase();

/** Pairs each line with a record that has an equal key. */
interface Pass {
  readonly lineKey: (line: StatementLine) => Key;
  readonly recordKeys: (record: BookRecord) => readonly Key[];
}

/** Same transaction hash: first by reference, then by network and amount, then by amount. */
const SAME_TRANSACTION: readonly Pass[] = [
  {
    lineKey: (line) => keyOf(transferKey(line), lineReference(line)),
    recordKeys: (record) =>
      recordReferences(record).map((reference) => keyOf(transferKey(record), reference)),
  },
  {
    lineKey: (line) => keyOf(transferKey(line), line.network, amountKey(line.amount, line)),
    recordKeys: (record) => [
      keyOf(transferKey(record), record.network, amountKey(bookedAmount(record), record)),
    ],
  },
  {
    lineKey: (line) => keyOf(transferKey(line), amountKey(line.amount, line)),
    recordKeys: (record) => [keyOf(transferKey(record), amountKey(bookedAmount(record), record))],
  },
];

/** Same reference; the hashes may differ. */
const SAME_REFERENCE: Pass = {
  lineKey: (line) => keyOf(line.direction, line.currency, lineReference(line)),
  recordKeys: (record) =>
    recordReferences(record).map((reference) => keyOf(record.direction, record.currency, reference)),
};

/** All lines in their order with the matching records, then each unmatched record as a pair without a line. */
export function pairMovements(lines: readonly StatementLine[], records: readonly BookRecord[]): Pair[] {
  const progress: Progress = {
    unpairedLines: new Set(lines),
    unpairedRecords: new Set(records),
    recordsOfLine: new Map(),
  };
  for (const pass of SAME_TRANSACTION) applyPass(progress, pass);
  pairBatchPayments(progress);
  applyPass(progress, SAME_REFERENCE);
  return [
    ...lines.map((line) => ({ line, records: progress.recordsOfLine.get(line) ?? [] })),
    ...[...progress.unpairedRecords].map((record) => ({ line: null, records: [record] })),
  ];
}

/** The movements that no pass has paired so far, and the records of each paired line. */
interface Progress {
  readonly unpairedLines: Set<StatementLine>;
  readonly unpairedRecords: Set<BookRecord>;
  readonly recordsOfLine: Map<StatementLine, readonly BookRecord[]>;
}

function pairLine(progress: Progress, line: StatementLine, records: readonly BookRecord[]): void {
  progress.recordsOfLine.set(line, records);
  progress.unpairedLines.delete(line);
  for (const record of records) progress.unpairedRecords.delete(record);
}

function applyPass(progress: Progress, pass: Pass): void {
  const keyed = [...progress.unpairedRecords].flatMap((record) =>
    pass.recordKeys(record).map((key) => ({ key, record })),
  );
  const byKey = groupBy(keyed, ({ key }) => key);
  for (const queue of byKey.values()) queue.reverse(); // so that pop() returns records in their order
  for (const line of progress.unpairedLines) {
    const queue = byKey.get(pass.lineKey(line) ?? '') ?? [];
    let record = queue.pop()?.record;
    // A record with several keys may have been paired from another queue.
    while (record && !progress.unpairedRecords.has(record)) record = queue.pop()?.record;
    if (record) pairLine(progress, line, [record]);
  }
}

/**
 * One payment for several records: a line takes all remaining records of its transaction if its amount is their sum, or if no further
 * line of the transaction could pay them. Otherwise the line takes one record, whose amount then differs.
 */
function pairBatchPayments(progress: Progress): void {
  const linesByKey = groupBy(progress.unpairedLines, transferKey);
  const recordsByKey = groupBy(progress.unpairedRecords, transferKey);
  for (const [key, lines] of linesByKey) {
    const remaining = recordsByKey.get(key) ?? [];
    let sum = Money.sum(remaining.map(bookedAmount));
    for (const [index, line] of lines.entries()) {
      const takesAll = index === lines.length - 1 || roundToLedger(line.amount, line.currency).equals(sum);
      const taken = takesAll ? remaining.splice(0) : remaining.splice(0, 1);
      if (taken.length === 0) break;
      sum = sum.minus(Money.sum(taken.map(bookedAmount)));
      pairLine(progress, line, taken);
    }
  }
}

/** A transfer that a statement line or a record expects in the transaction. */
interface ExpectedTransfer {
  readonly pair: Pair;
  readonly address: string | null;
  readonly amount: Money;
  readonly logIndex: number | null;
}

/**
 * Assigns the transfers of one transaction to the pairs whose line or records have the hash of the transaction. Returns the
 * sum of the transfers of each pair. Each transfer is assigned to at most one pair, since it can prove only one of them.
 */
export function assignTransfers(
  transfers: readonly TokenTransfer[],
  pairs: readonly Pair[],
): Map<Pair, Money> {
  const sums = new Map(pairs.map((pair) => [pair, Money.ZERO]));
  const unassigned = new Set(transfers);
  const transfersTo = (expected: ExpectedTransfer) =>
    [...unassigned].filter((transfer) => isReceiver(transfer, expected.address));
  const withEqualAmount = (expected: ExpectedTransfer) =>
    transfersTo(expected)
      .filter(({ amount }) => amount.equals(expected.amount))
      .slice(0, 1);

  // Pairs with records come first: a line of a JSON or CSV statement names no address and would take their transfers.
  const withRecords = pairs.filter(({ records }) => records.length > 0);
  const withoutRecords = pairs.filter(({ records }) => records.length === 0);
  const unmet = new Set([...withRecords, ...withoutRecords].flatMap(expectedTransfers));
  // Each pass assigns transfers to the expected transfers that got none in the passes before it, by a weaker criterion.
  // In all passes the receiver has to be equal, unless the line or record has no address.
  const pass = (select: (expected: ExpectedTransfer) => TokenTransfer[]) => {
    for (const expected of unmet) {
      const selected = select(expected);
      if (selected.length === 0) continue;
      const { pair } = expected;
      sums.set(pair, Money.sum([sums.get(pair) ?? Money.ZERO, ...selected.map(({ amount }) => amount)]));
      for (const transfer of selected) unassigned.delete(transfer);
      unmet.delete(expected);
    }
  };
  // 1. The log index is equal.
  pass((expected) => transfersTo(expected).filter(({ logIndex }) => logIndex === expected.logIndex));
  // 2. The amount is equal, and an address is expected.
  pass((expected) => (expected.address === null ? [] : withEqualAmount(expected)));
  // 3. The amount is equal; no address is expected.
  pass(withEqualAmount);
  // 4. All remaining transfers: the amount differs, or one transfer pays several records.
  pass(transfersTo);
  return sums;
}

function isReceiver({ to }: TokenTransfer, address: string | null): boolean {
  return address === null || to.toLowerCase() === address.toLowerCase();
}

function expectedTransfers(pair: Pair): ExpectedTransfer[] {
  const { line, records } = pair;
  if (records.length === 0 && line)
    return [{ pair, address: line.address, amount: line.amount, logIndex: null }];
  return records.map((record) => ({
    pair,
    address: record.address,
    amount: bookedAmount(record),
    logIndex: record.logIndex,
  }));
}
