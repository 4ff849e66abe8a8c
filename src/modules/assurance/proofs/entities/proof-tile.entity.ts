import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PrimaryBigintColumn } from '../../../../database/columns/bigint.column.js';

/** A tile of the transparency log, as `domain/tiles.ts` describes it. */
@Entity('proof_tile')
export class ProofTile {
  /** 0 for hashes of leaves, otherwise for hashes of full tiles of the level below. */
  @PrimaryColumn('smallint')
  level!: number;

  /** The number of the tile within its level, from 0. */
  @PrimaryBigintColumn()
  n!: number;

  /** Up to 256 concatenated hashes. */
  @Column('bytea')
  hashes!: Buffer;
}
