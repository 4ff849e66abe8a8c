import { MICRO_SCALE, type Money } from '../../../common/money.js';
import type { NewAlert } from '../../alerts/alerts.types.js';
import type { Deposit, DepositFailure } from '../entities/deposit.entity.js';
import { VANISHED_AFTER_HOURS } from './deposit.state-machine.js';
import type { ProviderReport } from './provider-report.js';

// Texts about deposits: for users, why a deposit is not credited and what to do; for admins, alerts.

export const FAILURE_REASONS: Record<DepositFailure, string> = {
  reverted: 'The transaction was reverted on chain.',
  refused: 'The deposit provider refused the deposit.',
  vanished: `The transaction has not been seen for ${VANISHED_AFTER_HOURS} hours.`,
  unproven: 'The transaction contains no transfer to your deposit address.',
};

type ExplainedDeposit = Pick<
  Deposit,
  'status' | 'currency' | 'holdReason' | 'confirmations' | 'requiredConfirmations' | 'reason' | 'onlyClaimed'
>;

export interface DepositExplanation {
  /** Why the deposit is not credited. */
  readonly reason: string | null;
  readonly nextStep: string | null;
}

/** Both texts are null for a credited deposit. */
export function explainDeposit(deposit: ExplainedDeposit, minimum: Money): DepositExplanation {
  if (deposit.status === 'completed') return { reason: null, nextStep: null };
  if (deposit.status === 'failed') {
    return {
      reason: deposit.reason,
      nextStep:
        'Nothing was credited. If money left your wallet, write to support with the transaction hash.',
    };
  }
  const minimumText = `${minimum.toWire()} ${deposit.currency}`;
  switch (deposit.holdReason) {
    case 'BOOKED_BY_HAND':
      return {
        reason:
          'Our team credited this transaction to you manually before it was reported to us, so it is not credited a second time.',
        nextStep:
          'Nothing to do: the credit is in your list of transactions. If its amount is wrong, write to support with the transaction hash.',
      };
    case 'BELOW_MINIMUM':
      return {
        reason: `The deposit is below the minimum of ${minimumText}.`,
        nextStep: `Send more to the same deposit address: when the deposits to it reach ${minimumText} in total, all of them are credited.`,
      };
    case null:
      return explainUnconfirmed(deposit);
  }
}

function explainUnconfirmed({
  status,
  confirmations,
  requiredConfirmations,
  onlyClaimed,
}: ExplainedDeposit): DepositExplanation {
  if (onlyClaimed) {
    return {
      reason: 'The chain does not show the transfer yet.',
      nextStep: `Nothing to do: the deposit is credited when the transfer has ${requiredConfirmations} confirmations. If the chain does not show the transfer within ${VANISHED_AFTER_HOURS} hours, the claim fails.`,
    };
  }
  return {
    reason:
      status === 'confirming'
        ? `The transaction has ${confirmations} of ${requiredConfirmations} confirmations.`
        : 'The transaction waits for its first confirmation.',
    nextStep: `Nothing to do: the deposit is credited after ${requiredConfirmations} confirmations.`,
  };
}

type PostedDeposit = Pick<
  Deposit,
  'id' | 'userId' | 'txHash' | 'network' | 'currency' | 'amount' | 'credited'
>;

/**
 * Alert for a credited deposit that the chain no longer shows, or one that was credited automatically or by hand
 * (BOOKED_BY_HAND) and that the provider now reports as failed. The message ends with the clause `contradiction`.
 */
export function reorganisedAlert(deposit: PostedDeposit, contradiction: string): NewAlert {
  const { id, userId, txHash, network, currency, amount, credited } = deposit;
  return {
    kind: 'deposit-reorganised',
    subject: { type: 'deposit', id, userId, txHash },
    message: `A deposit of ${amount.roundDown(MICRO_SCALE).toWire()} ${currency} over ${network} is credited${credited ? '' : ' by hand'}, and ${contradiction}.`,
    nextStep:
      "Do not pay the user's withdrawals: reject them or leave them pending. Look the transaction up on chain and at the " +
      `deposit provider. If the transfer has not happened, ${
        credited && currency !== 'ETH'
          ? `take the credited amount back by POST /api/admin/transactions with the type reversal and the depositId ${id}.`
          : 'no transaction takes this credit back exactly; a withdrawal by hand takes USDC from the balances of the user and of custody.'
      }`,
  };
}

/** Alert for a failed deposit of which `source` now shows success. */
export function paidAfterFailureAlert(
  deposit: PostedDeposit,
  source: 'chain' | 'deposit provider',
): NewAlert {
  const { id, userId, txHash, network, currency, amount } = deposit;
  return {
    kind: 'deposit-reorganised',
    subject: { type: 'deposit', id, userId, txHash },
    message:
      `A deposit of ${amount.roundDown(MICRO_SCALE).toWire()} ${currency} over ${network} has failed, and the ${source} now reports ` +
      'that it succeeded. It is not credited.',
    nextStep:
      'Look the transaction up on chain and at the deposit provider. If the transfer has happened, book it by ' +
      'POST /api/admin/transactions with the type deposit, which is in USDC over ERC20.',
  };
}

/** Alert for a large credit about which the deposit provider alone decides, because the service does not read the chain. */
export function largeDepositAlert(deposit: PostedDeposit, credited: Money): NewAlert {
  const { id, userId, txHash, network, currency, amount } = deposit;
  return {
    kind: 'large-deposit',
    subject: { type: 'deposit', id, userId, txHash },
    message:
      `A deposit of ${amount.roundDown(MICRO_SCALE).toWire()} ${currency} over ${network} is credited with ${credited.toWire()} USDC on ` +
      `the word of the deposit provider alone, with transaction ${txHash}. The service does not read this chain.`,
    nextStep:
      "Compare amount, address and transaction with the deposit provider's console and an explorer of the chain before the money " +
      `leaves: do not approve or pay withdrawals of this user until then. If the transfer has not happened, take the credit back by ` +
      `POST /api/admin/transactions with the type reversal and the depositId ${id}; if it has, resolve this alert.`,
  };
}

/**
 * Alert for a report whose transaction has a deposit with another id of the provider. Without a log index, a second transfer
 * in the transaction looks the same as a repeated report of the first.
 */
export function secondTransferAlert(first: Pick<Deposit, 'id' | 'userId'>, second: ProviderReport): NewAlert {
  const { id, hash, network, currency, amount } = second;
  return {
    kind: 'second-transfer',
    subject: { type: 'provider-deposit', id, userId: first.userId, txHash: hash },
    message:
      `The deposit provider reports ${amount.roundDown(MICRO_SCALE).toWire()} ${currency} over ${network} under the id ${id}, in a transaction ` +
      `that already has the deposit ${first.id}. The amount under the id ${id} is not credited.`,
    nextStep:
      'Look the transaction up on chain. If it contains two transfers to the deposit address, book the second one by ' +
      'POST /api/admin/transactions with the type deposit, which is in USDC over ERC20; if it contains one, resolve this alert.',
  };
}
