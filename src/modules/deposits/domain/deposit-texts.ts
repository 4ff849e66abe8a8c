import type { Money } from '../../../common/money.js';
import type { NewAlert } from '../../alerts/alerts.types.js';
import type { Deposit, DepositFailure } from '../entities/deposit.entity.js';
import type { ProviderReport } from './provider-report.js';

// Texts about deposits: why a deposit is not credited yet, for its user, and the alerts for admins.

type Row = Pick<
  Deposit,
  'status' | 'holdReason' | 'confirmations' | 'requiredConfirmations' | 'reason' | 'onlyClaimed'
>;

export const FAILURE_REASONS: Record<DepositFailure, string> = {
  reverted: 'The transaction was reverted on chain.',
  refused: 'The deposit provider refused it.',
  vanished: 'The transaction has not been seen for 24 hours.',
  unproven: 'The transaction does not pay your deposit address.',
};

const BOOKED_BY_HAND =
  'Our team had booked this transaction for you by hand before it was reported to us, so it is not credited a second time.';

/** Why the deposit is not credited; null once it is. */
export function reasonOf(row: Row, minimum: Money): string | null {
  if (row.status === 'completed') return null;
  if (row.status === 'failed') return row.reason;
  if (row.holdReason === 'BOOKED_BY_HAND') return BOOKED_BY_HAND;
  if (row.holdReason) return `It is below the minimum deposit of ${minimum.toWire()}.`;
  if (row.status === 'confirming')
    return `The transaction has ${row.confirmations} of ${row.requiredConfirmations} confirmations.`;
  return row.onlyClaimed
    ? 'The chain does not show the transfer yet.'
    : 'The transaction waits for its first confirmation.';
}

/** The next step for the user; null once the deposit is credited. */
export function nextStepOf(row: Row, minimum: Money): string | null {
  if (row.status === 'completed') return null;
  if (row.status === 'failed') {
    return 'Nothing was credited. If money left your wallet, write to support with the transaction hash.';
  }
  if (row.holdReason === 'BOOKED_BY_HAND') {
    return 'Nothing to do: the booking is in your list of transactions. If its amount is wrong, write to support with the transaction hash.';
  }
  if (row.holdReason) {
    return `Send more to the same address: once ${minimum.toWire()} have arrived there together, all of it is credited.`;
  }
  if (row.onlyClaimed) {
    return `Nothing to do: once the chain shows the transfer, it is credited after ${row.requiredConfirmations} confirmations. Without it the claim fails after 24 hours.`;
  }
  return `Nothing to do: it is credited after ${row.requiredConfirmations} confirmations.`;
}

type BookedDeposit = Pick<
  Deposit,
  'id' | 'userId' | 'txHash' | 'network' | 'currency' | 'amount' | 'credited'
>;

/** Alert for a booked deposit that the chain no longer shows, or that the provider reports as failed. */
export function reorganisedAlert(row: BookedDeposit, finding: string): NewAlert {
  const { id, userId, txHash, network, currency } = row;
  return {
    kind: 'deposit-reorganised',
    subject: { type: 'deposit', id, userId, txHash },
    message: `A deposit of ${row.amount.toWire()} ${currency} over ${network} is ${row.credited ? 'credited' : 'booked'}, and ${finding}.`,
    nextStep:
      "Reject or hold the user's withdrawals, and look the transaction up on chain and at the deposit provider. If it " +
      'does not come back, book the amount back by POST /api/admin/transactions.',
  };
}

/** Without a log index, a second transfer of one transaction looks the same as a repeated report of the first. */
export function secondTransferAlert(first: Pick<Deposit, 'id' | 'userId'>, second: ProviderReport): NewAlert {
  const { id, hash, network, currency, amount } = second;
  return {
    kind: 'second-transfer',
    subject: { type: 'provider-deposit', id, userId: first.userId, txHash: hash },
    message:
      `The deposit provider reports ${amount.toWire()} ${currency} over ${network} as its deposit ${id}, in a ` +
      `transaction that is recorded as deposit ${first.id}. It is not credited.`,
    nextStep:
      'Look the transaction up on chain. If it pays the address twice, book the second transfer by ' +
      'POST /api/admin/transactions with the type deposit; if it pays once, resolve this alert.',
  };
}
