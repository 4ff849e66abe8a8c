import type {
  WithdrawalDetailResponse,
  WithdrawalReceiptResponse,
  WithdrawalResponse,
} from './dto/withdrawal.response.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { NewWithdrawal } from './withdrawals.types.js';

export function toWithdrawalReceiptResponse(row: NewWithdrawal): WithdrawalReceiptResponse {
  return { id: row.id, status: row.status, amount: row.amount.toWire(), currency: row.currency };
}

export function toWithdrawalResponse(row: NewWithdrawal): WithdrawalResponse {
  return {
    ...toWithdrawalReceiptResponse(row),
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
    ...toCancellation(row),
  };
}

export function toWithdrawalDetailResponse(row: Withdrawal): WithdrawalDetailResponse {
  return {
    ...toWithdrawalResponse(row),
    completedAt: row.completedAt?.toISOString() ?? null,
    rejectionReason: row.status === 'rejected' ? row.note : null,
  };
}

/** Fields that tell a withdrawal cancelled by its user from one rejected by an operator; both are `rejected`. */
export function toCancellation({ cancelledAt }: { readonly cancelledAt: Date | null }) {
  return { cancelledByUser: cancelledAt !== null, cancelledAt: cancelledAt?.toISOString() ?? null };
}
