import { fail } from '../../../common/errors/domain-error.js';
import type { NewAlert } from '../../alerts/alerts.types.js';
import type { ChainCheck } from '../../blockchain/domain/chain-check.js';
import type { Withdrawal } from '../entities/withdrawal.entity.js';
import { WITHDRAWAL_STATES, type WithdrawalStatus, type WithdrawalVerb } from './withdrawal.state-machine.js';

/** True for a withdrawal that must not be paid any more: a failed, rejected or cancelled one. */
export function isUnpayable({ status }: Pick<Withdrawal, 'status'>): boolean {
  return status === 'failed' || status === 'rejected';
}

/**
 * The status that a verb leads to. A failed withdrawal may be completed until its release, if the chain shows the
 * payment (`requireShownOnChain`). Throws INVALID_STATE.
 */
export function statusAfter(withdrawal: Withdrawal, verb: WithdrawalVerb): WithdrawalStatus {
  if (verb !== 'complete' || withdrawal.status !== 'failed')
    return WITHDRAWAL_STATES.next(withdrawal.status, verb);
  requireUnreleased(withdrawal, verb);
  return 'completed';
}

export function requireUnreleased({ status, releasedAt }: Withdrawal, action: WithdrawalVerb): void {
  if (releasedAt === null) return;
  const message = 'The reserved amount of this withdrawal has already been released.';
  fail('INVALID_STATE', { status, action, allowedFrom: [] }, { message });
}

/** Throws INVALID_STATE for a failed withdrawal whose payment the chain does not show. */
export function requireShownOnChain(
  { status }: Pick<Withdrawal, 'status'>,
  chainCheck: ChainCheck | null | undefined,
): void {
  if (status !== 'failed' || chainCheck === 'matched') return;
  const message = 'This withdrawal has failed, and the chain does not show that this transaction paid it.';
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom('complete');
  fail('INVALID_STATE', { status, action: 'complete', allowedFrom }, { message });
}

/** Alert for a payment that the chain shows although the withdrawal has ended. */
export function latePaymentAlert(withdrawal: Withdrawal, txHash: string): NewAlert {
  const { id, userId, amount, currency, toAddress, status, releasedAt } = withdrawal;
  const isReturned = status === 'rejected' || releasedAt !== null;
  return {
    kind: 'withdrawal-paid-after-failure',
    subject: { type: 'withdrawal', id, userId, txHash },
    message:
      `A withdrawal of ${amount.toWire()} ${currency} ${endOf(withdrawal)}, and transaction ${txHash} pays its amount to ` +
      `${toAddress}${isReturned ? ', although the amount was given back to the user' : ''}.`,
    nextStep: isReturned
      ? 'Check who sent it. If custody did, the user has the amount twice: book it back by POST /api/admin/transactions.'
      : 'Check who sent it. If custody did, complete the withdrawal with this hash, and reject a pending reversal.',
  };
}

function endOf({ status, cancelledAt }: Withdrawal): string {
  if (status === 'failed') return 'has failed';
  return cancelledAt === null ? 'was rejected' : 'was cancelled by its user';
}
