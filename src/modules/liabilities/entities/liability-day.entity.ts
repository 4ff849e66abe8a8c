import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AssetLine } from '../liabilities.types.js';

/** A closed day. */
@Entity('liability_day')
export class LiabilityDay {
  @PrimaryColumn('date')
  day!: string;

  /** Domain time. */
  @Column('timestamptz', { name: 'closed_at' })
  closedAt!: Date;

  /** Where the assets are. */
  @Column('jsonb')
  lines!: AssetLine[];
}
