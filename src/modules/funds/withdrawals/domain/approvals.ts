import type { ChainCheckReason } from '../../../providers/chain/domain/chain-check.js';
import type { Withdrawal } from '../entities/withdrawal.entity.js';
import type { UnclaimedPayment } from '../withdrawals.types.js';

/** A withdrawal as approvals name it. */
export function subjectOf({
  id,
  amount,
  currency,
  toAddress,
}: Pick<Withdrawal, 'id' | 'amount' | 'currency' | 'toAddress'>) {
  return { type: 'withdrawal', id, label: `${amount.toWire()} ${currency} to ${toAddress}` };
}

/** A found payment as approvals show it. */
export function fieldsOf(payment: UnclaimedPayment | 'unreachable') {
  return payment === 'unreachable' ? payment : { ...payment, amount: payment.amount.toWire() };
}

/** Thrown in the transaction of a completion that the chain contradicts, so that nothing is changed before the approval. */
export class ContradictedCompletion extends Error {
  constructor(
    readonly withdrawal: Withdrawal,
    readonly reason: ChainCheckReason | null,
  ) {
    super('the chain contradicts the payment');
  }
}
