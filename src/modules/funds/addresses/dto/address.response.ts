import { Choice, Count, Instant, Text, Uuid } from '../../../../http/openapi/fields.js';
import { EVM_NETWORKS } from '../domain/destination.js';

export class AddressResponse {
  @Uuid() id!: string;
  @Text({ example: 'My hardware wallet' }) label!: string;
  @Text({ description: 'checksummed; as it was given if its checksum was wrong' }) address!: string;
  @Choice(EVM_NETWORKS) network!: string;
  @Instant({ description: 'withdrawals that need the address book may go to it from then on' })
  usableFrom!: string;
  @Count({ description: 'completed withdrawals of the user to it' }) paidCount!: number;
  @Instant() createdAt!: string;
}
