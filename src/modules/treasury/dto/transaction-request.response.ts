import { Choice, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { REQUEST_STATUSES, TRANSFER_PURPOSES } from '../domain/transaction-request.state-machine.js';
import type { TransactionRequestDetails } from '../transaction-requests.queries.js';
import { isIntoCustody } from '../treasury-plan.js';
import type { Providers } from '../treasury-providers.js';

export class TransactionRequestResponse {
  @Uuid()
  id!: string;
  @Choice(TRANSFER_PURPOSES, {
    description:
      'allocate: into custody, invested; deallocate: back from custody, paid back to users; sweep: into custody, ' +
      'what remains at the deposit provider',
  })
  type!: string;
  @Choice(REQUEST_STATUSES, { description: 'rejected: with its transaction' })
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Text({ example: 'ERC20' })
  network!: string;
  @Text({ example: 'crypto2b', description: 'the provider that the tokens leave' })
  from!: string;
  @Text({ example: 'custody', description: 'the provider that they go to' })
  to!: string;
  @Text({ nullable: true, description: 'where they have to arrive; null where no address is configured' })
  toAddress!: string | null;
  @Text({
    nullable: true,
    example: 'balanced-10',
    description: 'null of a sweep, and of what the deposit provider lacks',
  })
  strategyId!: string | null;
  @Uuid({ description: 'the transfer that is confirmed by completing this' })
  transactionId!: string;
  @Text({ example: 'admin@example.com', description: 'who handed it out' })
  requestedBy!: string;
  @Text({
    nullable: true,
    description:
      'who is to carry it out; null while it is nobody’s. Any admin with transactions:write may complete it',
  })
  assignedTo!: string | null;
  @Text({ nullable: true, description: 'the admin who entered the hash' })
  completedBy!: string | null;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, {
    nullable: true,
    description: 'whether the chain shows a successful USDC transfer of exactly the amount to toAddress',
  })
  chainCheck!: string | null;
  @Text({ nullable: true })
  note!: string | null;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true })
  completedAt!: string | null;
}

export function toTransactionRequestResponse(
  row: TransactionRequestDetails,
  providers: Providers,
): TransactionRequestResponse {
  const { depositProvider, custody } = providers;
  const [from, to] = isIntoCustody(row.type) ? [depositProvider, custody] : [custody, depositProvider];
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    amount: row.amount.toWire(),
    currency: row.currency,
    network: row.network,
    from: from.name,
    to: to.name,
    toAddress: to.address ?? null,
    strategyId: row.strategyId,
    transactionId: row.transactionId,
    requestedBy: row.requestedBy,
    assignedTo: row.assignedTo,
    completedBy: row.completedBy,
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    note: row.note,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

export class HandedOutResponse {
  @ListOf(() => TransactionRequestResponse, { description: 'what was handed out now, a hundred at most' })
  requests!: TransactionRequestResponse[];
}
