import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { UsersService } from '../users/users.service.js';
import { statusAfter } from './domain/late-payments.js';
import {
  requireActiveUser,
  TRANSITION_EFFECTS,
  type WithdrawalVerb,
} from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { WithdrawalEvent } from './withdrawal.events.js';
import { WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type { Actor, TransitionChanges } from './withdrawals.types.js';

/** Decides, under the withdrawal's lock, which columns a transition writes; throws to refuse the transition. */
export type DecideChanges = (
  withdrawal: Withdrawal,
  at: Date,
  tx: Tx,
) => TransitionChanges | Promise<TransitionChanges>;

/** Carries out every transition of a withdrawal. The only writer of its status. */
@Injectable()
export class WithdrawalTransitionsService {
  constructor(
    private readonly clock: Clock,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly users: UsersService,
    private readonly pauses: WithdrawalPausesService,
    private readonly screening: WithdrawalScreeningService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
  ) {}

  /** Locks the withdrawal, checks the transition, posts, writes and emits. Of two concurrent transitions one is refused. */
  async applyTransition(
    tx: Tx,
    id: string,
    verb: WithdrawalVerb,
    by: Actor,
    decideChanges: DecideChanges,
  ): Promise<Withdrawal> {
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    const at = this.clock.now();
    const status = statusAfter(withdrawal, verb);
    const { event, posting, stopsWhenPaused, needsActiveUser } = TRANSITION_EFFECTS[verb];
    if (needsActiveUser) {
      // The lock keeps the user's status unchanged until the commit.
      requireActiveUser(withdrawal.status, await this.users.lockStatus(tx, withdrawal.userId), verb);
    }
    if (stopsWhenPaused) await this.pauses.requireOpen(tx);
    const changes = await decideChanges(withdrawal, at, tx);
    await this.screening.requireCleared(tx, withdrawal, verb);
    const { userId, amount } = withdrawal;
    if (posting) await this.ledger.post(tx, posting({ withdrawalId: id, userId, amount, at }));
    const after = { status, ...changes };
    const before = pick(withdrawal, Object.keys(after) as (keyof Withdrawal)[]);
    Object.assign(withdrawal, after);
    await this.withdrawals.updateWithdrawal(tx, withdrawal, { verb, by, at, note: changes.note ?? null });
    if (by.type === 'admin') {
      await this.audit.record(
        tx,
        { email: by.id },
        {
          action: `withdrawal.${verb}`,
          subject: { type: 'withdrawal', id: withdrawal.id },
          reason: verb === 'reject' ? (changes.note ?? undefined) : undefined,
          before,
          after,
        },
      );
    }
    await this.emitWithdrawalEvent(tx, event, withdrawal, at);
    return withdrawal;
  }

  emitWithdrawalEvent(
    tx: Tx,
    name: WithdrawalEvent['name'],
    withdrawal: Withdrawal,
    at: Date,
  ): Promise<void> {
    const { id: withdrawalId, userId, amount, currency, toAddress, txHash, note } = withdrawal;
    const hasReason = name === 'withdrawal.rejected' || name === 'withdrawal.failed';
    return this.domainEvents.emit<WithdrawalEvent>(tx, {
      ...{ name, userId, at, withdrawalId, amount, currency, toAddress, txHash },
      reason: hasReason ? note : null,
    });
  }
}

function pick(withdrawal: Withdrawal, fields: (keyof Withdrawal)[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, withdrawal[field]]));
}
