import { Column, Entity, PrimaryColumn } from 'typeorm';

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
