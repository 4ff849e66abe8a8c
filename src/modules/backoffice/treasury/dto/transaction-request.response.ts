import {
  EnumField,
  InstantField,
  ListField,
  MoneyField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { TRANSACTION_REQUEST_STATUSES } from '../domain/transaction-request.state-machine.js';
import { TRANSFER_PURPOSES } from '../domain/transfer-plan.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

export class TransactionRequestResponse {
  @UuidField()
  id!: string;
  @EnumField(TRANSFER_PURPOSES, {
    description:
      'allocate: invested money, into custody; deallocate: from custody to the deposit provider; sweep: surplus of the ' +
      'deposit provider, into custody',
  })
  type!: string;
  @EnumField(TRANSACTION_REQUEST_STATUSES, { description: 'rejected together with its transaction' })
  status!: string;
  @MoneyField({ description: 'to transfer, in `currency`' })
  amount!: string;
  @EnumField(DEPOSIT_CURRENCIES)
  currency!: string;
  @EnumField(NETWORKS, { example: 'ERC20' })
  network!: string;
  @StringField({ example: 'crypto2b', description: 'the provider that sends the tokens' })
  from!: string;
  @StringField({ example: 'custody', description: 'the provider that receives them' })
  to!: string;
  @StringField({
    nullable: true,
    description: 'ERC20 address of the receiver; null for other networks or if none is configured',
  })
  toAddress!: string | null;
  @StringField({
    nullable: true,
    example: 'balanced-10',
    description: 'null for a sweep and for the shortage of the deposit provider',
  })
  strategyId!: string | null;
  @UuidField({ description: 'the transfer that completing this request confirms' })
  transactionId!: string;
  @StringField({ example: 'admin@example.com', description: 'the admin who created the request' })
  requestedBy!: string;
  @StringField({
    nullable: true,
    description:
      'the admin who is to carry it out; null while unassigned. Any admin with transactions:write may complete it',
  })
  assignedTo!: string | null;
  @StringField({ nullable: true, description: 'the admin who entered the hash' })
  completedBy!: string | null;
  @StringField({ nullable: true })
  txHash!: string | null;
  @EnumField(CHAIN_CHECKS, {
    nullable: true,
    description: 'matched if the chain shows a successful USDC transfer of exactly the amount to toAddress',
  })
  chainCheck!: string | null;
  @StringField({ nullable: true })
  note!: string | null;
  @InstantField()
  createdAt!: string;
  @InstantField({ nullable: true })
  completedAt!: string | null;
}

export class CreatedRequestsResponse {
  @ListField(() => TransactionRequestResponse, { description: 'requests created by this call, at most 100' })
  requests!: TransactionRequestResponse[];
}
