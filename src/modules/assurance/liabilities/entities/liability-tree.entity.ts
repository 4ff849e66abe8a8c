import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { LiabilityAsset } from '../liabilities.types.js';

/** The sum tree of a closed day and an asset. */
@Entity('liability_tree')
export class LiabilityTree {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('date')
  day!: string;

  @Column('text')
  asset!: LiabilityAsset;

  /** The hash of the root; `total` is its sum. */
  @Column('bytea')
  root!: Buffer;

  /** The sum of all users' amounts in the asset, not in its smallest part. */
  @MoneyColumn({ name: 'total' })
  total!: Money;

  /** The number of users; padding is not counted. */
  @Column('integer')
  leaves!: number;

  /** Random; leaves are in the order of SHA-256(shuffle_key || user id). */
  @Column('bytea', { name: 'shuffle_key' })
  shuffleKey!: Buffer;

  /** The index of the leaf of the log that contains the tree's root. */
  @BigintColumn({ name: 'leaf_index' })
  leafIndex!: number;
}
