import { Choice, Flag, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import type { Withdrawal } from '../entities/withdrawal.entity.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';

// What users see of their withdrawals: on asking, in the list, and of one. Each shows what the one before shows.

export const CANCELLED_BY_USER = 'it is rejected because its user took it back';
export const CANCELLED_AT = 'when its user took it back; null otherwise';

/** What tells a withdrawal that its user took back from one that an operator rejected. */
export function toCancellationResponse({ cancelledAt }: { readonly cancelledAt: Date | null }) {
  return { cancelledByUser: cancelledAt !== null, cancelledAt: cancelledAt?.toISOString() ?? null };
}

export class WithdrawalReceiptResponse {
  @Uuid()
  id!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
}

export function toWithdrawalReceiptResponse(row: Withdrawal): WithdrawalReceiptResponse {
  return { id: row.id, status: row.status, amount: row.amount.toWire(), currency: row.currency };
}

export class WithdrawalResponse extends WithdrawalReceiptResponse {
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

export function toWithdrawalResponse(row: Withdrawal): WithdrawalResponse {
  return {
    ...toWithdrawalReceiptResponse(row),
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
    ...toCancellationResponse(row),
  };
}

export class WithdrawalListResponse {
  @ListOf(() => WithdrawalResponse)
  requests!: WithdrawalResponse[];
}

export class WithdrawalDetailResponse extends WithdrawalResponse {
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Text({ nullable: true, description: "an operator's reason for rejecting it" })
  rejectionReason!: string | null;
}

export function toWithdrawalDetailResponse(row: Withdrawal): WithdrawalDetailResponse {
  return {
    ...toWithdrawalResponse(row),
    completedAt: row.completedAt?.toISOString() ?? null,
    rejectionReason: row.status === 'rejected' ? row.note : null,
  };
}
