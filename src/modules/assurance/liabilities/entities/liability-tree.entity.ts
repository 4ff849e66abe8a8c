import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sum tree of a closed day and an asset. */
@Entity('liability_tree')
export class LiabilityTree {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('date')
  day!: string;

  @Column('text')
  asset!: string;

  /** The hash of the root; `total` is its sum. */
  @Column('bytea')
  root!: Buffer;

  /** The sum of all users' amounts in the asset, not in its smallest part. */
  @Column('numeric')
  total!: string;

  /** The number of users; padding is not counted. */
  @Column('integer')
  leaves!: number;

  /** Random; leaves are in the order of SHA-256(shuffle_key || user id). */
  @Column('bytea', { name: 'shuffle_key' })
  shuffleKey!: Buffer;

  /** The index of the leaf of the log that contains the tree's root. */
  @Column('bigint', { name: 'leaf_index' })
  leafIndex!: string;
}
