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

/** What leaves a step in the lifecycle: asking for it, then the verbs. */
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

/**
 * Which verb leads where. A user can cancel until an admin has acted. One way more
 * depends on the chain: `complete` of a failed one (`late-payments.ts`).
 */
export const WITHDRAWAL_STATES = new StateMachine<WithdrawalStatus, WithdrawalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'take', from: ['pending', 'approved'], to: 'processing' },
  { verb: 'execute', from: ['approved'], to: 'processing' },
  { verb: 'complete', from: ['processing'], to: 'completed' },
  { verb: 'reject', from: ['pending', 'approved', 'processing'], to: 'rejected' },
  { verb: 'cancel', from: ['pending'], to: 'rejected' },
  { verb: 'fail', from: ['processing'], to: 'failed' },
  { verb: 'release', from: ['failed'], to: 'failed' }, // once: `releasedAt` says when
]);

/** What brings money closer to leaving needs a verdict on the user and on the address. */
export const TRANSITION_IS_SCREENED: ReadonlySet<WithdrawalVerb> = new Set(['approve', 'take', 'execute']);

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

type WithdrawalPosting = (fact: Parameters<typeof withdrawalCompleted>[0]) => Posting;

interface Consequence {
  readonly fact: WithdrawalEvent['name'];
  readonly posting?: WithdrawalPosting;
  readonly stopsWhenPaused?: true;
  /** Refused while the user who asked for the withdrawal is suspended or inactive. */
  readonly needsActiveUser?: true;
}

/**
 * What a verb tells the other modules, and what it does to the reserved money. A failure leaves it reserved.
 * A pause stops what brings money closer to leaving; what has happened already is recorded all the same.
 */
export const TRANSITION_EFFECTS: Record<WithdrawalVerb, Consequence> = {
  approve: { fact: 'withdrawal.approved', stopsWhenPaused: true, needsActiveUser: true },
  take: { fact: 'withdrawal.taken', stopsWhenPaused: true, needsActiveUser: true },
  execute: { fact: 'withdrawal.taken', stopsWhenPaused: true, needsActiveUser: true },
  complete: { fact: 'withdrawal.completed', posting: withdrawalCompleted },
  reject: { fact: 'withdrawal.rejected', posting: withdrawalReleased },
  cancel: { fact: 'withdrawal.cancelled', posting: withdrawalReleased },
  fail: { fact: 'withdrawal.failed' },
  release: { fact: 'withdrawal.released', posting: withdrawalReleased },
};
