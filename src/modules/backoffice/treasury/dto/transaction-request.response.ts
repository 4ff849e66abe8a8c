import { Choice, Instant, ListOf, MoneyText, Text, Uuid } from '../../../../http/openapi/fields.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { TRANSACTION_REQUEST_STATUSES } from '../domain/transaction-request.state-machine.js';
import { TRANSFER_PURPOSES } from '../domain/transfer-plan.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

export class TransactionRequestResponse {
  @Uuid()
  id!: string;
  @Choice(TRANSFER_PURPOSES, {
    description:
      'allocate: invested money, into custody; deallocate: from custody to the deposit provider; sweep: surplus of the ' +
      'deposit provider, into custody',
  })
  type!: string;
  @Choice(TRANSACTION_REQUEST_STATUSES, { description: 'rejected together with its transaction' })
  status!: string;
  @MoneyText({ description: 'to transfer, in `currency`' })
  amount!: string;
  @Choice(DEPOSIT_CURRENCIES)
  currency!: string;
  @Choice(NETWORKS, { example: 'ERC20' })
  network!: string;
  @Text({ example: 'crypto2b', description: 'the provider that sends the tokens' })
  from!: string;
  @Text({ example: 'custody', description: 'the provider that receives them' })
  to!: string;
  @Text({
    nullable: true,
    description: 'ERC20 address of the receiver; null for other networks or if none is configured',
  })
  toAddress!: string | null;
  @Text({
    nullable: true,
    example: 'balanced-10',
    description: 'null for a sweep and for the shortage of the deposit provider',
  })
  strategyId!: string | null;
  @Uuid({ description: 'the transfer that completing this request confirms' })
  transactionId!: string;
  @Text({ example: 'admin@example.com', description: 'the admin who created the request' })
  requestedBy!: string;
  @Text({
    nullable: true,
    description:
      'the admin who is to carry it out; null while unassigned. Any admin with transactions:write may complete it',
  })
  assignedTo!: string | null;
  @Text({ nullable: true, description: 'the admin who entered the hash' })
  completedBy!: string | null;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, {
    nullable: true,
    description: 'matched if the chain shows a successful USDC transfer of exactly the amount to toAddress',
  })
  chainCheck!: string | null;
  @Text({ nullable: true })
  note!: string | null;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true })
  completedAt!: string | null;
}

export class CreatedRequestsResponse {
  @ListOf(() => TransactionRequestResponse, { description: 'requests created by this call, at most 100' })
  requests!: TransactionRequestResponse[];
}
