import { ETH_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { hashDigits } from '../../blockchain/domain/transaction-hash.js';
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

/** The amount of a record: the posted one if it is settled, zero if the posting of a settled record is missing. */
export function bookedAmount({ status, amount, posted }: BookRecord): Money {
  return status === 'settled' ? (posted ?? Money.ZERO) : amount;
}

type Key = string | null;
type Side = Pick<StatementLine, 'direction' | 'currency' | 'txHash' | 'network'>;

const keyOf = (...parts: readonly (string | null)[]): Key => (parts.includes(null) ? null : parts.join('\n'));
const transferKey = ({ direction, currency, txHash }: Side): Key =>
  keyOf(direction, currency, txHash && hashDigits(txHash));
const amountKey = (amount: Money, { currency }: Side): string => roundToLedger(amount, currency).toString();
const recordReferences = ({ id, reference }: BookRecord): string[] =>
  [id, ...(reference === null ? [] : [reference])].map((text) => text.toLowerCase());
const lineReference = ({ reference }: StatementLine): string => reference.toLowerCase();

/** Pairs lines and records with equal keys. */
interface Pass {
  readonly line: (line: StatementLine) => Key;
  readonly record: (record: BookRecord) => readonly Key[];
}

/** Same transaction hash: first by reference, then by network and amount, then by amount. */
const SAME_TRANSACTION: readonly Pass[] = [
  {
    line: (line) => keyOf(transferKey(line), lineReference(line)),
    record: (record) => recordReferences(record).map((name) => keyOf(transferKey(record), name)),
  },
  {
    line: (line) => keyOf(transferKey(line), line.network, amountKey(line.amount, line)),
    record: (record) => [keyOf(transferKey(record), record.network, amountKey(bookedAmount(record), record))],
  },
  {
    line: (line) => keyOf(transferKey(line), amountKey(line.amount, line)),
    record: (record) => [keyOf(transferKey(record), amountKey(bookedAmount(record), record))],
  },
];

/** Same reference; the hashes may differ. */
const SAME_REFERENCE: Pass = {
  line: (line) => keyOf(line.direction, line.currency, lineReference(line)),
  record: (record) => recordReferences(record).map((name) => keyOf(record.direction, record.currency, name)),
};

/** All lines in their order with the matching records, then each unmatched record as a pair without a line. */
export function pairMovements(lines: readonly StatementLine[], records: readonly BookRecord[]): Pair[] {
  const open: Unpaired = { lines: new Set(lines), records: new Set(records), paired: new Map() };
  for (const pass of SAME_TRANSACTION) applyPass(open, pass);
  pairBatchPayments(open);
  applyPass(open, SAME_REFERENCE);
  return [
    ...lines.map((line) => ({ line, records: open.paired.get(line) ?? [] })),
    ...[...open.records].map((record) => ({ line: null, records: [record] })),
  ];
}

interface Unpaired {
  readonly lines: Set<StatementLine>;
  readonly records: Set<BookRecord>;
  readonly paired: Map<StatementLine, readonly BookRecord[]>;
}

function pairLine(open: Unpaired, line: StatementLine, records: readonly BookRecord[]): void {
  open.paired.set(line, records);
  open.lines.delete(line);
  for (const record of records) open.records.delete(record);
}

function applyPass(open: Unpaired, pass: Pass): void {
  const byKey = new Map<string, BookRecord[]>();
  for (const record of open.records)
    for (const key of pass.record(record)) if (key !== null) listAt(byKey, key).push(record);
  for (const queue of byKey.values()) queue.reverse(); // so that pop() returns records in their order
  for (const line of open.lines) {
    const queue = byKey.get(pass.line(line) ?? '') ?? [];
    let record = queue.pop();
    while (record && !open.records.has(record)) record = queue.pop();
    if (record) pairLine(open, line, [record]);
  }
}

/**
 * One payment for several records: a line takes all remaining records of its transaction if it is their sum, or if it is
 * the transaction's last line; otherwise it takes one record.
 */
function pairBatchPayments(open: Unpaired): void {
  const [linesByKey, recordsByKey] = [groupByTransfer(open.lines), groupByTransfer(open.records)];
  for (const [key, lines] of linesByKey) {
    const remaining = recordsByKey.get(key) ?? [];
    let sum = Money.sum(remaining.map(bookedAmount));
    for (const [index, line] of lines.entries()) {
      const takesAll = index === lines.length - 1 || roundToLedger(line.amount, line.currency).equals(sum);
      const taken = takesAll ? remaining.splice(0) : remaining.splice(0, 1);
      if (taken.length === 0) break;
      sum = sum.minus(Money.sum(taken.map(bookedAmount)));
      pairLine(open, line, taken);
    }
  }
}

function groupByTransfer<One extends Side>(side: Iterable<One>): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of side) {
    const key = transferKey(one);
    if (key !== null) listAt(groups, key).push(one);
  }
  return groups;
}

function listAt<One>(map: Map<string, One[]>, key: string): One[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
