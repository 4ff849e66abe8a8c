import { fail } from '../../../common/errors/domain-error.js';
import { StateMachine } from '../../../common/state-machine.js';
import type { Posting } from '../../ledger/domain/posting.js';
import { withdrawalCompleted, withdrawalReleased } from '../../ledger/domain/postings.js';
import type { WithdrawalEvent } from '../withdrawal.events.js';

export const WITHDRAWAL_STATUSES = [
  'pending',
  'approved',
  'processing',
  'completed',
  'rejected',
  'failed',
] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** Actions that are recorded in the lifecycle: the request, then the verbs. */
export const WITHDRAWAL_ACTIONS = [
  'request',
  'approve',
  'take',
  'execute',
  'complete',
  'reject',
  'cancel',
  'fail',
  'release',
] as const;
export type WithdrawalAction = (typeof WITHDRAWAL_ACTIONS)[number];
export type WithdrawalVerb = Exclude<WithdrawalAction, 'request'>;

/** One transition is not in the table, because it depends on the chain: `complete` from `failed` (`late-payments.ts`). */
export const WITHDRAWAL_STATES = new StateMachine<WithdrawalStatus, WithdrawalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'take', from: ['pending', 'approved'], to: 'processing' },
  { verb: 'execute', from: ['approved'], to: 'processing' },
  { verb: 'complete', from: ['processing'], to: 'completed' },
  { verb: 'reject', from: ['pending', 'approved', 'processing'], to: 'rejected' },
  { verb: 'cancel', from: ['pending'], to: 'rejected' },
  { verb: 'fail', from: ['processing'], to: 'failed' },
  { verb: 'release', from: ['failed'], to: 'failed' }, // allowed once: `releasedAt` is set
]);

/** Transitions towards a payment, which require screening verdicts on the user and on the address. */
export const SCREENED_VERBS: ReadonlySet<WithdrawalVerb> = new Set(['approve', 'take', 'execute']);

/** Throws INVALID_STATE with `details.userStatus` unless the user of a withdrawal is active. */
export function requireActiveUser(
  status: WithdrawalStatus,
  userStatus: string | undefined,
  action: WithdrawalVerb,
): void {
  if (userStatus === 'active') return;
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom(action);
  const message = `The user is ${userStatus}. Make the user active again first, or reject the withdrawal.`;
  fail('INVALID_STATE', { status, action, allowedFrom, userStatus }, { message });
}

type WithdrawalPosting = (withdrawal: Parameters<typeof withdrawalCompleted>[0]) => Posting;

interface TransitionEffect {
  readonly event: WithdrawalEvent['name'];
  readonly posting?: WithdrawalPosting;
  readonly stopsWhenPaused?: true;
  /** Refused while the withdrawal's user is suspended or inactive. */
  readonly needsActiveUser?: true;
}

/**
 * The event and the posting of each transition. A failure leaves the amount reserved. A pause stops transitions towards a
 * payment only; events that have happened outside are always recorded.
 */
export const TRANSITION_EFFECTS: Record<WithdrawalVerb, TransitionEffect> = {
  approve: { event: 'withdrawal.approved', stopsWhenPaused: true, needsActiveUser: true },
  take: { event: 'withdrawal.taken', stopsWhenPaused: true, needsActiveUser: true },
  execute: { event: 'withdrawal.taken', stopsWhenPaused: true, needsActiveUser: true },
  complete: { event: 'withdrawal.completed', posting: withdrawalCompleted },
  reject: { event: 'withdrawal.rejected', posting: withdrawalReleased },
  cancel: { event: 'withdrawal.cancelled', posting: withdrawalReleased },
  fail: { event: 'withdrawal.failed' },
  release: { event: 'withdrawal.released', posting: withdrawalReleased },
};
