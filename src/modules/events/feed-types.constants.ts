import { topicOf } from '../../events/event-topics.js';
import type { Permission } from '../../http/auth/permissions.js';
import { AlertEventData } from '../alerts/dto/alert.response.js';
import { IntegrityViolationData } from '../live/dto/event-data.response.js';
import { USER_EVENTS } from '../live/event-types.constants.js';
import {
  DepositEventData,
  InvestmentEventData,
  LogCheckpointData,
  WithdrawalEventData,
} from '../subscriptions/dto/event-data.response.js';
import {
  MONEY_EVENT_TYPES,
  type EventType,
  type MoneyEventType,
} from '../subscriptions/subscriptions.types.js';
import {
  FeedApprovalData,
  FeedEmailChangedData,
  FeedRequestAssignedData,
  FeedSecurityData,
  FeedUserData,
  FeedYieldData,
} from './dto/feed-data.response.js';

// The types of events of the feed and of the event webhook. docs/events.md is generated from this table.

export interface FeedEventDescription {
  readonly summary: string;
  /** The permission that the routes of the record need; null if none does or if it depends on the kind of approval. */
  readonly permission: Permission | null;
  /** The class whose fields document the data of the event. */
  readonly data: new () => object;
  /** The domain events that have this type; by default the one of the same name. */
  readonly recordedAs?: readonly string[];
}

const MONEY_TOPICS = {
  deposit: { data: DepositEventData, permission: 'transactions:read' },
  investment: { data: InvestmentEventData, permission: 'investments:read' },
  withdrawal: { data: WithdrawalEventData, permission: 'withdrawals:read' },
} as const;

const OTHER_NAMES: Partial<Record<MoneyEventType, Pick<FeedEventDescription, 'recordedAs'>>> = {
  'deposit.held': { recordedAs: ['deposit.held', 'deposit.covered'] },
};

const moneyEvents = Object.fromEntries(
  MONEY_EVENT_TYPES.map((type) => {
    const topic = topicOf(type) as keyof typeof MONEY_TOPICS;
    return [type, { summary: USER_EVENTS[type].summary, ...MONEY_TOPICS[topic], ...OTHER_NAMES[type] }];
  }),
) as Record<MoneyEventType, FeedEventDescription>;

const approval = { data: FeedApprovalData, permission: null };
const alert = { data: AlertEventData, permission: 'withdrawals:read' } as const;
const user = { data: FeedUserData, permission: 'users:read' } as const;
const security = { data: FeedSecurityData, permission: 'users:read' } as const;
const yieldReport = { data: FeedYieldData, permission: '*' } as const;

export const FEED_EVENTS: Readonly<Record<string, FeedEventDescription>> = {
  ...moneyEvents,
  'investment.created': {
    ...moneyEvents['investment.created'],
    summary: 'an investment is created; it may wait for approval, as its record shows',
  },
  'log.checkpoint': {
    summary: 'the liabilities of a day are in the transparency log; the signed checkpoint',
    data: LogCheckpointData,
    permission: null,
  },
  'approval.requested': { summary: 'a change waits for a second admin', ...approval },
  'approval.decided': { summary: 'a change is approved, rejected, withdrawn or expired', ...approval },
  'alert.raised': { summary: 'an operator has to act on a condition or an event', ...alert },
  'alert.resolved': { summary: 'an admin has resolved an alert, or its condition has ended', ...alert },
  'user.created': {
    summary: 'a user has signed in for the first time, or an admin has created the user',
    ...user,
  },
  'user.status-changed': { summary: 'an admin has changed the status of a user', ...user },
  'user.email-changed': {
    summary: 'an admin has changed the e-mail address of a user',
    data: FeedEmailChangedData,
    permission: 'users:read',
    recordedAs: ['email.changed'],
  },
  'security.new-device': { summary: 'a user has signed in with a new device or network', ...security },
  'security.new-identity': {
    summary: 'a user has signed in with another account of the identity provider',
    ...security,
  },
  'security.wallet-linked': { summary: 'a wallet is linked to an account', ...security },
  'security.wallet-unlinked': { summary: 'a wallet is unlinked from an account', ...security },
  'security.wallet-suspended': { summary: 'a wallet is suspended', ...security },
  'security.email-off': { summary: 'a user has switched e-mail off', ...security },
  'security.webhook-created': { summary: 'a user has created a webhook', ...security },
  'security.webhook-changed': { summary: 'a user has changed a webhook', ...security },
  'security.webhook-removed': { summary: 'a user has removed a webhook', ...security },
  'integrity.violation': {
    summary: 'an integrity check has found violations',
    data: IntegrityViolationData,
    permission: 'audit:read',
  },
  'yield.reported': { summary: 'the custody provider has reported a yield', ...yieldReport },
  'yield.decided': { summary: 'an admin has accepted or rejected a yield report', ...yieldReport },
  'transaction-request.assigned': {
    summary: 'a transaction request is assigned to an admin',
    data: FeedRequestAssignedData,
    permission: 'transactions:read',
  },
} satisfies Record<EventType, FeedEventDescription> & Record<string, FeedEventDescription>;

/** The type of the feed for the name of a domain event. */
export const TYPE_OF_RECORDED: ReadonlyMap<string, string> = new Map(
  Object.entries(FEED_EVENTS).flatMap(([type, { recordedAs = [type] }]) =>
    recordedAs.map((name) => [name, type] as const),
  ),
);

/** The classes that document the data of events. */
export const FEED_DATA_CLASSES = [...new Set(Object.values(FEED_EVENTS).map(({ data }) => data))];
