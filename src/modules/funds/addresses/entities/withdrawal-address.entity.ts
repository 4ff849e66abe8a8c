import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EvmNetwork } from '../domain/destination.js';

/** An entry of a user's address book. Times are domain time. */
@Entity('withdrawal_address')
export class WithdrawalAddress {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  label!: string;

  /** Checksummed; as the user gave it if its checksum was wrong. */
  @Column('text')
  address!: string;

  @Column('text')
  network!: EvmNetwork;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'usable_from' })
  usableFrom!: Date;

  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
