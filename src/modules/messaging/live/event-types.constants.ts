import { topicOf } from '../../../events/event-topics.js';
import type { Permission } from '../../../http/auth/permissions.js';
import { AlertEventData } from '../../core/alerts/dto/alert.response.js';
import { NotificationResponse } from '../../portfolio/notifications/dto/notification.response.js';
import {
  DepositEventData,
  InvestmentEventData,
  WithdrawalEventData,
} from '../webhooks/dto/webhook.response.js';
import { MONEY_EVENT_TYPES, type MoneyEventType } from '../webhooks/webhooks.types.js';
import {
  AdminDepositEventData,
  AdminInvestmentEventData,
  AdminWithdrawalEventData,
  ApprovalEventData,
  BalanceChangedData,
  IntegrityViolationData,
  RequestAssignedData,
} from './dto/live.response.js';

// The types of events. The service reads the types and permissions from these tables, also for the feed of events; docs/asyncapi.json
// and the types of the client are generated from them.

export type UserEventType = MoneyEventType | 'notification.created' | 'balance.changed';

export interface EventDescription {
  readonly summary: string;
  /** The class whose fields document the data of the event. */
  readonly data: new () => object;
  /** The domain events that have this type; by default the one of the same name. */
  readonly recordedAs?: readonly string[];
}

export interface AdminEventDescription extends EventDescription {
  /** The permission that an admin needs to receive the event; null if the domain event names it in its field `permission`. */
  readonly permission: Permission | null;
  /** The path, in the domain event, of the e-mail address of the only admin who receives it. */
  readonly recipient?: readonly string[];
}

/** Events for users. The types are names of domain events. */
export const USER_EVENTS = {
  'deposit.seen': { summary: 'the chain or the provider shows a deposit', data: DepositEventData },
  'deposit.completed': { summary: 'a deposit is credited', data: DepositEventData },
  'deposit.held': {
    summary: 'a deposit is confirmed and not credited',
    data: DepositEventData,
    recordedAs: ['deposit.held', 'deposit.covered'],
  },
  'deposit.failed': { summary: 'a deposit has failed', data: DepositEventData },
  'investment.created': {
    summary: 'an investment is created, by a move if it has movedFrom',
    data: InvestmentEventData,
  },
  'investment.approved': { summary: 'an admin has approved an investment', data: InvestmentEventData },
  'investment.rejected': { summary: 'an admin has rejected an investment', data: InvestmentEventData },
  'investment.partially-closed': { summary: 'a part of an investment is closed', data: InvestmentEventData },
  'investment.closed': {
    summary: 'an investment is closed, by a move if it has movedTo: then it pays nothing',
    data: InvestmentEventData,
  },
  'investment.moved': {
    summary:
      'an investment is moved to another strategy; investment.closed and investment.created report it, too',
    data: InvestmentEventData,
  },
  'investment.cancelled': { summary: 'an investment is cancelled', data: InvestmentEventData },
  'withdrawal.requested': { summary: 'a withdrawal is requested', data: WithdrawalEventData },
  'withdrawal.taken': { summary: 'an operator has taken a withdrawal', data: WithdrawalEventData },
  'withdrawal.completed': { summary: 'a withdrawal is paid', data: WithdrawalEventData },
  'withdrawal.rejected': { summary: 'an operator has rejected a withdrawal', data: WithdrawalEventData },
  'withdrawal.cancelled': { summary: 'the user has cancelled a withdrawal', data: WithdrawalEventData },
  'withdrawal.failed': { summary: 'the payment of a withdrawal has failed', data: WithdrawalEventData },
  'withdrawal.released': {
    summary: 'the amount of a failed withdrawal is available again',
    data: WithdrawalEventData,
  },
  'notification.created': { summary: 'a notification, as the list shows it', data: NotificationResponse },
  'balance.changed': {
    summary: 'the balance after a transaction that changed it; daily growth is not reported',
    data: BalanceChangedData,
  },
} as const satisfies Record<UserEventType, EventDescription>;

const MONEY_TOPICS = {
  deposit: { data: AdminDepositEventData, permission: 'transactions:read' },
  investment: { data: AdminInvestmentEventData, permission: 'investments:read' },
  withdrawal: { data: AdminWithdrawalEventData, permission: 'withdrawals:read' },
} as const;

/** For admins the events about a user's money also contain the user's id. */
const moneyEventsForAdmins = Object.fromEntries(
  MONEY_EVENT_TYPES.map((type) => {
    const topic = topicOf(type) as keyof typeof MONEY_TOPICS;
    return [type, { ...USER_EVENTS[type], ...MONEY_TOPICS[topic] }];
  }),
) as Record<MoneyEventType, AdminEventDescription>;

/** Events for admins. */
export const ADMIN_EVENTS = {
  ...moneyEventsForAdmins,
  'investment.pending': {
    summary: 'an investment waits for approval; it replaces investment.created',
    data: AdminInvestmentEventData,
    permission: 'investments:read',
    recordedAs: ['investment.created'],
  },
  'withdrawal.returned': {
    summary: 'an admin has put a taken withdrawal back to the pending ones',
    ...MONEY_TOPICS.withdrawal,
  },
  'integrity.violation': {
    summary: 'an integrity check has found violations',
    data: IntegrityViolationData,
    permission: 'audit:read',
  },
  'approval.requested': {
    summary: 'a change waits for a second admin; sent to the admins with the permission of its kind',
    data: ApprovalEventData,
    permission: null,
  },
  'approval.decided': {
    summary: 'a change that this admin has requested is decided',
    data: ApprovalEventData,
    permission: null,
    recipient: ['approval', 'requestedBy'],
  },
  'alert.raised': {
    summary: 'an operator has to act on a condition or an event',
    data: AlertEventData,
    permission: 'withdrawals:read',
  },
  'alert.resolved': {
    summary: 'an admin has resolved an alert, or its condition has ended',
    data: AlertEventData,
    permission: 'withdrawals:read',
  },
  'transaction-request.assigned': {
    summary: 'a transaction request is assigned to this admin',
    data: RequestAssignedData,
    permission: 'transactions:read',
    recipient: ['assignedTo'],
  },
} as const satisfies Record<string, AdminEventDescription>;

export type AdminEventType = keyof typeof ADMIN_EVENTS;
