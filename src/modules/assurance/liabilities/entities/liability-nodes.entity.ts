import { Column, Entity, PrimaryColumn } from 'typeorm';

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
