import { ETH_SCALE, MICRO_SCALE, Money } from '../../../../common/money.js';
import { minedOf, NOT_MINED, type Mined } from '../../../providers/chain/domain/mined.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import { investmentReference } from '../../../core/ledger/domain/postings.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type { TransactionType } from './transaction-kinds.js';
import { descriptionText, stepText, type DescriptionKind } from './transaction-texts.js';
import type { TransactionVerb } from './transaction.state-machine.js';

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

const DEPOSIT: Record<
  DepositEvent['name'],
  { verb: TransactionVerb; describeStep: (event: DepositEvent) => string }
> = {
  'deposit.claimed': { verb: 'open', describeStep: () => stepText('claimed') },
  'deposit.seen': { verb: 'open', describeStep: () => stepText('seen') },
  'deposit.confirming': { verb: 'open', describeStep: () => stepText('confirming') },
  'deposit.held': { verb: 'open', describeStep: ({ reason }) => reason ?? stepText('held') },
  // The deposit was booked by hand; the record of that booking shows the money.
  'deposit.covered': { verb: 'cancel', describeStep: ({ reason }) => reason ?? stepText('covered') },
  'deposit.completed': { verb: 'complete', describeStep: () => stepText('credited') },
  'deposit.failed': { verb: 'fail', describeStep: ({ reason }) => reason ?? stepText('failed') },
};

/** The record's amount is the amount received until the deposit is credited, and then the amount credited. */
export function toDepositTransaction(event: DepositEvent): TransactionUpdate {
  const { verb, describeStep } = DEPOSIT[event.name];
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
    stepDescription: describeStep(event),
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
  { verb: TransactionVerb; isReturned: boolean; describeStep: (event: WithdrawalEvent) => string }
> = {
  'withdrawal.requested': {
    verb: 'open',
    isReturned: false,
    describeStep: () => stepText('requested'),
  },
  'withdrawal.approved': { verb: 'open', isReturned: false, describeStep: () => stepText('approved') },
  'withdrawal.taken': { verb: 'take', isReturned: false, describeStep: () => stepText('taken') },
  'withdrawal.returned': { verb: 'return', isReturned: false, describeStep: () => stepText('returned') },
  'withdrawal.completed': { verb: 'complete', isReturned: false, describeStep: () => stepText('paid') },
  'withdrawal.cancelled': {
    verb: 'cancel',
    isReturned: true,
    describeStep: () => stepText('cancelled'),
  },
  'withdrawal.rejected': {
    verb: 'fail',
    isReturned: true,
    describeStep: ({ reason }) => (reason ? stepText('rejectedBecause', { reason }) : stepText('rejected')),
  },
  // The money stays reserved: a reversal, which has a record of its own, returns it, or the payment turns out to be on chain.
  'withdrawal.failed': {
    verb: 'fail',
    isReturned: false,
    describeStep: () => stepText('notCarriedOut'),
  },
};

/** The record of a withdrawal, or of the reversal that follows a failed one. */
export function toWithdrawalTransaction(event: WithdrawalEvent): TransactionUpdate {
  if (event.name === 'withdrawal.released') return toReversalTransaction(event);
  const { verb, isReturned, describeStep } = WITHDRAWAL[event.name];
  return {
    userId: event.userId,
    type: 'withdrawal',
    reference: { type: 'withdrawal', id: event.withdrawalId },
    verb,
    at: event.at,
    amount: event.amount,
    currency: event.currency,
    balanceChange: isReturned ? Money.ZERO : event.amount.negated(),
    description: descriptionText('withdrawal', { amount: amountText(event) }),
    stepDescription: describeStep(event),
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
