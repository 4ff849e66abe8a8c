import { ETH_SCALE, MICRO_SCALE, Money } from '../../common/money.js';
import { hashDigits } from '../blockchain/domain/transaction-hash.js';
import type { OurRecord } from './our-records.queries.js';
import type { StatementLine } from './statement-line.js';

/** A line of the statement with what stands for it here; either side may be empty. Pure. */
export interface Pair {
  readonly line: StatementLine | null;
  readonly records: readonly OurRecord[];
}

/** What the ledger credits of an amount: stablecoins to the sixth decimal. */
export function floored(amount: Money, currency: string): Money {
  return amount.roundDown(currency === 'USDC' || currency === 'USDT' ? MICRO_SCALE : ETH_SCALE);
}

/** What a record says was moved: what is posted, once something has to be. */
export function figureOf({ status, amount, posted }: OurRecord): Money {
  return status === 'settled' ? (posted ?? Money.ZERO) : amount;
}

type Key = string | null;
type Side = Pick<StatementLine, 'direction' | 'currency' | 'txHash' | 'network'>;

const keyOf = (...parts: readonly (string | null)[]): Key => (parts.includes(null) ? null : parts.join('\n'));
const transfer = ({ direction, currency, txHash }: Side): Key =>
  keyOf(direction, currency, txHash && hashDigits(txHash));
const amountKey = (amount: Money, { currency }: Side): string => floored(amount, currency).toString();
const names = ({ id, reference }: OurRecord): string[] => [id, ...(reference === null ? [] : [reference])];
const named = ({ reference }: StatementLine): string => reference.toLowerCase();

interface Pass {
  readonly line: (line: StatementLine) => Key;
  readonly record: (record: OurRecord) => readonly Key[];
}

/** Of what shares a transaction: by name, else by amount, on the network that is named if there is one. */
const SAME_TRANSFER: readonly Pass[] = [
  {
    line: (line) => keyOf(transfer(line), named(line)),
    record: (record) => names(record).map((name) => keyOf(transfer(record), name.toLowerCase())),
  },
  {
    line: (line) => keyOf(transfer(line), line.network, amountKey(line.amount, line)),
    record: (record) => [keyOf(transfer(record), record.network, amountKey(figureOf(record), record))],
  },
  {
    line: (line) => keyOf(transfer(line), amountKey(line.amount, line)),
    record: (record) => [keyOf(transfer(record), amountKey(figureOf(record), record))],
  },
];

/** What the other side names as we do, whatever its transaction. */
const SAME_NAME: Pass = {
  line: (line) => keyOf(line.direction, line.currency, named(line)),
  record: (record) =>
    names(record).map((name) => keyOf(record.direction, record.currency, name.toLowerCase())),
};

/** Each line with what stands for it, in the statement's order; then what no line stands for, each on its own. */
export function pairUp(lines: readonly StatementLine[], records: readonly OurRecord[]): Pair[] {
  const open: Open = { lines: new Set(lines), records: new Set(records), found: new Map() };
  for (const pass of SAME_TRANSFER) match(open, pass);
  matchBatches(open);
  match(open, SAME_NAME);
  return [
    ...lines.map((line) => ({ line, records: open.found.get(line) ?? [] })),
    ...[...open.records].map((record) => ({ line: null, records: [record] })),
  ];
}

/** What is still to be paired, and what is. */
interface Open {
  readonly lines: Set<StatementLine>;
  readonly records: Set<OurRecord>;
  readonly found: Map<StatementLine, readonly OurRecord[]>;
}

function settle(open: Open, line: StatementLine, records: readonly OurRecord[]): void {
  open.found.set(line, records);
  open.lines.delete(line);
  for (const record of records) open.records.delete(record);
}

function match(open: Open, pass: Pass): void {
  const byKey = new Map<string, OurRecord[]>();
  for (const record of open.records)
    for (const key of pass.record(record)) if (key !== null) listAt(byKey, key).push(record);
  for (const queue of byKey.values()) queue.reverse(); // taken from the end
  for (const line of open.lines) {
    const queue = byKey.get(pass.line(line) ?? '') ?? [];
    let record = queue.pop();
    while (record && !open.records.has(record)) record = queue.pop();
    if (record) settle(open, line, [record]);
  }
}

/** One payment for several: a line takes all that is left of its transaction when that is its sum, or it is the last. */
function matchBatches(open: Open): void {
  const [lines, records] = [byTransfer(open.lines), byTransfer(open.records)];
  for (const [key, those] of lines) {
    const left = records.get(key) ?? [];
    let sum = Money.sum(left.map(figureOf));
    for (const [place, line] of those.entries()) {
      const takesAll = place === those.length - 1 || floored(line.amount, line.currency).equals(sum);
      const taken = takesAll ? left.splice(0) : left.splice(0, 1);
      if (taken.length === 0) break;
      sum = sum.minus(Money.sum(taken.map(figureOf)));
      settle(open, line, taken);
    }
  }
}

function byTransfer<One extends Side>(side: Iterable<One>): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of side) {
    const key = transfer(one);
    if (key !== null) listAt(groups, key).push(one);
  }
  return groups;
}

function listAt<One>(map: Map<string, One[]>, key: string): One[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
