import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AssetLine } from '../liabilities.types.js';

/** A closed day. */
@Entity('liability_day')
export class LiabilityDay {
  @PrimaryColumn('date')
  day!: string;

  /** Domain time of the closing. */
  @Column('timestamptz', { name: 'closed_at' })
  closedAt!: Date;

  /** Where the assets are: balances on the chain are of the closing, those of the ledger of the end of the day. */
  @Column('jsonb')
  lines!: AssetLine[];
}
