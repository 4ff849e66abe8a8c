import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { all } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import { requireUnlocked } from '../../identity/users/domain/account-restrictions.js';
import {
  requireActiveUser,
  requireNoPlatformHold,
  statusAfter,
  TRANSITION_EFFECTS,
  type WithdrawalVerb,
} from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { WithdrawalEvent } from './withdrawal.events.js';
import { requireUnpaused, WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type { Actor, NewWithdrawal, TransitionChanges } from './withdrawals.types.js';

/**
 * Decides, under the withdrawal's lock, which columns a transition writes; throws to refuse the transition. `details` is what
 * `readDetails` of the caller has returned.
 */
export type DecideChanges<Details = void> = (
  withdrawal: Withdrawal,
  at: Date,
  details: Details,
) => TransitionChanges;

/** The events of the transitions whose note is a reason. */
const HAS_REASON: ReadonlySet<WithdrawalEvent['name']> = new Set([
  'withdrawal.rejected',
  'withdrawal.failed',
  'withdrawal.returned',
]);
const LOCKED_OWNER =
  'The account of the user is locked, so a thief may have requested this. Ask the user; then unlock the account, or reject the withdrawal.';

/** Carries out every transition of a withdrawal. After the request, nothing else writes the status. */
@Injectable()
export class WithdrawalTransitionsService {
  constructor(
    private readonly clock: Clock,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly pauses: WithdrawalPausesService,
    private readonly screening: WithdrawalScreeningService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
  ) {}

  /**
   * Locks the withdrawal, for which concurrent transitions wait, checks the transition, posts, writes and emits. Calls
   * `readDetails` after it has sent the locks. Returns the changed withdrawal and the details. Throws WITHDRAWAL_NOT_FOUND,
   * PERMISSION_DENIED for another user's withdrawal, INVALID_STATE, ACCOUNT_LOCKED, WITHDRAWALS_PAUSED, and the errors of
   * `decideChanges` and `requireCleared`.
   */
  async applyTransition<Details = void>(
    tx: Tx,
    id: string,
    { verb, by }: { verb: WithdrawalVerb; by: Actor },
    decideChanges: DecideChanges<Details>,
    readDetails?: () => Promise<Details>,
  ): Promise<[Withdrawal, Details]> {
    const { event, posting, record, stopsWhenPaused, needsActiveUser } = TRANSITION_EFFECTS[verb];
    const [withdrawal, owner, isPaused, details] = await all(
      this.withdrawals.lockWithdrawal(tx, id),
      needsActiveUser ? this.withdrawals.lockOwnerState(tx, id) : undefined,
      this.pauses.isPaused(tx),
      readDetails?.() as Promise<Details>,
    );
    if (by.type === 'user' && withdrawal.userId !== by.id) throwError('PERMISSION_DENIED');
    const at = this.clock.now();
    const status = statusAfter(withdrawal, verb);
    if (needsActiveUser) requireActiveUser(withdrawal.status, owner?.status, verb);
    if (owner) requireUnlocked(owner, LOCKED_OWNER);
    if (stopsWhenPaused) {
      requireUnpaused(isPaused);
      requireNoPlatformHold(withdrawal, verb);
    }
    const changes = decideChanges(withdrawal, at, details);
    await this.screening.requireCleared(tx, withdrawal, verb, by.id);
    const { userId, amount } = withdrawal;
    if (posting) await this.ledger.post(tx, posting({ withdrawalId: id, userId, amount, at }));
    const after = { status, ...record?.(by.id, at), ...changes };
    const before = pick(withdrawal, Object.keys(after) as (keyof Withdrawal)[]);
    Object.assign(withdrawal, after);
    const step = { verb, by, at, note: changes.note ?? null };
    this.withdrawals.updateWithdrawal(tx, withdrawal, after, step);
    if (by.type === 'admin') {
      await this.audit.record(
        tx,
        { email: by.id, ...(by.approvedBy ? { approvedBy: by.approvedBy } : {}) },
        {
          action: `withdrawal.${verb}`,
          subject: { type: 'withdrawal', id: withdrawal.id },
          reason: HAS_REASON.has(event) ? (changes.note ?? undefined) : undefined,
          before,
          after,
        },
      );
    }
    await this.emitWithdrawalEvent(tx, event, withdrawal, at);
    return [withdrawal, details];
  }

  emitWithdrawalEvent(
    tx: Tx,
    name: WithdrawalEvent['name'],
    withdrawal: NewWithdrawal,
    at: Date,
  ): Promise<void> {
    const { id: withdrawalId, userId, amount, currency, toAddress, txHash, note } = withdrawal;
    return this.domainEvents.emit<WithdrawalEvent>(tx, {
      name,
      userId,
      at,
      withdrawalId,
      amount,
      currency,
      toAddress,
      txHash,
      reason: HAS_REASON.has(name) ? note : null,
    });
  }
}

function pick(withdrawal: Withdrawal, fields: (keyof Withdrawal)[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, withdrawal[field]]));
}
