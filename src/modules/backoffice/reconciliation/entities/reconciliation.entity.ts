import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { BreakStatus, ChainVerdict, Difference, Outcome } from '../domain/comparison.js';
import type {
  BookRecordType,
  MovementDirection,
  MovementStatus,
  StatementFormat,
  StatementSource,
} from '../domain/movement.js';

/** The sums of one currency and direction, as decimal strings. `there` is the statement, `here` the platform's records. */
interface StoredSum {
  readonly currency: string;
  readonly direction: MovementDirection;
  readonly there: string;
  readonly here: string;
}

/** A reconciliation: the comparison of a provider's statement with the ledger and the chain. */
@Entity('reconciliation')
export class Reconciliation {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  source!: StatementSource;

  @Column('text')
  format!: StatementFormat;

  @Column('date', { name: 'first_day' })
  firstDay!: string;

  @Column('date', { name: 'last_day' })
  lastDay!: string;

  /** A hash of source, days, all lines with results, `unreadable` and open alerts; unique, so that a repetition is refused. */
  @Column('text')
  fingerprint!: string;

  /** The e-mail address of an admin. */
  @Column('text', { name: 'made_by' })
  madeBy!: string;

  @Column('timestamptz', { name: 'made_at' })
  madeAt!: Date;

  /** Lines of the statement that were compared. */
  @Column('integer')
  lines!: number;

  /** Lines that contradict neither their records nor the chain. */
  @Column('integer')
  matched!: number;

  /** Lines of the statement without a record. */
  @Column('integer', { name: 'missing_here' })
  missingHere!: number;

  /** Records without a line in the statement. */
  @Column('integer', { name: 'missing_there' })
  missingThere!: number;

  /** Lines that contradict their records or the chain. */
  @Column('integer')
  differing!: number;

  /** Items of the provider's list that could not be parsed. */
  @Column('integer')
  unreadable!: number;

  /** Comparisons for which the chain shows no amount: it was not read or not reachable, or the transaction is pending. */
  @Column('integer', { name: 'chain_unread' })
  chainUnread!: number;

  @Column('jsonb')
  sums!: StoredSum[];
}

/**
 * A line of a reconciliation: a statement line (`there`) compared with the platform's records (`here`). The columns of a
 * missing side are null. A line that does not match is a break: `status` and the columns after it hold its resolution.
 */
@Entity('reconciliation_line')
export class ReconciliationLine {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'reconciliation_id' })
  reconciliationId!: string;

  /** From 1: lines of the compared days in the order of the statement, lines of adjacent days, then records without a line. */
  @Column('integer')
  position!: number;

  @Column('text')
  outcome!: Outcome;

  @Column('text', { array: true })
  differs!: Difference[];

  @Column('text')
  direction!: MovementDirection;

  @Column('text')
  currency!: string;

  /** Line number in a CSV text; otherwise the position in the statement. Null for a record without a line. */
  @Column('integer', { nullable: true })
  line!: number | null;

  /** For a line without records: `line` of an earlier line that it repeats. */
  @Column('integer', { name: 'duplicate_of', nullable: true })
  duplicateOf!: number | null;

  @Column('text', { name: 'there_reference', nullable: true })
  thereReference!: string | null;

  @Column('text', { name: 'there_tx_hash', nullable: true })
  thereTxHash!: string | null;

  @Column('text', { name: 'there_network', nullable: true })
  thereNetwork!: string | null;

  @MoneyColumn({ name: 'there_amount', nullable: true })
  thereAmount!: Money | null;

  @Column('text', { name: 'there_status', nullable: true })
  thereStatus!: MovementStatus | null;

  @Column('timestamptz', { name: 'there_at', nullable: true })
  thereAt!: Date | null;

  @Column('text', { name: 'here_type', nullable: true })
  hereType!: BookRecordType | null;

  @Column('text', { name: 'here_ids', array: true, nullable: true })
  hereIds!: string[] | null;

  @Column('text', { name: 'here_tx_hash', nullable: true })
  hereTxHash!: string | null;

  @Column('text', { name: 'here_network', nullable: true })
  hereNetwork!: string | null;

  @MoneyColumn({ name: 'here_amount', nullable: true })
  hereAmount!: Money | null;

  @Column('text', { name: 'here_status', nullable: true })
  hereStatus!: MovementStatus | null;

  @Column('timestamptz', { name: 'here_at', nullable: true })
  hereAt!: Date | null;

  /** Money moved there − money moved here; only settled movements have moved money. */
  @MoneyColumn({ name: 'difference' })
  difference!: Money;

  /** The part of the amount below the decimals that the ledger credits. */
  @MoneyColumn({ name: 'dust' })
  dust!: Money;

  /** Null unless a side is settled and the movement has the hash of a transaction of USDC on ERC20. */
  @Column('text', { name: 'chain_verdict', nullable: true })
  chainVerdict!: ChainVerdict | null;

  /** The amount that the transaction on chain pays for this line; null if `chainVerdict` is null or says why there is no amount. */
  @MoneyColumn({ name: 'chain_amount', nullable: true })
  chainAmount!: Money | null;

  @Column('text', { nullable: true })
  status!: BreakStatus | null;

  /** The e-mail address of the admin to whom the break is assigned; `proposedBy` and `resolvedBy` are e-mail addresses, too. */
  @Column('text', { nullable: true })
  owner!: string | null;

  @Column('text', { nullable: true })
  resolution!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('text', { name: 'proposed_by', nullable: true })
  proposedBy!: string | null;

  @Column('timestamptz', { name: 'proposed_at', nullable: true })
  proposedAt!: Date | null;

  @Column('text', { name: 'resolved_by', nullable: true })
  resolvedBy!: string | null;

  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt!: Date | null;
}
