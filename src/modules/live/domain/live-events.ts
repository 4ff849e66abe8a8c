import type { DomainEvent } from '../../../events/domain-events.js';
import type { Permission } from '../../../http/auth/permissions.js';
import type { ApprovalEvent } from '../../approvals/approval.events.js';
import type { IntegrityViolationEvent } from '../../integrity/integrity.events.js';
import type { InvestmentEvent } from '../../investments/investment.events.js';
import type { BalanceChangedEvent } from '../../ledger/balance.events.js';
import {
  investmentEvent,
  withdrawalEvent,
  type EventPayload,
} from '../../subscriptions/domain/event-payloads.js';
import type { EventData } from '../../subscriptions/dto/event-data.response.js';
import type { MoneyEventType } from '../../subscriptions/subscriptions.types.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
import { ADMIN_EVENTS, type AdminEventData, type AdminEventType } from '../event-types.constants.js';
import type { NewLiveEvent, NumberedEvent } from '../live.types.js';

/** The live event for the user of a domain event, with the data of the webhook event `event`. Empty if `event` is undefined. */
export function userEvents(
  { userId }: DomainEvent,
  event: EventPayload<EventData, MoneyEventType> | undefined,
): NewLiveEvent[] {
  if (!event) return [];
  const { type, at, data } = event;
  const recipient = { recipientType: 'user', recipientId: userId, permission: null } as const;
  return [{ ...recipient, type, at, data: JSON.stringify(data) }];
}

export function withdrawalEvents(domainEvent: WithdrawalEvent): NewLiveEvent[] {
  const event = withdrawalEvent(domainEvent);
  const { name, userId, at } = domainEvent;
  const isForAdmins = name === 'withdrawal.requested' || name === 'withdrawal.failed';
  return [
    ...userEvents(domainEvent, event),
    ...(event && isForAdmins ? [adminEvent(name, at, { ...event.data, userId })] : []),
  ];
}

export function investmentEvents(domainEvent: InvestmentEvent): NewLiveEvent[] {
  const event = investmentEvent(domainEvent);
  const { userId, at, isPending } = domainEvent;
  const forAdmins = adminEvent('investment.pending', at, { ...event.data, userId });
  return [...userEvents(domainEvent, event), ...(isPending ? [forAdmins] : [])];
}

/** The `data` is null, because the database computes it at the commit. */
export function balanceEvent({ userId, at }: BalanceChangedEvent): NewLiveEvent {
  const recipient = { recipientType: 'user', recipientId: userId, permission: null } as const;
  return { ...recipient, type: 'balance.changed', at, data: null };
}

export function violationEvent({ at, runId }: IntegrityViolationEvent): NewLiveEvent {
  return adminEvent('integrity.violation', at, { runId });
}

/** `adminId`: the assignee, who alone receives the event. */
export function assignedEvent(
  { requestId, assignedTo, at }: { requestId: string; assignedTo: string; at: Date },
  adminId: string,
): NewLiveEvent {
  const event = adminEvent('transaction-request.assigned', at, { id: requestId, assignedTo });
  return { ...event, recipientId: adminId };
}

/** A request goes to all admins with the permission of its kind, a decision to the requester alone. */
export function approvalEvents(
  { name, at, approval, permission }: ApprovalEvent,
  requesterId: string | undefined,
): NewLiveEvent[] {
  const { id, kind, status, subject, requestedBy, decidedBy } = approval;
  const { type: subjectType, id: subjectId, label: subjectLabel } = subject;
  const data = { id, kind, status, subjectType, subjectId, subjectLabel, requestedBy, decidedBy };
  const event = adminEvent(name, at, data, permission);
  if (name === 'approval.requested') return [event];
  return requesterId === undefined ? [] : [{ ...event, recipientId: requesterId }];
}

/** An event for all admins with the permission that reading its data needs. */
function adminEvent<Type extends AdminEventType>(
  type: Type,
  at: Date,
  data: AdminEventData<Type>,
  permission: Permission | null = ADMIN_EVENTS[type].permission,
): NewLiveEvent {
  return { recipientType: 'admin', recipientId: '', permission, type, at, data: JSON.stringify(data) };
}

/**
 * The events of a transaction in the order of their delivery: balances come last, one per user, and notifications before them.
 * The balances are in the order of the user ids, in which the database locks the users one after the other.
 */
export function inOrderOfDelivery(events: readonly NewLiveEvent[]): NewLiveEvent[] {
  const balances = new Map<string, NewLiveEvent>();
  for (const event of events) if (event.type === 'balance.changed') balances.set(event.recipientId, event);
  const isNotification = ({ type }: NewLiveEvent) => type === 'notification.created';
  const otherEvents = events.filter((event) => event.type !== 'balance.changed' && !isNotification(event));
  const users = [...balances.keys()].sort();
  const lastBalances = users.map((userId) => balances.get(userId) as NewLiveEvent);
  return [...otherEvents, ...events.filter(isNotification), ...lastBalances];
}

/** The text of an event's message. `data` is sent as it is stored. */
export function frameOf({ id, type, at, data }: NumberedEvent): string {
  return `{"id":"${id}","type":"${type}","at":"${at.toISOString()}","data":${data}}`;
}

/** The text of the first message of a connection. */
export function helloFrame(
  at: Date,
  { replayed, complete }: { replayed: number; complete: boolean },
): string {
  return JSON.stringify({ type: 'hello', at: at.toISOString(), data: { replayed, complete } });
}
