import { throwError } from '../../../../common/errors/domain-error.js';
import { StateMachine } from '../../../../common/state-machine.js';
import type { ChainCheck } from '../../../providers/chain/domain/chain-check.js';
import type { Posting } from '../../../core/ledger/domain/chart-of-accounts.js';
import { withdrawalCompleted, withdrawalReleased } from '../../../core/ledger/domain/postings.js';
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

/**
 * Actions that are recorded in the lifecycle: the request, the begin and end of the wait for the limit of the platform (`hold`,
 * `unhold`), then the verbs.
 */
export const WITHDRAWAL_ACTIONS = [
  'request',
  'hold',
  'unhold',
  'approve',
  'take',
  'execute',
  'complete',
  'reject',
  'cancel',
  'fail',
  'return',
  'release',
] as const;
export type WithdrawalAction = (typeof WITHDRAWAL_ACTIONS)[number];
export type WithdrawalVerb = Exclude<WithdrawalAction, 'request' | 'hold' | 'unhold'>;

/** One transition is not in the table, because it depends on the chain: `complete` from `failed` (`statusAfter`). */
export const WITHDRAWAL_STATES = new StateMachine<WithdrawalStatus, WithdrawalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'take', from: ['pending', 'approved'], to: 'processing' },
  { verb: 'execute', from: ['approved'], to: 'processing' },
  { verb: 'complete', from: ['processing'], to: 'completed' },
  { verb: 'reject', from: ['pending', 'approved', 'processing'], to: 'rejected' },
  { verb: 'cancel', from: ['pending'], to: 'rejected' },
  { verb: 'fail', from: ['processing'], to: 'failed' },
  { verb: 'return', from: ['processing'], to: 'pending' },
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
  throwError('INVALID_STATE', { status, action: verb, allowedFrom, userStatus }, { message });
}

interface StateFields {
  readonly status: WithdrawalStatus;
  readonly releasedAt: Date | null;
}

interface PlatformHold {
  readonly status: WithdrawalStatus;
  readonly platformHeldAt: Date | null;
  readonly platformReleasedAt: Date | null;
}

/** True for a pending withdrawal that waits because of PLATFORM_WITHDRAWAL_PER_DAY. */
export function isHeldByPlatformLimit({ status, platformHeldAt, platformReleasedAt }: PlatformHold): boolean {
  return status === 'pending' && platformHeldAt !== null && platformReleasedAt === null;
}

/** Throws INVALID_STATE with `details.heldBy` for a withdrawal that waits because of the limit of the platform. */
export function requireNoPlatformHold(withdrawal: PlatformHold, verb: WithdrawalVerb): void {
  if (!isHeldByPlatformLimit(withdrawal)) return;
  const message =
    'The withdrawals of all users have reached PLATFORM_WITHDRAWAL_PER_DAY. The withdrawal waits until there is room, or until two admins release it.';
  const { status } = withdrawal;
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom(verb);
  throwError('INVALID_STATE', { status, action: verb, allowedFrom, heldBy: 'platform-limit' }, { message });
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
  throwError('INVALID_STATE', { status, action: verb, allowedFrom: [] }, { message });
}

/** Throws INVALID_STATE for a failed withdrawal whose payment the chain does not show. */
export function requireShownOnChain(
  { status }: Pick<StateFields, 'status'>,
  chainCheck: ChainCheck | null | undefined,
): void {
  if (status !== 'failed' || chainCheck === 'matched') return;
  const message = 'This withdrawal has failed, and the chain does not show that this transaction paid it.';
  const allowedFrom = WITHDRAWAL_STATES.allowedFrom('complete');
  throwError('INVALID_STATE', { status, action: 'complete', allowedFrom }, { message });
}

/** What must not change between a search of the chain and the decision that follows from it. */
export interface SearchedState {
  readonly status: WithdrawalStatus;
  readonly executedAt: Date | null;
}

/** Throws INVALID_STATE if the withdrawal has changed since the chain was searched for its payment. */
export function requireUnchanged(
  { status, executedAt }: SearchedState,
  searched: SearchedState | null,
  action: WithdrawalVerb,
): void {
  if (searched === null) return;
  if (status === searched.status && executedAt?.getTime() === searched.executedAt?.getTime()) return;
  const message =
    'The withdrawal has changed while the chain was searched for its payment. Look at it again.';
  throwError('INVALID_STATE', { status, action, allowedFrom: [searched.status] }, { message });
}

/** Whether its user can cancel it. Of the pending withdrawals only returned ones have a note, the reason of the return (DEC-140). */
export const isCancellable = ({ status, note }: { status: WithdrawalStatus; note: string | null }): boolean =>
  status === 'pending' && note === null;

/** Throws INVALID_STATE for a user's cancellation of a withdrawal that an operator had taken: it may have been paid since. */
export function requireNeverReturned({ status }: Pick<StateFields, 'status'>, wasReturned: boolean): void {
  if (!wasReturned) return;
  const message =
    'An operator had begun to pay this withdrawal, so it can no longer be cancelled. Support can reject it.';
  throwError('INVALID_STATE', { status, action: 'cancel', allowedFrom: [] }, { message });
}

type WithdrawalPosting = (withdrawal: Parameters<typeof withdrawalCompleted>[0]) => Posting;

/** Columns of the withdrawal that record its transitions. */
interface TransitionRecord {
  readonly approvedAt: null;
  readonly approvedBy: null;
  readonly executedAt: Date | null;
  readonly takenBy: string | null;
  readonly completedBy: string;
  readonly returnedAt: Date;
}

interface TransitionEffect {
  readonly event: WithdrawalEvent['name'];
  readonly posting?: WithdrawalPosting;
  /** Columns that record who carried out the transition, and when, or that it is undone. */
  readonly record?: (by: string, at: Date) => Partial<TransitionRecord>;
  /** The transition is refused while withdrawals are paused. */
  readonly stopsWhenPaused?: true;
  /** The transition is refused while the withdrawal's user is suspended or inactive. */
  readonly needsActiveUser?: true;
}

const recordTaking = (takenBy: string, executedAt: Date) => ({ takenBy, executedAt });
/** A returned withdrawal begins anew: its approval, if it had one, does not count for the next taking. */
const undoTaking = () => ({ approvedAt: null, approvedBy: null, executedAt: null, takenBy: null });
/** When the amount goes back to the user. The verb `return` is something else: the withdrawal goes back to the pending ones. */
const recordAmountReturned = (_: string, returnedAt: Date) => ({ returnedAt });

/**
 * The event, the posting, the record and the conditions of each transition. A failure leaves the amount reserved, because the payment may
 * still happen (DEC-30). A pause stops transitions towards a payment only; the others record past events or return money.
 */
export const TRANSITION_EFFECTS: Record<WithdrawalVerb, TransitionEffect> = {
  approve: { event: 'withdrawal.approved', stopsWhenPaused: true, needsActiveUser: true },
  take: { event: 'withdrawal.taken', record: recordTaking, stopsWhenPaused: true, needsActiveUser: true },
  execute: { event: 'withdrawal.taken', record: recordTaking, stopsWhenPaused: true, needsActiveUser: true },
  complete: {
    event: 'withdrawal.completed',
    posting: withdrawalCompleted,
    record: (completedBy) => ({ completedBy }),
  },
  reject: { event: 'withdrawal.rejected', posting: withdrawalReleased, record: recordAmountReturned },
  cancel: { event: 'withdrawal.cancelled', posting: withdrawalReleased, record: recordAmountReturned },
  fail: { event: 'withdrawal.failed' },
  return: { event: 'withdrawal.returned', record: undoTaking },
  release: { event: 'withdrawal.released', posting: withdrawalReleased, record: recordAmountReturned },
};
