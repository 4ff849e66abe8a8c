import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AddressCurrency, Network } from '../domain/networks.js';

@Entity('deposit_address')
export class DepositAddress {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  currency!: AddressCurrency;

  @Column('text')
  network!: Network;

  @Column('text')
  address!: string;

  @Column('text', { name: 'provider_address_id' })
  providerAddressId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
