/** What a user's server can be told of. The names are those of the facts. */
export const EVENT_TYPES = [
  'deposit.seen',
  'deposit.completed',
  'deposit.held',
  'deposit.failed',
  'investment.created',
  'investment.approved',
  'investment.rejected',
  'investment.partially-closed',
  'investment.closed',
  'investment.cancelled',
  'withdrawal.requested',
  'withdrawal.taken',
  'withdrawal.completed',
  'withdrawal.rejected',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'withdrawal.released',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What the owner asks for, to see whether it arrives. */
export const TEST_EVENT = 'webhook.test';
