import { ETH_SCALE, MICRO_SCALE, Money } from '../../common/money.js';
import { minedOf, NOT_MINED } from '../blockchain/mined.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import { investmentReference } from '../ledger/postings.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import type { TransactionEvent } from './transaction-records.service.js';
import type { TransactionType, TransactionVerb } from './domain/transaction.state-machine.js';

// Which records each fact leaves. Pure.

const DEPOSIT: Record<DepositEvent['name'], { verb: TransactionVerb; news: (fact: DepositEvent) => string }> =
  {
    'deposit.claimed': { verb: 'open', news: () => 'Claim received' },
    'deposit.seen': { verb: 'open', news: () => 'Seen on chain' },
    'deposit.confirming': { verb: 'open', news: () => 'Waiting for more confirmations' },
    'deposit.held': { verb: 'open', news: ({ reason }) => reason ?? 'Arrived, but not credited yet' },
    // its money is shown by the record of what admins have booked
    'deposit.covered': { verb: 'cancel', news: ({ reason }) => reason ?? 'Booked by hand before' },
    'deposit.completed': { verb: 'complete', news: () => 'Credited' },
    'deposit.failed': { verb: 'fail', news: ({ reason }) => reason ?? 'Failed' },
  };

/** A deposit's one record: what was received until it is credited, what was credited from then on. */
export function depositEvent(fact: DepositEvent): TransactionEvent {
  const { verb, news } = DEPOSIT[fact.name];
  const isEther = fact.currency === 'ETH';
  const received = fact.amount.roundDown(isEther ? ETH_SCALE : MICRO_SCALE); // dust is nobody's
  const credited = verb === 'complete' ? fact.credited : null;
  return {
    userId: fact.userId,
    type: 'deposit',
    reference: { type: 'deposit', id: fact.depositId },
    verb,
    at: fact.at,
    amount: credited ?? received,
    currency: credited && !isEther ? 'USDC' : fact.currency,
    balanceChange: credited && !isEther ? credited : Money.ZERO, // Ether is held beside the balance
    description: `Deposit of ${received.roundHalfEven(MICRO_SCALE).toWire()} ${fact.currency} over ${fact.network}`,
    news: news(fact),
    chain: {
      fromAddress: fact.fromAddress,
      toAddress: fact.toAddress,
      txHash: fact.txHash,
      ...minedOf(fact),
      submitted: !fact.onlyClaimed,
    },
  };
}

const WITHDRAWAL: Record<
  Exclude<WithdrawalEvent['name'], 'withdrawal.released'>,
  { verb: TransactionVerb; returned: boolean; news: (fact: WithdrawalEvent) => string }
> = {
  'withdrawal.requested': { verb: 'open', returned: false, news: () => 'Requested, the amount is reserved' },
  'withdrawal.approved': { verb: 'open', returned: false, news: () => 'Approved by an operator' },
  'withdrawal.taken': { verb: 'take', returned: false, news: () => 'Taken into processing' },
  'withdrawal.completed': { verb: 'complete', returned: false, news: () => 'Paid out' },
  'withdrawal.cancelled': {
    verb: 'cancel',
    returned: true,
    news: () => 'Cancelled, the amount is available again',
  },
  'withdrawal.rejected': {
    verb: 'fail',
    returned: true,
    news: ({ reason }) => `Rejected, the amount is available again${reason ? `: ${reason}` : ''}`,
  },
  // The money stays reserved until a reversal releases it, which is a record of its own.
  'withdrawal.failed': { verb: 'fail', returned: false, news: ({ reason }) => reason ?? 'Failed' },
};

/** A withdrawal's one record; what a failed one gives back is a record of its own. */
export function withdrawalEvent(fact: WithdrawalEvent): TransactionEvent {
  if (fact.name === 'withdrawal.released') return reversalEvent(fact);
  const { verb, returned, news } = WITHDRAWAL[fact.name];
  return {
    userId: fact.userId,
    type: 'withdrawal',
    reference: { type: 'withdrawal', id: fact.withdrawalId },
    verb,
    at: fact.at,
    amount: fact.amount,
    currency: fact.currency,
    balanceChange: returned ? Money.ZERO : fact.amount.negated(),
    description: `Withdrawal of ${fact.amount.toWire()} ${fact.currency}`,
    news: news(fact),
    chain: {
      fromAddress: null,
      toAddress: fact.toAddress,
      txHash: fact.txHash,
      ...NOT_MINED, // until the chain is seen to have it
      submitted: verb === 'take' || verb === 'complete',
    },
  };
}

function reversalEvent(fact: WithdrawalEvent): TransactionEvent {
  return {
    userId: fact.userId,
    type: 'reversal',
    reference: { type: 'withdrawal', id: fact.withdrawalId },
    verb: 'complete',
    at: fact.at,
    amount: fact.amount,
    currency: fact.currency,
    balanceChange: fact.amount,
    description: `Withdrawal of ${fact.amount.toWire()} ${fact.currency} that failed, given back`,
    news: 'The amount is available again',
  };
}

/** An investment's records: principal going in and coming back, growth and fees, each when it is not zero. */
export function investmentEvents(fact: InvestmentEvent): TransactionEvent[] {
  const { principal, growth, fees, strategyName } = fact;
  switch (fact.name) {
    case 'investment.created':
      return [
        bookedEvent(fact, 'investment', principal, principal.negated(), `Investment in ${strategyName}`),
      ];
    case 'investment.approved':
      return []; // the principal moved when it was created
    case 'investment.rejected':
    case 'investment.cancelled':
    case 'investment.partially-closed':
    case 'investment.closed':
      return [
        bookedEvent(fact, 'divestment', principal, principal, `Principal back from ${strategyName}`),
        bookedEvent(fact, 'earning', growth, growth, `${growthWord(fact)} of ${strategyName}`),
        bookedEvent(fact, 'fee', fees, fees.negated(), `Fees of ${strategyName}`),
      ].filter((event) => !event.amount.isZero());
  }
}

function growthWord({ name, growth }: InvestmentEvent): string {
  if (!growth.isNegative()) return 'Growth';
  return name === 'investment.cancelled' ? 'Loss or growth taken back' : 'Loss';
}

/** What is done the moment it is booked, without a chain. */
function bookedEvent(
  fact: InvestmentEvent,
  type: TransactionType,
  amount: Money,
  balanceChange: Money,
  description: string,
): TransactionEvent {
  return {
    userId: fact.userId,
    type,
    reference: {
      type: 'investment',
      id: investmentReference({ investmentId: fact.investmentId, closing: fact.part?.number }),
    },
    verb: 'complete',
    at: fact.at,
    amount,
    currency: 'USDC',
    balanceChange,
    description,
    news: 'Booked',
    strategy: { id: fact.strategyId, name: fact.strategyName },
  };
}
