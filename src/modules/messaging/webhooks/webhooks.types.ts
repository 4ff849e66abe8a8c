/** Types of events about a user's money. Each is the name of a domain event; some domain events have no type here. */
export const MONEY_EVENT_TYPES = [
  'deposit.seen',
  'deposit.completed',
  'deposit.held',
  'deposit.failed',
  'investment.created',
  'investment.approved',
  'investment.rejected',
  'investment.partially-closed',
  'investment.closed',
  'investment.moved',
  'investment.cancelled',
  'withdrawal.requested',
  'withdrawal.taken',
  'withdrawal.completed',
  'withdrawal.rejected',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'withdrawal.released',
] as const;
export type MoneyEventType = (typeof MONEY_EVENT_TYPES)[number];

/** Types of events that a webhook can list. `log.checkpoint` is about no user: it is sent to every webhook that lists it. */
export const EVENT_TYPES = [...MONEY_EVENT_TYPES, 'log.checkpoint'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The type of the event that the owner of a webhook sends to it as a test. No subscription can list it. */
export const TEST_EVENT = 'webhook.test';

export const SUBSCRIPTION_STATUSES = ['active', 'disabled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/**
 * `user`: disabled by its owner; `gone`: the receiver answered 410; `failing`: three days without a success; `email-changed`: an
 * admin has changed the user's e-mail address; `backlog`: more than 1,000 deliveries to the user's webhooks waited.
 */
export const DISABLED_REASONS = ['user', 'gone', 'failing', 'email-changed', 'backlog'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt failed. `status`: the response was not 2xx; `unsent`: an error in this service. */
export const FAILURES = ['status', 'timeout', 'connection', 'address-refused', 'unsent'] as const;
export type Failure = (typeof FAILURES)[number];

/** A receiver that answers with this status gets no more events. */
export const GONE = 410;

/** The result of one attempt. The response's body is not stored. */
export interface Attempt {
  /** Null without a response. */
  readonly responseStatus: number | null;
  /** Null if the receiver accepted the delivery. */
  readonly failure: Failure | null;
  readonly durationMs: number;
}
