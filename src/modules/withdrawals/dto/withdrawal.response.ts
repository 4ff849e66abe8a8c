import { Choice, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import type { WithdrawalEntity } from '../entities/withdrawal.entity.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

// What users see of their withdrawals: on asking, in the list, and of one. Each shows what the one before shows.

export const CANCELLED_BY_USER = 'it is rejected because its user took it back';
export const CANCELLED_AT = 'when its user took it back; null otherwise';

/** What tells a withdrawal that its user took back from one that an operator rejected. */
export function cancellationView({ cancelledAt }: { readonly cancelledAt: Date | null }) {
  return { cancelledByUser: cancelledAt !== null, cancelledAt: cancelledAt?.toISOString() ?? null };
}

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

export class WithdrawalView extends WithdrawalReceiptView {
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  toAddress!: string;
  @Instant()
  createdAt!: string;
  @Text({ description: 'empty until completed' })
  txHash!: string;
  @Flag({ description: CANCELLED_BY_USER })
  cancelledByUser!: boolean;
  @Instant({ nullable: true, description: CANCELLED_AT })
  cancelledAt!: string | null;
}

export function withdrawalView(row: WithdrawalEntity): WithdrawalView {
  return {
    ...withdrawalReceiptView(row),
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
    ...cancellationView(row),
  };
}

export class WithdrawalListView {
  @ListOf(() => WithdrawalView)
  requests!: WithdrawalView[];
}

export class WithdrawalDetailView extends WithdrawalView {
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Text({ nullable: true, description: "an operator's reason for rejecting it" })
  rejectionReason!: string | null;
}

export function withdrawalDetailView(row: WithdrawalEntity): WithdrawalDetailView {
  return {
    ...withdrawalView(row),
    completedAt: row.completedAt?.toISOString() ?? null,
    rejectionReason: row.status === 'rejected' ? row.note : null,
  };
}
