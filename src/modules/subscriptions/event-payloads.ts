import { MICRO_SCALE, type Money } from '../../common/money.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
import { TEST_EVENT, type EventType } from './event-types.js';

// What a receiver is told: what the user's own routes show of it, and nothing more. Pure.

/** Data of an event, flat; amounts are decimal strings. */
export type EventData = Readonly<Record<string, string | number | boolean | null>>;

export interface Event {
  readonly type: EventType | typeof TEST_EVENT;
  /** Domain time of what it tells of. */
  readonly at: Date;
  readonly data: EventData;
}

/** The body that is signed and sent. */
export function bodyOf({ type, at, data }: Event): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

const DEPOSIT_STATUS = {
  'deposit.seen': 'pending',
  'deposit.held': 'confirming',
  'deposit.completed': 'completed',
  'deposit.failed': 'failed',
} as const;

/** Nothing of the user's own claim, and nothing while confirmations are counted. One that an admin has booked by hand is held, with that for its reason. */
export function depositEvent({ name, at, ...fact }: DepositEvent): Event | undefined {
  if (name === 'deposit.claimed' || name === 'deposit.confirming') return undefined;
  const type = name === 'deposit.covered' ? 'deposit.held' : name;
  return {
    type,
    at,
    data: {
      depositId: fact.depositId,
      status: DEPOSIT_STATUS[type],
      amount: shown(fact.amount),
      currency: fact.currency,
      network: fact.network,
      credited: fact.credited && shown(fact.credited),
      txHash: fact.txHash,
      fromAddress: fact.fromAddress,
      toAddress: fact.toAddress,
      confirmations: fact.confirmations,
      reason: fact.reason,
    },
  };
}

/** Without a status: whether a new investment waits for approval stands in the investment. */
export function investmentEvent({ name, at, ...fact }: InvestmentEvent): Event {
  return {
    type: name,
    at,
    data: {
      investmentId: fact.investmentId,
      strategyId: fact.strategyId,
      amount: shown(fact.principal),
      currency: 'USDC',
      growth: shown(fact.growth),
      fees: shown(fact.fees),
      stillInvested: fact.part ? shown(fact.part.left) : null, // of a partial closing
      reason: fact.reason ?? null,
    },
  };
}

const WITHDRAWAL_STATUS = {
  'withdrawal.requested': 'pending',
  'withdrawal.taken': 'processing',
  'withdrawal.completed': 'completed',
  'withdrawal.rejected': 'rejected',
  'withdrawal.cancelled': 'rejected',
  'withdrawal.failed': 'failed',
  'withdrawal.released': 'failed',
} as const;

/** Nothing on an operator's approval, which moves nothing. */
export function withdrawalEvent({ name, at, ...fact }: WithdrawalEvent): Event | undefined {
  if (name === 'withdrawal.approved') return undefined;
  return {
    type: name,
    at,
    data: {
      withdrawalId: fact.withdrawalId,
      status: WITHDRAWAL_STATUS[name],
      amount: shown(fact.amount),
      currency: fact.currency,
      toAddress: fact.toAddress,
      txHash: fact.txHash,
      reason: fact.reason,
      cancelledByUser: name === 'withdrawal.cancelled',
      cancelledAt: name === 'withdrawal.cancelled' ? at.toISOString() : null,
    },
  };
}

export function testEvent(subscriptionId: string, at: Date): Event {
  return { type: TEST_EVENT, at, data: { webhookId: subscriptionId } };
}

/** At most six decimals, as everywhere. */
function shown(amount: Money): string {
  return amount.roundDown(MICRO_SCALE).toWire();
}
