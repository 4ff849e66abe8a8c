import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('proof_tile')
export class ProofTile {
  @PrimaryColumn('smallint')
  level!: number;

  @PrimaryColumn('bigint')
  n!: string;

  /** Up to 256 concatenated hashes. */
  @Column('bytea')
  hashes!: Buffer;
}
