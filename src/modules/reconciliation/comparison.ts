import { Money } from '../../common/money.js';
import { hashDigits } from '../blockchain/domain/transaction-hash.js';
import type { Evidence } from './chain-evidence.js';
import type { OurRecord, RecordType } from './our-records.queries.js';
import { figureOf, floored, type Pair } from './pairing.js';
import type { Direction, Progress, StatementLine } from './statement-line.js';

// What follows from a pair: the outcome, both sides' figures and what the chain says of them. Pure.

export const OUTCOMES = ['matched', 'missing-here', 'missing-there', 'differing'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const DIFFERENCES = ['amount', 'status', 'txHash', 'network', 'ledger', 'chain'] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** Whose figure the chain shows, or why it says nothing. */
export const CHAIN_VERDICTS = [
  'both',
  'there',
  'here',
  'neither',
  'pending',
  'unreachable',
  'not-read',
] as const;
export type ChainVerdict = (typeof CHAIN_VERDICTS)[number];

/** Our side of a comparison: one record, or several that one payment stands for. */
export interface HereSide {
  readonly type: RecordType;
  readonly ids: readonly string[];
  readonly txHash: string | null;
  readonly network: string | null;
  readonly amount: Money;
  readonly status: Progress;
  readonly at: Date;
}

export interface Compared {
  readonly outcome: Outcome;
  readonly differs: readonly Difference[];
  readonly direction: Direction;
  readonly currency: string;
  readonly there: StatementLine | null;
  readonly here: HereSide | null;
  /** An earlier line that says the same, of a line that nothing here stands for. */
  readonly duplicateOf: number | null;
  /** Moved there less moved here. All of them add up to the difference of the sums. */
  readonly difference: Money;
  /** What lies below the digits that the ledger credits. */
  readonly dust: Money;
  readonly chainVerdict: ChainVerdict | null;
  readonly chainAmount: Money | null;
  readonly movedThere: Money;
  readonly movedHere: Money;
}

export function compare(pair: Pair, evidence?: Evidence, duplicateOf: number | null = null): Compared {
  const { line, records } = pair;
  const { direction, currency } = (line ?? records[0]) as StatementLine | OurRecord;
  const here = hereSide(pair);
  const movedThere = line?.status === 'settled' ? floored(line.amount, currency) : Money.ZERO;
  const settled = records.filter(({ status }) => status === 'settled');
  const movedHere = Money.sum(settled.map((record) => floored(figureOf(record), currency)));
  const chainAmount = evidence instanceof Money ? evidence : null;
  const chainVerdict = chainAmount
    ? verdictOf(chainAmount, movedThere, movedHere)
    : ((evidence ?? null) as Exclude<Evidence, Money> | null);
  const differs = line && here ? differencesOf(line, records, here, chainVerdict) : [];
  const outcome = outcomeOf(pair, differs);
  const whole = line?.amount ?? here?.amount ?? Money.ZERO;
  return {
    outcome,
    differs,
    direction,
    currency,
    there: line,
    here,
    duplicateOf: outcome === 'missing-here' ? duplicateOf : null,
    difference: movedThere.minus(movedHere),
    dust: whole.minus(floored(whole, currency)),
    chainVerdict,
    chainAmount,
    movedThere,
    movedHere,
  };
}

/** Of lines that say the same, those after the first, with the first's place. */
export function duplicatesAmong(lines: readonly StatementLine[]): Map<StatementLine, number> {
  const first = new Map<string, number>();
  const duplicates = new Map<StatementLine, number>();
  for (const line of lines) {
    const { direction, reference, txHash, currency, amount } = line;
    const key = [direction, reference, txHash, currency, amount.toString()].join('\n');
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, line.line);
    else duplicates.set(line, earlier);
  }
  return duplicates;
}

function hereSide({ line, records }: Pair): HereSide | null {
  const [first] = records;
  if (!first) return null;
  const odd = records.find(({ status }) => line !== null && status !== line.status);
  return {
    type: first.type,
    ids: records.map(({ id }) => id),
    txHash: first.txHash,
    network: first.network,
    amount: Money.sum(records.map(figureOf)),
    status: (odd ?? first).status,
    at: first.at,
  };
}

function outcomeOf({ line, records }: Pair, differs: readonly Difference[]): Outcome {
  if (!line) return 'missing-there';
  // what has failed there moved nothing, and here is nothing
  if (records.length === 0) return line.status === 'failed' ? 'matched' : 'missing-here';
  return differs.length > 0 ? 'differing' : 'matched';
}

function differencesOf(
  line: StatementLine,
  records: readonly OurRecord[],
  here: HereSide,
  verdict: ChainVerdict | null,
): Difference[] {
  const { currency } = line;
  const figures = Money.sum(records.map((record) => floored(figureOf(record), currency)));
  const contradicts = (ours: string | null, theirs: string | null) =>
    ours !== null && theirs !== null && ours !== theirs;
  const found: Record<Difference, boolean> = {
    amount: !floored(line.amount, currency).equals(figures),
    status: line.status !== here.status,
    txHash: contradicts(here.txHash && hashDigits(here.txHash), line.txHash && hashDigits(line.txHash)),
    network: contradicts(here.network, line.network),
    ledger: records.some(({ status, amount, posted }) => status === 'settled' && !posted?.equals(amount)),
    chain: verdict === 'neither',
  };
  return DIFFERENCES.filter((difference) => found[difference]);
}

function verdictOf(shown: Money, there: Money, here: Money): ChainVerdict {
  const [showsThere, showsHere] = [shown.equals(there), shown.equals(here)];
  if (showsThere && showsHere) return 'both';
  if (showsThere) return 'there';
  return showsHere ? 'here' : 'neither';
}
