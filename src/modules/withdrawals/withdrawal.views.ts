import { Choice, Instant, ListOf, MoneyText, Text, Uuid } from '../../http/openapi/fields.js';
import type { WithdrawalEntity } from './withdrawal.entity.js';
import { WITHDRAWAL_STATUSES } from './withdrawal.transitions.js';

// What users see of their withdrawals.

export class WithdrawalReceiptView {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
}

export function withdrawalReceiptView(row: WithdrawalEntity): WithdrawalReceiptView {
  return { id: row.id, status: row.status, amount: row.amount.toWire(), currency: row.currency };
}

export class WithdrawalView {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Instant()
  createdAt!: string;
  @Text({ description: 'empty until completed' })
  txHash!: string;
}

export function withdrawalView(row: WithdrawalEntity): WithdrawalView {
  return {
    id: row.id,
    status: row.status,
    amount: row.amount.toWire(),
    currency: row.currency,
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
  };
}

export class WithdrawalListView {
  @ListOf(() => WithdrawalView)
  requests!: WithdrawalView[];
}

export class WithdrawalDetailView {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Text({ description: 'empty until completed' })
  txHash!: string;
  @Text({ nullable: true, description: "an operator's reason for rejecting it" })
  rejectionReason!: string | null;
}

export function withdrawalDetailView(row: WithdrawalEntity): WithdrawalDetailView {
  return {
    id: row.id,
    status: row.status,
    amount: row.amount.toWire(),
    currency: row.currency,
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
    txHash: row.txHash ?? '',
    rejectionReason: row.status === 'rejected' ? row.note : null,
  };
}
