import { toRecordedEvent, type EventRowWithBalance } from '../../../../events/event-log.repository.js';
import { callByTopic, topicOf, type ByTopic } from '../../../../events/event-topics.js';
import type { DomainEvent } from '../../../../events/events.types.js';
import { permits, type Permission } from '../../../../http/auth/permissions.js';
import type { Principal } from '../../../../http/auth/principal.js';
import type { IntegrityViolationEvent } from '../../../assurance/integrity/domain/invariant.js';
import type { TransactionRequestEvent } from '../../../backoffice/treasury/treasury.types.js';
import { toAlertEventData } from '../../../core/alerts/alerts.mapper.js';
import type { AlertEvent } from '../../../core/alerts/alerts.types.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import type { ApprovalEvent } from '../../../identity/approvals/approvals.types.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { NotificationEvent } from '../../../portfolio/notifications/notification-writes.service.js';
import { toNotificationResponse } from '../../../portfolio/notifications/notifications.mapper.js';
import { EVENT_PAYLOADS, withdrawalData } from '../../webhooks/domain/event-payloads.js';
import {
  ADMIN_EVENTS,
  USER_EVENTS,
  type AdminEventDescription,
  type AdminEventType,
  type EventDescription,
} from '../event-types.constants.js';
import { TOPIC_OF_SCOPE, type Audience, type LiveMessage, type LiveOwner } from '../live.types.js';

// Decides which messages follow from a recorded event, and their recipients.

/** Returns the id of the admin with an e-mail address. */
type AdminIdOf = (email: string) => string | undefined;

/** The id of the message about the balance: one event has up to two messages for its user. */
export function balanceMessageId(eventId: string): string {
  return `${eventId}.balance`;
}

/** The messages of an event, for its user and for admins, in the order in which they are sent. */
export function messagesOf(row: EventRowWithBalance, adminIdOf: AdminIdOf): LiveMessage[] {
  const event = toRecordedEvent(row).event as DomainEvent;
  return [...toUser(row, event), ...toAdmins(row, event, adminIdOf)];
}

/** The type and the data of a message for the event's user, by the topic of the event. */
const USER_PAYLOADS: ByTopic<{ type: string; data: object } | undefined> = {
  ...EVENT_PAYLOADS,
  notification: ({ name: type, notification }: NotificationEvent) => ({
    type,
    data: toNotificationResponse(notification),
  }),
};

function toUser(row: EventRowWithBalance, event: DomainEvent): LiveMessage[] {
  const { id, number: sequence, at, userId, balance } = row;
  if (userId === null) return [];
  const common = { sequence, recipientType: 'user', recipientId: userId, permission: null, at } as const;
  const payload = callByTopic(USER_PAYLOADS, event);
  return [
    ...(payload ? [{ ...common, id, type: payload.type, data: JSON.stringify(payload.data) }] : []),
    ...(balance
      ? [{ ...common, id: balanceMessageId(id), type: 'balance.changed', data: JSON.stringify(balance) }]
      : []),
  ];
}

function toAdmins(row: EventRowWithBalance, event: DomainEvent, adminIdOf: AdminIdOf): LiveMessage[] {
  const message = adminPayload(event, adminIdOf);
  if (!message) return [];
  const { type, data, permission = ADMIN_EVENTS[type].permission, recipientId = '' } = message;
  const { id, number: sequence, at } = row;
  return [
    { id, sequence, at, recipientType: 'admin', recipientId, permission, type, data: JSON.stringify(data) },
  ];
}

interface AdminPayload {
  readonly type: AdminEventType;
  readonly data: object;
  /** By default that of the type. */
  readonly permission?: Permission;
  /** By default all admins who hold the permission. */
  readonly recipientId?: string;
}

function adminPayload(event: DomainEvent, adminIdOf: AdminIdOf): AdminPayload | undefined {
  switch (topicOf(event.name)) {
    case 'deposit':
    case 'investment':
      return aboutUser(event);
    case 'withdrawal': {
      const withdrawal = event as WithdrawalEvent;
      const { name: type, userId } = withdrawal;
      return type === 'withdrawal.returned'
        ? { type, data: { ...withdrawalData(withdrawal), userId } }
        : aboutUser(event);
    }
    case 'integrity':
      return {
        type: 'integrity.violation',
        data: { runId: (event as unknown as IntegrityViolationEvent).runId },
      };
    case 'alert': {
      const alert = event as unknown as AlertEvent;
      return { type: alert.name, data: toAlertEventData(alert) };
    }
    case 'approval':
      return aboutApproval(event as unknown as ApprovalEvent, adminIdOf);
    case 'transaction-request': {
      const { requestId, assignedTo } = event as unknown as TransactionRequestEvent;
      const recipientId = adminIdOf(assignedTo);
      const data = { id: requestId, assignedTo };
      return recipientId === undefined
        ? undefined
        : { type: 'transaction-request.assigned', data, recipientId };
    }
    default:
      return undefined;
  }
}

/** An investment that waits for approval is reported as pending. */
function aboutUser(event: DomainEvent): AdminPayload | undefined {
  const payload = callByTopic(USER_PAYLOADS, event);
  if (!payload) return undefined;
  const type = (event as InvestmentEvent).isPending ? 'investment.pending' : (payload.type as AdminEventType);
  return { type, data: { ...payload.data, userId: event.userId } };
}

/** A request goes to all admins with the permission of its kind, a decision to the requester alone. */
function aboutApproval({ name: type, approval, permission }: ApprovalEvent, adminIdOf: AdminIdOf) {
  const { id, kind, status, subject, requestedBy, decidedBy } = approval;
  const { type: subjectType, id: subjectId, label: subjectLabel } = subject;
  const data = { id, kind, status, subjectType, subjectId, subjectLabel, requestedBy, decidedBy };
  if (type === 'approval.requested') return { type, data, permission };
  const recipientId = adminIdOf(requestedBy);
  return recipientId === undefined ? undefined : { type, data, permission, recipientId };
}

/** The text of a message. */
export function frameOf({ id, type, at, data }: LiveMessage): string {
  return `{"id":"${id}","type":"${type}","at":"${at.toISOString()}","data":${data}}`;
}

/** The text of the first message of a connection. */
export function helloFrame(
  at: Date,
  { replayed, complete }: { replayed: number; complete: boolean },
): string {
  return JSON.stringify({ type: 'hello', at: at.toISOString(), data: { replayed, complete } });
}

/** The owner of the connection that a principal opens. */
export function ownerOf(principal: Principal): LiveOwner {
  const { type, id, sessionId, expiresAt } = principal;
  const key = principal.type === 'user' ? (principal.apiKey ?? null) : null;
  return { type, id, sessionId, key, expiresAt };
}

/** The messages that the owner may receive. `admin`: the present entry of an admin; undefined for a user. */
export function audienceOf(
  owner: LiveOwner,
  admin?: { readonly email: string; readonly permissions: readonly string[] },
): Audience {
  const { type, id, key } = owner;
  const topics = key && key.scopes.flatMap((scope) => TOPIC_OF_SCOPE[scope] ?? []);
  const permissions = admin?.permissions ?? [];
  const isLimited = type === 'admin' && !permissions.includes('*');
  return { type, id, email: admin?.email ?? null, topics, permissions: isLimited ? permissions : null };
}

export function mayReceive(
  audience: Audience,
  { recipientType, recipientId, type, permission }: LiveMessage,
): boolean {
  const isRecipient = recipientId === audience.id || (audience.type === 'admin' && recipientId === '');
  if (recipientType !== audience.type || !isRecipient) return false;
  if (audience.topics && !audience.topics.includes(topicOf(type))) return false;
  return !permission || !audience.permissions || permits(audience.permissions, permission);
}

/** Whether `balance.changed` is among the messages. */
export function receivesBalances({ type, topics }: Audience): boolean {
  return type === 'user' && (topics?.includes('balance') ?? true);
}

/** The domain events of which the audience receives a message, except those whose recipients depend on their data. */
export function eventTypesOf({ type: recipient, topics, permissions }: Audience): string[] {
  const events: Readonly<Record<string, EventDescription & Partial<AdminEventDescription>>> =
    recipient === 'user' ? USER_EVENTS : ADMIN_EVENTS;
  return Object.entries(events).flatMap(([type, description]) => {
    const isOfTopic = topics?.includes(topicOf(type)) ?? true;
    const isPermitted =
      recipient === 'user' ||
      (!dependsOnData(description) &&
        (!permissions || permits(permissions, description.permission as Permission)));
    return type !== 'balance.changed' && isOfTopic && isPermitted ? (description.recordedAs ?? [type]) : [];
  });
}

/** Whether the admins who receive the event depend on its data. */
export function dependsOnData({ permission, recipient }: Partial<AdminEventDescription>): boolean {
  return permission === null || recipient !== undefined;
}
