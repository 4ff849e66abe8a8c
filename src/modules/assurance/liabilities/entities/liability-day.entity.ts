import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { AssetLine, LiabilityAsset } from '../domain/asset-lines.js';

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

/** A chunk: up to 256 consecutive leaves of a sum tree. The first one has the index `number` × 256. */
@Entity('liability_chunk')
export class LiabilityChunk {
  @PrimaryColumn('uuid', { name: 'tree_id' })
  treeId!: string;

  @PrimaryColumn('integer')
  number!: number;

  /** SHA-256(shuffle_key || user id) of the first leaf. */
  @Column('bytea', { name: 'first_key' })
  firstKey!: Buffer;

  /** The user id and the nonce of each leaf, 16 bytes each. */
  @Column('bytea')
  identities!: Buffer;

  /** Available, reserved, invested and held of each leaf, in the smallest part of the asset, 16 bytes each. */
  @Column('bytea')
  amounts!: Buffer;
}

/** A group of nodes: up to 256 consecutive nodes of a sum tree that are 8 × `level` levels above the leaves. */
@Entity('liability_nodes')
export class LiabilityNodes {
  @PrimaryColumn('uuid', { name: 'tree_id' })
  treeId!: string;

  @PrimaryColumn('smallint')
  level!: number;

  /** From 0, within the level. */
  @PrimaryColumn('integer')
  number!: number;

  /** The sum (16 bytes) and the hash (32 bytes) of each node. */
  @Column('bytea')
  nodes!: Buffer;
}
