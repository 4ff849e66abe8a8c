import type { Permission } from '../../../http/auth/permissions.js';
import type { DomainEvent } from '../../../database/domain-events.js';
import type { IntegrityViolationEvent } from '../../integrity/integrity.events.js';
import type { InvestmentEvent } from '../../investments/investment.events.js';
import type { BalanceChangedEvent } from '../../ledger/balance.events.js';
import { investmentEvent, withdrawalEvent, type Event } from '../../subscriptions/domain/event-payloads.js';
import { TEST_EVENT } from '../../subscriptions/subscriptions.types.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
import type { AdminEventType } from '../live.constants.js';
import type { NewLiveEvent } from '../live.types.js';

const READ_WITHDRAWALS: Permission = 'withdrawals:read';
const READ_INVESTMENTS: Permission = 'investments:read';
const READ_INTEGRITY: Permission = 'audit:read';
const READ_REQUESTS: Permission = 'transactions:read';

/** An event of the outbound webhooks, for the user whom it concerns. */
export function userEvents({ userId }: DomainEvent, event: Event | undefined): NewLiveEvent[] {
  if (!event || event.type === TEST_EVENT) return [];
  const { type, at, data } = event;
  const recipient = { recipientType: 'user', recipientId: userId, permission: null } as const;
  return [{ ...recipient, type, at, data: JSON.stringify(data) }];
}

export function withdrawalEvents(domainEvent: WithdrawalEvent): NewLiveEvent[] {
  const event = withdrawalEvent(domainEvent);
  const { name } = domainEvent;
  const isForAdmins = name === 'withdrawal.requested' || name === 'withdrawal.failed';
  return [
    ...userEvents(domainEvent, event),
    ...(event && isForAdmins ? [adminEvent(name, READ_WITHDRAWALS, domainEvent, event)] : []),
  ];
}

export function investmentEvents(domainEvent: InvestmentEvent): NewLiveEvent[] {
  const event = investmentEvent(domainEvent);
  const forAdmins = adminEvent('investment.pending', READ_INVESTMENTS, domainEvent, event);
  return [...userEvents(domainEvent, event), ...(domainEvent.isPending ? [forAdmins] : [])];
}

/** The database computes the data. */
export function balanceEvent({ userId, at }: BalanceChangedEvent): NewLiveEvent {
  const recipient = { recipientType: 'user', recipientId: userId, permission: null } as const;
  return { ...recipient, type: 'balance.changed', at, data: null };
}

/** The data of the user's event, and the user. */
function adminEvent(
  type: AdminEventType,
  permission: Permission,
  { userId }: DomainEvent,
  { at, data }: Event,
): NewLiveEvent {
  return {
    ...{ recipientType: 'admin', recipientId: '', permission, type, at },
    data: JSON.stringify({ ...data, userId }),
  };
}

export function violationEvent({ at, runId }: IntegrityViolationEvent): NewLiveEvent {
  return {
    ...{ recipientType: 'admin', recipientId: '', permission: READ_INTEGRITY, at },
    type: 'integrity.violation',
    data: JSON.stringify({ runId }),
  };
}

/** For the assignee alone. */
export function assignedEvent(
  { requestId, assignedTo, at }: { requestId: string; assignedTo: string; at: Date },
  adminId: string,
): NewLiveEvent {
  return {
    ...{ recipientType: 'admin', recipientId: adminId, permission: READ_REQUESTS, at },
    type: 'transaction-request.assigned',
    data: JSON.stringify({ id: requestId, assignedTo }),
  };
}

/**
 * The events of a transaction in the order of their delivery: causes, their notifications, one balance per user. The balances
 * are in the order of the users, whom the database locks one after the other.
 */
export function inOrderOfDelivery(events: readonly NewLiveEvent[]): NewLiveEvent[] {
  const balances = new Map<string, NewLiveEvent>();
  for (const event of events) if (event.type === 'balance.changed') balances.set(event.recipientId, event);
  const isNotification = ({ type }: NewLiveEvent) => type === 'notification.created';
  const causes = events.filter((event) => event.type !== 'balance.changed' && !isNotification(event));
  const users = [...balances.keys()].sort();
  const lastBalances = users.map((userId) => balances.get(userId) as NewLiveEvent);
  return [...causes, ...events.filter(isNotification), ...lastBalances];
}
