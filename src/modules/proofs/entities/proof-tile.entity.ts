import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tile of the tree, as `domain/tiles.ts` describes it. */
@Entity('proof_tile')
export class ProofTile {
  @PrimaryColumn('smallint')
  level!: number;

  /** The number of the tile within its level, from 0. */
  @PrimaryColumn('bigint')
  n!: string;

  /** Up to 256 concatenated hashes. */
  @Column('bytea')
  hashes!: Buffer;
}
