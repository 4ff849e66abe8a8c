import {
  EnumField,
  IntegerField,
  InstantField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { EVM_NETWORKS } from '../domain/destination.js';

export class AddressResponse {
  @UuidField() id!: string;
  @StringField({ example: 'My hardware wallet' }) label!: string;
  @StringField({ description: 'checksummed; as it was given if its checksum was wrong' }) address!: string;
  @EnumField(EVM_NETWORKS) network!: string;
  @InstantField({ description: 'withdrawals that need the address book may go to it from then on' })
  usableFrom!: string;
  @IntegerField({ description: 'completed withdrawals of the user to it' }) paidCount!: number;
  @InstantField() createdAt!: string;
}
