import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MovementDirection, StatementFormat, StatementSource } from '../domain/movement.js';

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
