import { toRecordedEvent, type EventRow } from '../../events/event-log.repository.js';
import { subjectOf, topicOf } from '../../events/event-topics.js';
import type { AlertEvent } from '../alerts/alert.events.js';
import { toAlertEventData } from '../alerts/alerts.mapper.js';
import type { ApprovalEvent } from '../approvals/approval.events.js';
import type { IntegrityViolationEvent } from '../integrity/integrity.events.js';
import type { IntegrityViolationData } from '../live/dto/event-data.response.js';
import type { YieldEvent } from '../strategies/yield.events.js';
import {
  amountText,
  checkpointEvent,
  depositEvent,
  investmentEvent,
  withdrawalEvent,
} from '../subscriptions/domain/event-payloads.js';
import type { TransactionRequestEvent } from '../treasury/transaction-request.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../users/security.events.js';
import type { UserEvent } from '../users/user.events.js';
import type {
  FeedApprovalData,
  FeedEmailChangedData,
  FeedRequestAssignedData,
  FeedSecurityData,
  FeedUserData,
  FeedYieldData,
} from './dto/feed-data.response.js';
import { TYPE_OF_RECORDED } from './feed-types.constants.js';
import type { FeedEvent } from './feed.types.js';

/** The data of an event by its topic; undefined for an event that the feed leaves out. */
const DATA_OF_TOPIC: Readonly<Record<string, (event: never) => object | undefined>> = {
  deposit: (event: Parameters<typeof depositEvent>[0]) => depositEvent(event)?.data,
  investment: (event: Parameters<typeof investmentEvent>[0]) => investmentEvent(event).data,
  withdrawal: (event: Parameters<typeof withdrawalEvent>[0]) => withdrawalEvent(event)?.data,
  log: (event: Parameters<typeof checkpointEvent>[0]) => checkpointEvent(event).data,
  approval: toApprovalData,
  alert: (event: AlertEvent) => toAlertEventData(event),
  user: toUserData,
  email: toEmailChangedData,
  security: toSecurityData,
  integrity: ({ runId }: IntegrityViolationEvent): IntegrityViolationData => ({ runId }),
  yield: toYieldData,
  'transaction-request': ({ requestId }: TransactionRequestEvent): FeedRequestAssignedData => ({
    id: requestId,
  }),
};

/** Undefined for an event that the feed leaves out. */
export function toFeedEvent(row: EventRow): FeedEvent | undefined {
  const type = TYPE_OF_RECORDED.get(row.type);
  if (type === undefined) return undefined;
  const { number, id, event } = toRecordedEvent(row);
  const data = DATA_OF_TOPIC[topicOf(event.name)]?.(event as never);
  const subject = subjectOf(event);
  if (!data || subject.type === null || subject.id === null) return undefined;
  return {
    number,
    id,
    type,
    at: event.at,
    userId: row.userId,
    subject: { type: subject.type, id: subject.id },
    data,
  };
}

function toApprovalData({ approval }: ApprovalEvent): FeedApprovalData {
  const { id, kind, status, subject } = approval;
  const subjectId = subject.type === 'admin' ? null : subject.id;
  return { id, kind, status, subjectType: subject.type, subjectId };
}

function toUserData({ status, createdBy }: UserEvent): FeedUserData {
  return { status, createdBy };
}

function toEmailChangedData(event: EmailChangedEvent): FeedEmailChangedData {
  return {
    suspendedWallets: event.suspendedWallets.length,
    revokedKeys: event.revokedKeys.length,
    disabledWebhooks: event.disabledWebhooks.length,
    holdUntil: event.holdUntil?.toISOString() ?? null,
  };
}

/** Without the texts that the user or the device has given, which can contain an e-mail address. */
function toSecurityData(event: SecurityEvent): FeedSecurityData {
  return {
    network: event.network ?? null,
    isKnownDevice: event.isKnownDevice ?? null,
    holdUntil: event.holdUntil?.toISOString() ?? null,
    wallet: event.wallet ?? null,
    webhookOrigin: event.webhookUrl === undefined ? null : new URL(event.webhookUrl).origin,
  };
}

function toYieldData({ reportId, realisedAmount, apy, ...event }: YieldEvent): FeedYieldData {
  const { strategyId, day, state } = event;
  return {
    ...{ id: reportId, strategyId, day, apy: apy.toWire() },
    realisedAmount: realisedAmount && amountText(realisedAmount),
    state,
  };
}
