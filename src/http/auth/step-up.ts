import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Tx } from '../../database/tx.js';
import type { Principal } from './principal.js';

export const STEP_UP_HEADER = 'X-Step-Up';

const FACTOR_ACTIONS = ['factor.add', 'factor.remove', 'recovery-codes.new'] as const;

/** The actions for which a user who has a second factor proves to be present. The module `second-factor` lists their details. */
export const USER_STEP_UP_ACTIONS = [
  'withdrawal.request',
  'address.add',
  'address.remove',
  'api-key.create',
  'wallet.connect',
  'wallet.unlink',
  ...FACTOR_ACTIONS,
  'email-notifications.off',
  'webhook.create',
  'webhook.change',
  'account.unlock',
] as const;

/** The same for admins. */
export const ADMIN_STEP_UP_ACTIONS = [
  'withdrawal.complete',
  'withdrawal.bulk-complete',
  'withdrawal.approve',
  'withdrawal.reject',
  'withdrawal.release',
  'approval.approve',
  'screening.accept',
  'yield-report.accept',
  'integrity.resume',
  'log.continue',
  'factor.reset',
  'admin.password-set',
  'user.email-change',
  'user.factor-reset',
  'user.hold-end',
  'user.tier-change',
  'user.unlock',
  ...FACTOR_ACTIONS,
] as const;

/** The actions that a security hold refuses, because they can lead money out of the account. */
export const HELD_ACTIONS: readonly StepUpAction[] = [
  'withdrawal.request',
  'address.add',
  'api-key.create',
  'wallet.connect',
];

type UserStepUpAction = (typeof USER_STEP_UP_ACTIONS)[number];
export type StepUpAction = UserStepUpAction | (typeof ADMIN_STEP_UP_ACTIONS)[number];
export const STEP_UP_ACTIONS: readonly StepUpAction[] = [
  ...new Set<StepUpAction>([...USER_STEP_UP_ACTIONS, ...ADMIN_STEP_UP_ACTIONS]),
];

/** The token of a step-up that the request carries; undefined without one. */
export const StepUpToken = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const value = context.switchToHttp().getRequest<Request>().headers[STEP_UP_HEADER.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
});

/**
 * Checks an action in its transaction, in this order: the account is not locked (ACCOUNT_LOCKED); the token of a step-up for these
 * details, which the check uses up (STEP_UP_REQUIRED, STEP_UP_INVALID); for `HELD_ACTIONS` also that the user is active (FORBIDDEN)
 * and has no hold (SECURITY_HOLD). Fields of `details` that are no details of the action are ignored.
 */
export type StepUpCheck = (tx: Tx, details: Readonly<Record<string, unknown>>) => Promise<void>;

/** Implemented by the module `second-factor`. */
export abstract class StepUps {
  /**
   * The check of the action that the caller requests with this token. It needs no step-up from an account without a second factor, unless
   * STEP_UP (for admins ADMIN_SECOND_FACTOR) is `required`, and none from API keys, which cannot step up: they pay only addresses of the
   * address book. `account.unlock` always needs one. Throws FORBIDDEN for a session without a `familyId`.
   */
  abstract checkOf(principal: Principal, token: string | undefined, action: StepUpAction): StepUpCheck;

  /** For an action without a session, which cannot step up. Throws STEP_UP_REQUIRED if the user has a second factor. */
  abstract requireNoFactors(tx: Tx, userId: string, action: StepUpAction): Promise<void>;
}
