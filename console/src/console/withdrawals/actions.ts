import type { WaitingApproval } from '../../api/approvals.ts';
import type { QueuedWithdrawal, Withdrawal, WithdrawalDetail } from '../../api/withdrawals.ts';
import { BLOCKED } from './texts.ts';

/** `release` lets a withdrawal pass the platform's daily limit; it has nothing to do with `releasedAt`. */
export type ActionName =
  'take' | 'approve' | 'execute' | 'complete' | 'reject' | 'fail' | 'return' | 'release' | 'accept';

export interface Action {
  readonly name: ActionName;
  /** Why it is not possible now; undefined if it is. */
  readonly blocked: string | undefined;
}

type AnyWithdrawal = Withdrawal | QueuedWithdrawal | WithdrawalDetail;

interface ActionContext {
  mayApprove: boolean;
  /** The admin may return the withdrawal although a colleague has taken it. */
  mayReturn: boolean;
  approval: WaitingApproval;
}

/**
 * The actions on a withdrawal in the order of their use, the first possible one being the next step. The service decides: a reason
 * here only saves an attempt. None is offered before it is known what waits for a second admin.
 */
export function actionsOf(
  withdrawal: AnyWithdrawal,
  { mayApprove, mayReturn, approval }: ActionContext,
): Action[] {
  if (approval === 'unknown') return [];
  const { status } = withdrawal;
  const needsApproval = approval?.kind === 'withdrawal';
  const waiting = approval && !needsApproval ? BLOCKED.waiting(approval.requestedBy) : undefined;
  const payment = waiting ?? paymentBlocked(withdrawal);
  const action = (name: ActionName, blocked?: string): Action => ({
    name,
    blocked: mayApprove ? blocked : BLOCKED.permission,
  });
  const reject = action('reject', waiting);
  if (status === 'pending') {
    return [
      action('take', payment ?? (needsApproval ? BLOCKED.needsApproval : undefined)),
      action('approve', payment),
      ...(withdrawal.heldByPlatformLimit ? [action('release', waiting)] : []),
      ...(screeningOf(withdrawal) === 'review' ? [action('accept', waiting)] : []),
      reject,
    ];
  }
  if (status === 'approved') return [action('execute', payment), reject];
  if (status === 'processing') {
    const notMine = mayReturn ? undefined : BLOCKED.notMine;
    return [
      action('complete', waiting),
      action('return', waiting ?? notMine),
      action('fail', waiting),
      reject,
    ];
  }
  // A failed withdrawal can be completed until its amount is released, if the chain shows that it was paid after all.
  return status === 'failed' && withdrawal.releasedAt === null ? [action('complete', waiting)] : [];
}

/** `clear`, `review`, `blocked`, `pending` or `not_checked`; undefined where the list does not say. */
export const screeningOf = (withdrawal: AnyWithdrawal): string | undefined =>
  'complianceChecks' in withdrawal ? withdrawal.complianceChecks.amlChecks : undefined;

function paymentBlocked(withdrawal: AnyWithdrawal): string | undefined {
  if (withdrawal.heldByPlatformLimit) return BLOCKED.held;
  if (withdrawal.userStatus !== 'active') return BLOCKED.inactive;
  if ('locked' in withdrawal && withdrawal.locked) return BLOCKED.locked;
  const screening = screeningOf(withdrawal);
  return screening === 'review' || screening === 'blocked' ? BLOCKED.screening : undefined;
}
