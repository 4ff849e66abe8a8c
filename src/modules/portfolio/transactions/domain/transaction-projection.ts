import { ETH_SCALE, MICRO_SCALE, Money } from '../../../../common/money.js';
import { minedOf, NOT_MINED, type Mined } from '../../../providers/chain/chain.client.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import { investmentReference } from '../../../core/ledger/domain/postings.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import {
  type TransactionType,
  type TransactionVerb,
  descriptionText,
  stepText,
  type DescriptionKind,
  type StepKind,
} from './transaction-kinds.js';
// Decides which transaction records follow from a domain event.

interface OnChain extends Mined {
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  readonly txHash: string | null;
  /** True if the transfer was reported or an operator has taken the withdrawal; the first such step sets `submittedAt`. */
  readonly submitted: boolean;
}

/** One step of a transaction record, with the values of the record after it. */
export interface TransactionUpdate {
  readonly userId: string;
  readonly type: TransactionType;
  /** The deposit, withdrawal, investment, partial closing or admin transaction; it has at most one record of each type. */
  readonly reference: { readonly type: string; readonly id: string };
  readonly verb: TransactionVerb;
  /** Domain time. */
  readonly at: Date;
  /** In `currency`; a loss is negative. */
  readonly amount: Money;
  readonly currency: string;
  /** Effect of the record on the available USDC balance, this step included. */
  readonly balanceChange: Money;
  readonly description: string;
  /** Description of this step in the timeline. */
  readonly stepDescription: string;
  readonly strategy?: { readonly id: string; readonly name: string };
  readonly chain?: OnChain;
}

/** What an event does to its record: the verb, and the text of the step, unless the event has one. */
interface Step {
  readonly verb: TransactionVerb;
  readonly step: StepKind;
}

const DEPOSIT: Record<DepositEvent['name'], Step> = {
  'deposit.claimed': { verb: 'open', step: 'claimed' },
  'deposit.seen': { verb: 'open', step: 'seen' },
  'deposit.confirming': { verb: 'open', step: 'confirming' },
  'deposit.held': { verb: 'open', step: 'held' },
  // The deposit was booked by hand; the record of that booking shows the money.
  'deposit.covered': { verb: 'cancel', step: 'covered' },
  'deposit.completed': { verb: 'complete', step: 'credited' },
  'deposit.failed': { verb: 'fail', step: 'failed' },
};

/** The record's amount is the amount received until the deposit is credited, and then the amount credited. */
export function toDepositTransaction(event: DepositEvent): TransactionUpdate {
  const { verb, step } = DEPOSIT[event.name];
  const isEther = event.currency === 'ETH';
  const received = event.amount.roundDown(isEther ? ETH_SCALE : MICRO_SCALE); // dust is posted to the account `rounding`
  const credited = verb === 'complete' ? event.credited : null;
  return {
    userId: event.userId,
    type: 'deposit',
    reference: { type: 'deposit', id: event.depositId },
    verb,
    at: event.at,
    amount: credited ?? received,
    currency: credited && !isEther ? 'USDC' : event.currency,
    balanceChange: credited && !isEther ? credited : Money.ZERO, // ether is not part of the balance
    description: descriptionText('deposit', {
      amount: `${received.roundHalfEven(MICRO_SCALE).toWire()} ${event.currency}`,
      network: event.network,
    }),
    stepDescription: event.reason ?? stepText(step),
    chain: {
      fromAddress: event.fromAddress,
      toAddress: event.toAddress,
      txHash: event.txHash,
      ...minedOf(event),
      submitted: !event.onlyClaimed,
    },
  };
}

const WITHDRAWAL: Record<
  Exclude<WithdrawalEvent['name'], 'withdrawal.released'>,
  Step & { readonly releasesAmount?: true }
> = {
  'withdrawal.requested': { verb: 'open', step: 'requested' },
  'withdrawal.approved': { verb: 'open', step: 'approved' },
  'withdrawal.taken': { verb: 'take', step: 'taken' },
  'withdrawal.returned': { verb: 'return', step: 'returned' },
  'withdrawal.completed': { verb: 'complete', step: 'paid' },
  'withdrawal.cancelled': { verb: 'cancel', step: 'cancelled', releasesAmount: true },
  'withdrawal.rejected': { verb: 'fail', step: 'rejected', releasesAmount: true },
  // The money stays reserved: a reversal, which has a record of its own, returns it, or the payment turns out to be on chain.
  'withdrawal.failed': { verb: 'fail', step: 'notCarriedOut' },
};

/** The record of a withdrawal, or of the reversal that follows a failed one. */
export function toWithdrawalTransaction(event: WithdrawalEvent): TransactionUpdate {
  if (event.name === 'withdrawal.released') return toReversalTransaction(event);
  const { verb, step, releasesAmount } = WITHDRAWAL[event.name];
  const reason = step === 'rejected' ? event.reason : null; // those of other steps are not in the history
  return {
    userId: event.userId,
    type: 'withdrawal',
    reference: { type: 'withdrawal', id: event.withdrawalId },
    verb,
    at: event.at,
    amount: event.amount,
    currency: event.currency,
    balanceChange: releasesAmount ? Money.ZERO : event.amount.negated(),
    description: descriptionText('withdrawal', { amount: amountText(event) }),
    stepDescription: reason ? stepText('rejectedBecause', { reason }) : stepText(step),
    chain: {
      fromAddress: null,
      toAddress: event.toAddress,
      txHash: event.txHash,
      ...NOT_MINED, // a later event of the topic `withdrawal-on-chain` has block and gas
      submitted: verb === 'take' || verb === 'complete',
    },
  };
}

function toReversalTransaction(event: WithdrawalEvent): TransactionUpdate {
  return {
    userId: event.userId,
    type: 'reversal',
    reference: { type: 'withdrawal', id: event.withdrawalId },
    verb: 'complete',
    at: event.at,
    amount: event.amount,
    currency: event.currency,
    balanceChange: event.amount,
    description: descriptionText('reversal', { amount: amountText(event) }),
    stepDescription: stepText('available'),
  };
}

function amountText({ amount, currency }: WithdrawalEvent): string {
  return `${amount.toWire()} ${currency}`;
}

/** The records of one event: principal paid in or paid back, growth and fees. An amount of zero has no record. */
export function toInvestmentTransactions(event: InvestmentEvent): TransactionUpdate[] {
  const { principal, growth, fees } = event;
  switch (event.name) {
    case 'investment.created':
      return [bookedTransaction(event, 'investment', principal, principal.negated())];
    case 'investment.approved':
      return []; // the principal moved when the investment was created
    case 'investment.moved':
      return []; // the closed and the created investment have the records
    case 'investment.rejected':
    case 'investment.cancelled':
    case 'investment.partially-closed':
    case 'investment.closed':
      return [
        bookedTransaction(event, 'divestment', principal, principal),
        bookedTransaction(event, 'earning', growth, growth, kindOfGrowth(event)),
        bookedTransaction(event, 'fee', fees, fees.negated()),
      ].filter(({ amount }) => !amount.isZero());
  }
}

function kindOfGrowth({ name, growth }: InvestmentEvent): DescriptionKind {
  if (!growth.isNegative()) return 'earning';
  return name === 'investment.cancelled' ? 'lossOnCancelling' : 'loss';
}

/** A record that is completed when it is booked, without a transfer on chain. */
function bookedTransaction(
  event: InvestmentEvent,
  type: TransactionType,
  amount: Money,
  balanceChange: Money,
  kind: DescriptionKind = type,
): TransactionUpdate {
  return {
    userId: event.userId,
    type,
    reference: {
      type: 'investment',
      id: investmentReference({ investmentId: event.investmentId, closing: event.part?.number }),
    },
    verb: 'complete',
    at: event.at,
    amount,
    currency: 'USDC',
    balanceChange,
    description: descriptionText(kind, { strategy: event.strategyName }),
    stepDescription: stepText('booked'),
    strategy: { id: event.strategyId, name: event.strategyName },
  };
}
