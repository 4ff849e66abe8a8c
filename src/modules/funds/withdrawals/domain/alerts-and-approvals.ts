import type { Money } from '../../../../common/money.js';
import type { NewAlert } from '../../../core/alerts/alerts.types.js';
import type { ChainCheckReason } from '../../../providers/chain/domain/chain-check.js';
import type { Withdrawal } from '../entities/withdrawal.entity.js';
import type { UnclaimedPayment } from '../withdrawals.types.js';
import { isFailedAndReserved } from './withdrawal.state-machine.js';

// Alerts about payments that the chain shows although they must not happen, or refutes although they are completed, and what
// approvals of changes show.

/** The kind of the alerts about late payments. */
export const LATE_PAYMENT = 'withdrawal-paid-after-failure';

/** The alert about a late payment, or about a second payment. */
export function latePaymentAlert(
  withdrawal: Withdrawal,
  txHash: string,
  {
    senders,
    isFromCustody,
    paid = withdrawal.amount,
  }: { readonly senders: readonly string[]; readonly isFromCustody: boolean; readonly paid?: Money },
): NewAlert {
  const { id, userId, amount, currency, toAddress, status, releasedAt } = withdrawal;
  const isWholeAmount = paid.equals(amount);
  const payment = isWholeAmount ? 'its amount' : `${paid.toWire()} ${currency}`;
  const isGivenBack = status === 'rejected' || releasedAt !== null;
  const contradiction = isGivenBack ? ', although the amount was given back to the user' : '';
  const aboutSender = isFromCustody
    ? 'CUSTODY_ADDRESSES names it.'
    : 'CUSTODY_ADDRESSES is not set, so the service does not know whether it is an address of custody.';
  const byHand = `by POST /api/admin/transactions with the type withdrawal and the withdrawalId ${id}`;
  const steps = isFailedAndReserved(withdrawal)
    ? 'complete the withdrawal with this hash, and reject a pending reversal. If the ' +
      `withdrawal was completed with another hash, take the amount from the user's balance ${byHand}.`
    : `the user has ${isWholeAmount ? 'the amount' : 'what was paid'} twice: take it from the balance ${byHand}.`;
  return {
    kind: LATE_PAYMENT,
    subject: { type: 'withdrawal', id, userId, txHash },
    message:
      `A withdrawal of ${amount.toWire()} ${currency} ${describeEnd(withdrawal)}, and transaction ${txHash} pays ${payment} to ` +
      `${toAddress}${contradiction}. ${describeSenders(senders)} ${aboutSender}`,
    nextStep: `${isFromCustody ? 'Since custody sent it, ' : 'Check who sent it. If custody did, '}${steps}`,
  };
}

function describeEnd({ status, cancelledAt, txHash }: Withdrawal): string {
  if (status === 'failed') return 'has failed';
  if (status === 'completed') return `was completed with transaction ${txHash}`;
  return cancelledAt === null ? 'was rejected' : 'was cancelled by its user';
}

/** A completed withdrawal, or a confirmed transaction by hand, whose transaction is not its payment. */
export interface RefutedPayment {
  readonly subject: {
    readonly type: 'withdrawal' | 'transaction';
    readonly id: string;
    readonly userId?: string;
  };
  /** What was paid, with amount, currency and address, as the subject of a sentence. */
  readonly description: string;
  readonly txHash: string;
  readonly reason: ChainCheckReason;
  readonly senders: readonly string[];
}

const CONTRADICTIONS: Record<ChainCheckReason, string> = {
  TRANSACTION_UNKNOWN: 'the chain does not know this transaction',
  TRANSACTION_REVERTED: 'the transaction was reverted',
  NO_SUCH_TRANSFER: 'the transaction has no transfer of this amount to the address',
  OLDER_THAN_REQUEST: 'its transfer is older than the request',
  SENDER_NOT_CUSTODY: 'its transfer was not sent from an address of custody',
  TRANSFER_USED_BEFORE: 'its transfer has already paid something else',
};

export function paymentMismatchAlert(payment: RefutedPayment): NewAlert {
  const { subject, description, txHash, reason, senders } = payment;
  return {
    kind: 'payment-mismatch',
    subject: { ...subject, txHash },
    message:
      `${description} was completed with transaction ${txHash}, but ${CONTRADICTIONS[reason]} (${reason}). ` +
      describeSenders(senders),
    nextStep:
      'Find the payment at the custody provider. If another transaction paid it, resolve this alert with that hash as the reason. ' +
      `If nothing paid it, ask who entered the hash (GET /api/admin/audit?subject=${subject.type}:${subject.id}), pay it, and ` +
      'stop further payments by POST /api/admin/integrity/pause if money is missing.',
  };
}

function describeSenders(senders: readonly string[]): string {
  if (senders.length === 0) return 'The chain shows no sender.';
  return senders.length === 1 ? `The sender is ${senders[0]}.` : `The senders are ${senders.join(', ')}.`;
}

/** A withdrawal as approvals name it. */
export function approvalSubjectOf({
  id,
  amount,
  currency,
  toAddress,
}: Pick<Withdrawal, 'id' | 'amount' | 'currency' | 'toAddress'>) {
  return { type: 'withdrawal', id, label: `${amount.toWire()} ${currency} to ${toAddress}` };
}

/** A found payment as approvals show it. */
export function paymentFieldsOf(payment: UnclaimedPayment | 'unreachable') {
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
