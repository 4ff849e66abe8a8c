import { fail } from '../../../common/errors/domain-error.js';
import { StateMachine } from '../../../common/state-machine.js';
import type { ChainCheck } from '../../blockchain/domain/chain-check.js';
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

/** One transition is not in the table, because it depends on the chain: `complete` from `failed` (`statusAfter`). */
export const WITHDRAWAL_STATES = new StateMachine<WithdrawalStatus, WithdrawalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'take', from: ['pending', 'approved'], to: 'processing' },
  { verb: 'execute', from: ['approved'], to: 'processing' },
  { verb: 'complete', from: ['processing'], to: 'completed' },
  { verb: 'reject', from: ['pending', 'approved', 'processing'], to: 'rejected' },
  { verb: 'cancel', from: ['pending'], to: 'rejected' },
  { verb: 'fail', from: ['processing'], to: 'failed' },
  { verb: 'release', from: ['failed'], to: 'failed' }, // once: sets `releasedAt`, which `requireUnreleased` checks
]);

/** Transitions towards a payment, which require screening verdicts on the user and on the address. */
export const SCREENED_VERBS: ReadonlySet<WithdrawalVerb> = new Set(['approve', 'take', 'execute']);

/** Throws INVALID_STATE with `details.userStatus` unless the user of a withdrawal is active. */
export function requireActiveUser(
  status: WithdrawalStatus,
  userStatus: string | undefined,
  verb: WithdrawalVerb,
): void {
  if (userStatus === 'active') return;
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom(verb);
  const message = `The user is ${userStatus}. Make the user active again first, or reject the withdrawal.`;
  fail('INVALID_STATE', { status, action: verb, allowedFrom, userStatus }, { message });
}

interface StateFields {
  readonly status: WithdrawalStatus;
  readonly releasedAt: Date | null;
}

/** True for a withdrawal that must not be paid any more: a failed, rejected or cancelled one. */
export function isUnpayable({ status }: Pick<StateFields, 'status'>): boolean {
  return status === 'failed' || status === 'rejected';
}

/** True for a failed withdrawal whose amount is not released: it can still be completed. */
export function isFailedAndReserved({ status, releasedAt }: StateFields): boolean {
  return status === 'failed' && releasedAt === null;
}

/**
 * The status that a verb leads to. Throws INVALID_STATE. A failed withdrawal may be completed until its release,
 * because its payment may have happened nevertheless; the chain has to show it (`requireShownOnChain`).
 */
export function statusAfter(withdrawal: StateFields, verb: WithdrawalVerb): WithdrawalStatus {
  if (verb !== 'complete' || withdrawal.status !== 'failed')
    return WITHDRAWAL_STATES.next(withdrawal.status, verb);
  requireUnreleased(withdrawal, verb);
  return 'completed';
}

/** Throws INVALID_STATE if the amount of a failed withdrawal is available to the user again. */
export function requireUnreleased({ status, releasedAt }: StateFields, verb: WithdrawalVerb): void {
  if (releasedAt === null) return;
  const message = 'The reserved amount of this withdrawal has already been released.';
  fail('INVALID_STATE', { status, action: verb, allowedFrom: [] }, { message });
}

/** Throws INVALID_STATE for a failed withdrawal whose payment the chain does not show. */
export function requireShownOnChain(
  { status }: Pick<StateFields, 'status'>,
  chainCheck: ChainCheck | null | undefined,
): void {
  if (status !== 'failed' || chainCheck === 'matched') return;
  const message = 'This withdrawal has failed, and the chain does not show that this transaction paid it.';
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom('complete');
  fail('INVALID_STATE', { status, action: 'complete', allowedFrom }, { message });
}

type WithdrawalPosting = (withdrawal: Parameters<typeof withdrawalCompleted>[0]) => Posting;

interface TransitionEffect {
  readonly event: WithdrawalEvent['name'];
  readonly posting?: WithdrawalPosting;
  /** The transition is refused while withdrawals are paused. */
  readonly stopsWhenPaused?: true;
  /** The transition is refused while the withdrawal's user is suspended or inactive. */
  readonly needsActiveUser?: true;
}

/**
 * The event, the posting and the conditions of each transition. A failure leaves the amount reserved, because the payment may
 * still happen (DEC-30). A pause stops transitions towards a payment only; the others record past events or return money.
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
