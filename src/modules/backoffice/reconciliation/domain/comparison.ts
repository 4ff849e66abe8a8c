import { Money } from '../../../../common/money.js';
import { StateMachine } from '../../../../common/state-machine.js';
import { hashDigits } from '../../../providers/chain/domain/transaction-hash.js';
import type {
  BookRecord,
  BookRecordType,
  MovementDirection,
  MovementStatus,
  StatementLine,
} from './movement.js';
import { bookedAmount, roundToLedger, type Pair } from './pairing.js';

// Compares the sides of a pair. In names, `there` is the provider's statement and `here` the platform's records.

export const OUTCOMES = ['matched', 'missing-here', 'missing-there', 'differing'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const DIFFERENCES = ['amount', 'status', 'txHash', 'network', 'ledger', 'chain'] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** The side whose amount the chain shows, or the reason why the chain shows none (`Evidence`). */
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

/** The amount that the chain shows for a pair, or the reason why it shows none. */
export type Evidence = Money | 'pending' | 'unreachable' | 'not-read';

/** The platform's side of a pair: one record, or several that one payment covers. */
export interface BookedSide {
  readonly type: BookRecordType;
  readonly ids: readonly string[];
  readonly txHash: string | null;
  readonly network: string | null;
  /** The sum of the records' booked amounts (`bookedAmount`). */
  readonly amount: Money;
  readonly status: MovementStatus;
  readonly at: Date;
}

export interface Comparison {
  readonly outcome: Outcome;
  readonly differs: readonly Difference[];
  readonly direction: MovementDirection;
  readonly currency: string;
  readonly there: StatementLine | null;
  readonly here: BookedSide | null;
  /** For a line without records: the number of an earlier line that it repeats. */
  readonly duplicateOf: number | null;
  /** `movedThere` − `movedHere`. */
  readonly difference: Money;
  /** The part of the line's amount, or of the records' amount without a line, below the decimals that the ledger credits. */
  readonly dust: Money;
  readonly chainVerdict: ChainVerdict | null;
  readonly chainAmount: Money | null;
  /** The amount of a settled line, in the decimals of the ledger; zero for other lines. */
  readonly movedThere: Money;
  /** The posted amounts of the settled records, in the decimals of the ledger. */
  readonly movedHere: Money;
}

/** Compares the sides of a pair with each other, and with the chain if there is `evidence`. `duplicateOf`: see `Comparison`. */
export function compare(pair: Pair, evidence?: Evidence, duplicateOf: number | null = null): Comparison {
  const { line, records } = pair;
  const { direction, currency } = (line ?? records[0]) as StatementLine | BookRecord;
  const here = bookedSide(pair);
  const movedThere = line?.status === 'settled' ? roundToLedger(line.amount, currency) : Money.ZERO;
  const settled = records.filter(({ status }) => status === 'settled');
  const movedHere = Money.sum(settled.map((record) => roundToLedger(bookedAmount(record), currency)));
  const chainAmount = evidence instanceof Money ? evidence : null;
  const chainVerdict =
    evidence instanceof Money ? verdictOf(evidence, movedThere, movedHere) : (evidence ?? null);
  const differs = line && here ? differencesOf(line, records, here, chainVerdict) : [];
  const outcome = outcomeOf(pair, differs);
  const fullAmount = line?.amount ?? here?.amount ?? Money.ZERO;
  return {
    outcome,
    differs,
    direction,
    currency,
    there: line,
    here,
    duplicateOf: outcome === 'missing-here' ? duplicateOf : null,
    difference: movedThere.minus(movedHere),
    dust: fullAmount.minus(roundToLedger(fullAmount, currency)),
    chainVerdict,
    chainAmount,
    movedThere,
    movedHere,
  };
}

/** Maps each line that repeats direction, reference, hash, currency and amount of an earlier line to that line's number. */
export function findDuplicates(lines: readonly StatementLine[]): Map<StatementLine, number> {
  const firstLineNumbers = new Map<string, number>();
  const duplicates = new Map<StatementLine, number>();
  for (const line of lines) {
    const { direction, reference, txHash, currency, amount } = line;
    const key = [direction, reference, txHash, currency, amount.toString()].join('\n');
    const earlier = firstLineNumbers.get(key);
    if (earlier === undefined) firstLineNumbers.set(key, line.line);
    else duplicates.set(line, earlier);
  }
  return duplicates;
}

function bookedSide({ line, records }: Pair): BookedSide | null {
  const [first] = records;
  if (!first) return null;
  // Of several records, one whose status differs from that of the line shows the difference.
  const recordOfOtherStatus = records.find(({ status }) => line !== null && status !== line.status);
  return {
    type: first.type,
    ids: records.map(({ id }) => id),
    txHash: first.txHash,
    network: first.network,
    amount: Money.sum(records.map(bookedAmount)),
    status: (recordOfOtherStatus ?? first).status,
    at: first.at,
  };
}

function outcomeOf({ line, records }: Pair, differs: readonly Difference[]): Outcome {
  if (!line) return 'missing-there';
  // A failed line moved no money, so no record is expected for it.
  if (records.length === 0) return line.status === 'failed' ? 'matched' : 'missing-here';
  return differs.length > 0 ? 'differing' : 'matched';
}

function differencesOf(
  line: StatementLine,
  records: readonly BookRecord[],
  here: BookedSide,
  chainVerdict: ChainVerdict | null,
): Difference[] {
  const { currency } = line;
  const booked = Money.sum(records.map((record) => roundToLedger(bookedAmount(record), currency)));
  const contradicts = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;
  const isDifferent: Record<Difference, boolean> = {
    amount: !roundToLedger(line.amount, currency).equals(booked),
    status: line.status !== here.status,
    txHash: contradicts(here.txHash && hashDigits(here.txHash), line.txHash && hashDigits(line.txHash)),
    network: contradicts(here.network, line.network),
    // The posting of a settled record is missing or has another amount than the record.
    ledger: records.some(({ status, amount, posted }) => status === 'settled' && !posted?.equals(amount)),
    // If the chain shows one of the sides, the sides differ and another field says so.
    chain: chainVerdict === 'neither',
  };
  return DIFFERENCES.filter((difference) => isDifferent[difference]);
}

function verdictOf(onChain: Money, there: Money, here: Money): ChainVerdict {
  const isThere = onChain.equals(there);
  const isHere = onChain.equals(here);
  if (isThere && isHere) return 'both';
  if (isThere) return 'there';
  return isHere ? 'here' : 'neither';
}

export const BREAK_STATUSES = ['open', 'assigned', 'proposed', 'resolved'] as const;
export type BreakStatus = (typeof BREAK_STATUSES)[number];

export const BREAK_VERBS = ['assign', 'propose', 'confirm', 'reopen'] as const;
export type BreakVerb = (typeof BREAK_VERBS)[number];

/** A break is assigned to an admin before a resolution is proposed, and another admin confirms the resolution. */
export const BREAK_STATES = new StateMachine<BreakStatus, BreakVerb>([
  { verb: 'assign', from: ['open', 'assigned'], to: 'assigned' },
  { verb: 'propose', from: ['assigned'], to: 'proposed' },
  { verb: 'confirm', from: ['proposed'], to: 'resolved' },
  { verb: 'reopen', from: ['assigned', 'proposed', 'resolved'], to: 'open' },
]);

/** A side was corrected (`here` the platform, `there` the provider), only the times differed, or the difference is accepted. */
export const RESOLUTIONS = ['corrected-here', 'corrected-there', 'timing', 'accepted'] as const;
