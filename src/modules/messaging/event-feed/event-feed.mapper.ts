import { toRecordedEvent, type EventRow } from '../../../events/event-log.repository.js';
import { callByTopic, type ByTopic } from '../../../events/event-topics.js';
import { toResponse } from '../../../http/response/to-response.js';
import type { IntegrityViolationEvent } from '../../assurance/integrity/domain/invariant.js';
import type { TransactionRequestEvent } from '../../backoffice/treasury/treasury.types.js';
import { toAlertEventData } from '../../core/alerts/alerts.mapper.js';
import type { AlertEvent } from '../../core/alerts/alerts.types.js';
import type { WithdrawalLimitEvent } from '../../funds/withdrawals/withdrawal.events.js';
import type { ApprovalEvent } from '../../identity/approvals/approvals.types.js';
import type { EmailChangedEvent, SecurityEvent, UserEvent } from '../../identity/users/users.types.js';
import type { YieldEvent } from '../../investing/strategies/domain/yield-report.js';
import type { IntegrityViolationData } from '../live/dto/live.response.js';
import { amountText, EVENT_PAYLOADS, withdrawalData } from '../webhooks/domain/event-payloads.js';
import {
  FeedUserData,
  type FeedApprovalData,
  type FeedEmailChangedData,
  type FeedRequestAssignedData,
  type FeedSecurityData,
  type FeedWithdrawalLimitData,
  type FeedYieldData,
} from './dto/feed-data.response.js';
import { FeedEventResponse, type FeedResponse } from './dto/feed.response.js';
import { TYPE_OF_RECORDED } from './feed-types.constants.js';

/** An event as the feed and the event webhook give it. It contains no e-mail address, except in texts that users have entered. */
export interface FeedEvent {
  /** Its place in the order of all events. */
  readonly number: number;
  readonly id: string;
  readonly type: string;
  /** Domain time. */
  readonly at: Date;
  /** Null for an event that is about no user. */
  readonly userId: string | null;
  readonly subject: { readonly type: string; readonly id: string };
  readonly data: object;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The number up to which events were read; null without new events. */
  readonly next: number | null;
}

/** The data of the events that users' webhooks do not have, by topic. */
const OTHER_DATA: ByTopic<object> = {
  withdrawal: withdrawalData,
  approval: toApprovalData,
  alert: (event: AlertEvent) => toAlertEventData(event),
  user: toUserData,
  email: toEmailChangedData,
  security: toSecurityData,
  integrity: ({ runId }: IntegrityViolationEvent): IntegrityViolationData => ({ runId }),
  yield: toYieldData,
  'withdrawal-limit': toWithdrawalLimitData,
  'transaction-request': ({ requestId }: TransactionRequestEvent): FeedRequestAssignedData => ({
    id: requestId,
  }),
};

export function toFeedResponse({ events, next }: FeedPage): FeedResponse {
  return {
    events: events.map((event) => toResponse(FeedEventResponse, event, { number: String(event.number) })),
    next: next === null ? null : String(next),
  };
}

/** Undefined for an event that the feed leaves out. */
export function toFeedEvent(row: EventRow): FeedEvent | undefined {
  const type = TYPE_OF_RECORDED.get(row.type);
  if (type === undefined) return undefined;
  const { number, id, event, subject } = toRecordedEvent(row);
  const data = callByTopic(EVENT_PAYLOADS, event)?.data ?? callByTopic(OTHER_DATA, event);
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

function toUserData(event: UserEvent): FeedUserData {
  return toResponse(FeedUserData, event);
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
    tier: event.tier ?? null,
  };
}

function toWithdrawalLimitData({ withdrawalId, amount }: WithdrawalLimitEvent): FeedWithdrawalLimitData {
  return { withdrawalId, amount: amountText(amount) };
}

function toYieldData({
  reportId: id,
  strategyId,
  day,
  apy,
  realisedAmount,
  state,
}: YieldEvent): FeedYieldData {
  const amount = realisedAmount && amountText(realisedAmount);
  return { id, strategyId, day, apy: apy.toWire(), realisedAmount: amount, state };
}
