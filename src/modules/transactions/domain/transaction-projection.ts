import { ETH_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { minedOf, NOT_MINED, type Mined } from '../../blockchain/domain/mined.js';
import type { DepositEvent } from '../../deposits/deposit.events.js';
import type { InvestmentEvent } from '../../investments/investment.events.js';
import { investmentReference } from '../../ledger/domain/postings.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
import type { TransactionType, TransactionVerb } from './transaction.state-machine.js';

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
  'deposit.claimed': { verb: 'open', describeStep: () => 'Claim received' },
  'deposit.seen': { verb: 'open', describeStep: () => 'Seen on chain' },
  'deposit.confirming': { verb: 'open', describeStep: () => 'Waiting for more confirmations' },
  'deposit.held': { verb: 'open', describeStep: ({ reason }) => reason ?? 'Arrived, but not credited yet' },
  // The deposit was booked by hand; the record of that booking shows the money.
  'deposit.covered': { verb: 'cancel', describeStep: ({ reason }) => reason ?? 'Booked by hand before' },
  'deposit.completed': { verb: 'complete', describeStep: () => 'Credited' },
  'deposit.failed': { verb: 'fail', describeStep: ({ reason }) => reason ?? 'Failed' },
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
    description: `Deposit of ${received.roundHalfEven(MICRO_SCALE).toWire()} ${event.currency} over ${event.network}`,
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
    describeStep: () => 'Requested, the amount is reserved',
  },
  'withdrawal.approved': { verb: 'open', isReturned: false, describeStep: () => 'Approved by an operator' },
  'withdrawal.taken': { verb: 'take', isReturned: false, describeStep: () => 'Taken into processing' },
  'withdrawal.completed': { verb: 'complete', isReturned: false, describeStep: () => 'Paid out' },
  'withdrawal.cancelled': {
    verb: 'cancel',
    isReturned: true,
    describeStep: () => 'Cancelled, the amount is available again',
  },
  'withdrawal.rejected': {
    verb: 'fail',
    isReturned: true,
    describeStep: ({ reason }) => `Rejected, the amount is available again${reason ? `: ${reason}` : ''}`,
  },
  // The money stays reserved: a reversal, which has a record of its own, returns it, or the payment turns out to be on chain.
  'withdrawal.failed': { verb: 'fail', isReturned: false, describeStep: ({ reason }) => reason ?? 'Failed' },
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
    description: `Withdrawal of ${event.amount.toWire()} ${event.currency}`,
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
    description: `Return of the failed withdrawal of ${event.amount.toWire()} ${event.currency}`,
    stepDescription: 'The amount is available again',
  };
}

/** The records of one event: principal paid in or paid back, growth and fees. An amount of zero has no record. */
export function toInvestmentTransactions(event: InvestmentEvent): TransactionUpdate[] {
  const { principal, growth, fees, strategyName } = event;
  switch (event.name) {
    case 'investment.created':
      return [
        bookedTransaction(
          event,
          'investment',
          principal,
          principal.negated(),
          `Investment in ${strategyName}`,
        ),
      ];
    case 'investment.approved':
      return []; // the principal moved when the investment was created
    case 'investment.rejected':
    case 'investment.cancelled':
    case 'investment.partially-closed':
    case 'investment.closed':
      return [
        bookedTransaction(event, 'divestment', principal, principal, `Principal back from ${strategyName}`),
        bookedTransaction(event, 'earning', growth, growth, `${describeGrowth(event)} of ${strategyName}`),
        bookedTransaction(event, 'fee', fees, fees.negated(), `Fees of ${strategyName}`),
      ].filter(({ amount }) => !amount.isZero());
  }
}

function describeGrowth({ name, growth }: InvestmentEvent): string {
  if (!growth.isNegative()) return 'Growth';
  return name === 'investment.cancelled' ? 'Loss or growth taken back' : 'Loss';
}

/** A record that is completed when it is booked, without a transfer on chain. */
function bookedTransaction(
  event: InvestmentEvent,
  type: TransactionType,
  amount: Money,
  balanceChange: Money,
  description: string,
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
    description,
    stepDescription: 'Booked',
    strategy: { id: event.strategyId, name: event.strategyName },
  };
}
