import type { Money } from '../../common/money.js';
import type { Deposit, Failure } from './entities/deposit.entity.js';

// Every deposit says in a sentence why it is not credited yet, and what comes next.

type Row = Pick<
  Deposit,
  'status' | 'holdReason' | 'confirmations' | 'requiredConfirmations' | 'reason' | 'onlyClaimed'
>;

export const FAILURE_REASONS: Record<Failure, string> = {
  reverted: 'The transaction was reverted on chain.',
  refused: 'The deposit provider refused it.',
  vanished: 'The transaction has not been seen for 24 hours.',
  unproven: 'The transaction does not pay your deposit address.',
};

const COVERED =
  'Our team had booked this transaction for you by hand before it was reported to us, so it is not credited a second time.';

/** Why it is not credited; null once it is. */
export function reasonOf(row: Row, minimum: Money): string | null {
  if (row.status === 'completed') return null;
  if (row.status === 'failed') return row.reason;
  if (row.holdReason === 'BOOKED_BY_HAND') return COVERED;
  if (row.holdReason) return `It is below the minimum deposit of ${minimum.toWire()}.`;
  if (row.status === 'confirming')
    return `${row.confirmations} of ${row.requiredConfirmations} confirmations have come.`;
  return row.onlyClaimed
    ? 'The chain does not show the transfer yet.'
    : 'The transaction waits for its first confirmation.';
}

/** What is to be done; null once it is credited. */
export function nextStepOf(row: Row, minimum: Money): string | null {
  if (row.status === 'completed') return null;
  if (row.status === 'failed') {
    return 'Nothing was credited. If money left your wallet, write to support with the transaction hash.';
  }
  if (row.holdReason === 'BOOKED_BY_HAND') {
    return 'Nothing to do: it stands in your transactions as a deposit of its own. If the amount there is another, write to support with the transaction hash.';
  }
  if (row.holdReason) {
    return `Send more to the same address: once ${minimum.toWire()} have arrived there together, all of it is credited.`;
  }
  if (row.onlyClaimed) {
    return `Nothing to do: once the chain shows the transfer, it is credited after ${row.requiredConfirmations} confirmations. Without it the claim fails after 24 hours.`;
  }
  return `Nothing to do: it is credited after ${row.requiredConfirmations} confirmations.`;
}
