import { ADMIN_EVENTS, USER_EVENTS, type AdminEventDescription } from '../live/event-types.constants.js';
import { LogCheckpointData } from '../webhooks/dto/webhook.response.js';
import { MONEY_EVENT_TYPES, type EventType, type MoneyEventType } from '../webhooks/webhooks.types.js';
import {
  FeedApprovalData,
  FeedEmailChangedData,
  FeedRequestAssignedData,
  FeedSecurityData,
  FeedUserData,
  FeedWithdrawalLimitData,
  FeedYieldData,
} from './dto/feed-data.response.js';

// The types of events of the feed and of the event webhook. docs/events.md is generated from this table. The permission is that of the
// routes of the record; null if none is needed or if it depends on the kind of approval.

/** The feed gives a money event the data that users receive. */
const moneyEvents = Object.fromEntries(
  MONEY_EVENT_TYPES.map((type) => [type, { ...ADMIN_EVENTS[type], data: USER_EVENTS[type].data }]),
) as Record<MoneyEventType, AdminEventDescription>;

const approval = { data: FeedApprovalData, permission: null };
const withdrawalLimit = {
  data: FeedWithdrawalLimitData,
  permission: ADMIN_EVENTS['withdrawal.requested'].permission,
};
const user = { data: FeedUserData, permission: 'users:read' } as const;
const security = { data: FeedSecurityData, permission: 'users:read' } as const;
const yieldReport = { data: FeedYieldData, permission: '*' } as const;

export const FEED_EVENTS: Readonly<Record<string, AdminEventDescription>> = {
  ...moneyEvents,
  'investment.created': {
    ...moneyEvents['investment.created'],
    summary:
      'an investment is created, by a move if it has movedFrom; it may wait for approval, as its record shows',
  },
  'withdrawal.returned': {
    ...ADMIN_EVENTS['withdrawal.returned'],
    data: USER_EVENTS['withdrawal.requested'].data,
  },
  'withdrawal-limit.held': {
    summary: 'a withdrawal waits because of the limit of the platform',
    ...withdrawalLimit,
  },
  'withdrawal-limit.released': { summary: 'a withdrawal that has waited goes on', ...withdrawalLimit },
  'log.checkpoint': {
    summary: 'the liabilities of a day are in the transparency log; the signed checkpoint',
    data: LogCheckpointData,
    permission: null,
  },
  'approval.requested': { summary: 'a change waits for a second admin', ...approval },
  'approval.decided': { summary: 'a change is approved, rejected, withdrawn or expired', ...approval },
  'alert.raised': ADMIN_EVENTS['alert.raised'],
  'alert.resolved': ADMIN_EVENTS['alert.resolved'],
  'user.created': {
    summary:
      'a user has signed in for the first time, or for the first time as a user after having been an admin, or an admin has created the user',
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
  'security.account-locked': {
    summary: 'an account is locked: its user or an admin suspects a thief',
    ...security,
  },
  'security.account-unlocked': { summary: 'an account is unlocked', ...security },
  'security.tier-changed': {
    summary: 'an admin has changed the tier of a user, which sets the limits',
    ...security,
  },
  'security.webhook-created': { summary: 'a user has created a webhook', ...security },
  'security.webhook-changed': { summary: 'a user has changed a webhook', ...security },
  'security.webhook-removed': { summary: 'a user has removed a webhook', ...security },
  'integrity.violation': ADMIN_EVENTS['integrity.violation'],
  'yield.reported': { summary: 'the custody provider has reported a yield', ...yieldReport },
  'yield.decided': { summary: 'an admin has accepted or rejected a yield report', ...yieldReport },
  'transaction-request.assigned': {
    summary: 'a transaction request is assigned to an admin',
    data: FeedRequestAssignedData,
    permission: 'transactions:read',
  },
} satisfies Record<EventType, AdminEventDescription> & Record<string, AdminEventDescription>;

/** The type of the feed for the name of a domain event. */
export const TYPE_OF_RECORDED: ReadonlyMap<string, string> = new Map(
  Object.entries(FEED_EVENTS).flatMap(([type, { recordedAs = [type] }]) =>
    recordedAs.map((name) => [name, type] as const),
  ),
);

/** The classes that document the data of events. */
export const FEED_DATA_CLASSES = [...new Set(Object.values(FEED_EVENTS).map(({ data }) => data))];
