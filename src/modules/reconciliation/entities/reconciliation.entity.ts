import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Direction, Format, Source } from '../domain/movement.js';

/** A sum of `reconciliation.sums`; amounts are decimal strings. */
interface StoredSum {
  readonly currency: string;
  readonly direction: Direction;
  readonly there: string;
  readonly here: string;
}

/** A comparison of a provider's statement with the ledger and the chain. */
@Entity('reconciliation')
export class Reconciliation {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  source!: Source;

  @Column('text')
  format!: Format;

  @Column('date', { name: 'first_day' })
  firstDay!: string;

  @Column('date', { name: 'last_day' })
  lastDay!: string;

  @Column('text')
  fingerprint!: string;

  @Column('text', { name: 'made_by' })
  madeBy!: string;

  @Column('timestamptz', { name: 'made_at' })
  madeAt!: Date;

  @Column('integer')
  lines!: number;

  @Column('integer')
  matched!: number;

  @Column('integer', { name: 'missing_here' })
  missingHere!: number;

  @Column('integer', { name: 'missing_there' })
  missingThere!: number;

  @Column('integer')
  differing!: number;

  @Column('integer')
  unreadable!: number;

  @Column('integer', { name: 'chain_unread' })
  chainUnread!: number;

  @Column('jsonb')
  sums!: StoredSum[];
}
