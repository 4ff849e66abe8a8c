import { MICRO_SCALE, Money } from '../../../../common/money.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { LogCheckpointEvent } from '../../../assurance/proofs/proofs.types.js';
import type { WithdrawalStatus } from '../../../funds/withdrawals/domain/withdrawal.state-machine.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type {
  DepositEventData,
  EventData,
  InvestmentEventData,
  LogCheckpointData,
  WithdrawalEventData,
} from '../dto/webhook.response.js';
import type { ByTopic } from '../../../../events/event-topics.js';
import { TEST_EVENT, type EventType, type MoneyEventType } from '../webhooks.types.js';

// The payloads of webhooks, and of users' live events. They contain only fields that the user's routes show, too.

export interface EventPayload<
  Data extends EventData = EventData,
  Type extends EventType | typeof TEST_EVENT = EventType | typeof TEST_EVENT,
> {
  readonly type: Type;
  /** Domain time of the domain event, or of the user's request for a test event. */
  readonly at: Date;
  readonly data: Data;
}

/** The body of the request, which the signature covers. */
export function bodyOf({ type, at, data }: EventPayload): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

const DEPOSIT_STATUS = {
  'deposit.seen': 'pending',
  'deposit.held': 'confirming',
  'deposit.completed': 'completed',
  'deposit.failed': 'failed',
} as const;

/** Undefined for claims and for new confirmations. A deposit that was credited by hand before is reported as held. */
export function depositEvent({
  name,
  at,
  ...event
}: DepositEvent): EventPayload<DepositEventData, MoneyEventType> | undefined {
  if (name === 'deposit.claimed' || name === 'deposit.confirming') return undefined;
  const type = name === 'deposit.covered' ? 'deposit.held' : name;
  return {
    type,
    at,
    data: {
      depositId: event.depositId,
      status: DEPOSIT_STATUS[type],
      amount: amountText(event.amount),
      currency: event.currency,
      network: event.network,
      credited: event.credited && amountText(event.credited),
      txHash: event.txHash,
      fromAddress: event.fromAddress,
      toAddress: event.toAddress,
      confirmations: event.confirmations,
      reason: event.reason,
    },
  };
}

/** The payload has no status: `GET /api/user/investments/:id` shows whether the investment waits for approval. */
export function investmentEvent({
  name,
  at,
  ...event
}: InvestmentEvent): EventPayload<InvestmentEventData, MoneyEventType> {
  return {
    type: name,
    at,
    data: {
      investmentId: event.investmentId,
      strategyId: event.strategyId,
      amount: amountText(event.principal),
      currency: 'USDC',
      ...endFields(name, event),
      fees: amountText(event.fees),
      growth: amountText(event.growth),
      stillInvested: event.part ? amountText(event.part.left) : null, // null unless it was a partial closing
      reason: event.reason ?? null,
      movedFrom: event.movedFrom ?? null,
      movedTo: event.movedTo ?? null,
    },
  };
}

type EndFields = Pick<
  InvestmentEventData,
  'finalValue' | 'initialInvestment' | 'totalEarnings' | 'withdrawnAmount'
>;

/** `investment.moved` has the principal of the next investment, which begins with the final value. */
function endFields(
  name: InvestmentEvent['name'],
  { principal, growth, fees, moved }: Omit<InvestmentEvent, 'name' | 'at'>,
): EndFields {
  if (name === 'investment.created' || name === 'investment.approved')
    return { finalValue: null, initialInvestment: null, totalEarnings: null, withdrawnAmount: null };
  const initialInvestment = name === 'investment.moved' ? principal.minus(growth) : principal;
  const finalValue = initialInvestment.plus(growth);
  return {
    finalValue: amountText(finalValue),
    initialInvestment: amountText(initialInvestment),
    totalEarnings: amountText(growth),
    withdrawnAmount: amountText(moved ? Money.ZERO : finalValue.minus(fees)),
  };
}

const WITHDRAWAL_STATUS: Record<WithdrawalEvent['name'], WithdrawalStatus> = {
  'withdrawal.requested': 'pending',
  'withdrawal.approved': 'approved',
  'withdrawal.taken': 'processing',
  'withdrawal.returned': 'pending',
  'withdrawal.completed': 'completed',
  'withdrawal.rejected': 'rejected',
  'withdrawal.cancelled': 'rejected',
  'withdrawal.failed': 'failed',
  'withdrawal.released': 'failed',
};

/** Undefined for an approval and a return by an admin, which no webhook and no live event of users reports. */
export function withdrawalEvent(
  event: WithdrawalEvent,
): EventPayload<WithdrawalEventData, MoneyEventType> | undefined {
  const { name, at } = event;
  if (name === 'withdrawal.approved' || name === 'withdrawal.returned') return undefined;
  return { type: name, at, data: withdrawalData(event) };
}

export function withdrawalData({ name, at, ...event }: WithdrawalEvent): WithdrawalEventData {
  return {
    withdrawalId: event.withdrawalId,
    status: WITHDRAWAL_STATUS[name],
    amount: amountText(event.amount),
    currency: event.currency,
    toAddress: event.toAddress,
    txHash: event.txHash,
    reason: event.reason,
    cancelledByUser: name === 'withdrawal.cancelled',
    cancelledAt: name === 'withdrawal.cancelled' ? at.toISOString() : null,
  };
}

/** Publishes the checkpoint of a closed day to all subscribers, so that copies of it exist outside the platform. */
export function checkpointEvent({
  at,
  day,
  checkpoint,
}: LogCheckpointEvent): EventPayload<LogCheckpointData> {
  const { size, root, note } = checkpoint;
  return { type: 'log.checkpoint', at, data: { day, size, root: root.toString('base64'), checkpoint: note } };
}

export function testEvent(subscriptionId: string, at: Date): EventPayload {
  return { type: TEST_EVENT, at, data: { webhookId: subscriptionId } };
}

/** Rounds down to six decimals, as responses do. */
export function amountText(amount: Money): string {
  return amount.roundDown(MICRO_SCALE).toWire();
}

/** The payload of an event, by its topic. */
export const EVENT_PAYLOADS: ByTopic<EventPayload | undefined> = {
  deposit: depositEvent,
  investment: investmentEvent,
  withdrawal: withdrawalEvent,
  log: checkpointEvent,
};
