import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import { readTogether, type ResultsOf, type TransactionRead } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import {
  requireActiveUser,
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
 * Decides, under the withdrawal's lock, which columns a transition writes; throws to refuse the transition. `results` are those
 * of the reads that the caller has added.
 */
export type DecideChanges<Reads extends readonly TransactionRead<unknown>[] = readonly []> = (
  withdrawal: Withdrawal,
  at: Date,
  results: ResultsOf<Reads>,
) => TransitionChanges;

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
   * Locks the withdrawal, for which concurrent transitions wait, checks the transition, posts, writes and emits. Returns the
   * changed withdrawal and the results of `reads`. Throws WITHDRAWAL_NOT_FOUND, PERMISSION_DENIED for a user who is not its
   * owner, INVALID_STATE, WITHDRAWALS_PAUSED, and the errors of `decideChanges` and `requireCleared`.
   */
  async applyTransition<const Reads extends readonly TransactionRead<unknown>[]>(
    tx: Tx,
    id: string,
    { verb, by }: { verb: WithdrawalVerb; by: Actor },
    decideChanges: DecideChanges<Reads>,
    ...reads: Reads
  ): Promise<[Withdrawal, ResultsOf<Reads>]> {
    const { event, posting, stopsWhenPaused, needsActiveUser } = TRANSITION_EFFECTS[verb];
    const [withdrawal, userStatus, isPaused, ...resultsOfReads] = await readTogether(
      tx,
      this.withdrawals.withdrawalLock(id),
      this.withdrawals.userStatusLock(needsActiveUser ? id : null),
      this.pauses.pausedRead(),
      ...reads,
    );
    const results = resultsOfReads as unknown as ResultsOf<Reads>;
    if (by.type === 'user' && withdrawal.userId !== by.id) fail('PERMISSION_DENIED');
    const at = this.clock.now();
    const status = statusAfter(withdrawal, verb);
    if (needsActiveUser) requireActiveUser(withdrawal.status, userStatus, verb);
    if (stopsWhenPaused) requireUnpaused(isPaused);
    const changes = decideChanges(withdrawal, at, results);
    await this.screening.requireCleared(tx, withdrawal, verb, by.id);
    const { userId, amount } = withdrawal;
    if (posting) await this.ledger.post(tx, posting({ withdrawalId: id, userId, amount, at }));
    const after = { status, ...changes };
    const before = pick(withdrawal, Object.keys(after) as (keyof Withdrawal)[]);
    Object.assign(withdrawal, after);
    await this.withdrawals.collectTransition(tx, withdrawal, { verb, by, at, note: changes.note ?? null });
    if (by.type === 'admin') {
      await this.audit.record(
        tx,
        { email: by.id, ...(by.approvedBy ? { approvedBy: by.approvedBy } : {}) },
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
    return [withdrawal, results];
  }

  emitWithdrawalEvent(
    tx: Tx,
    name: WithdrawalEvent['name'],
    withdrawal: NewWithdrawal,
    at: Date,
  ): Promise<void> {
    const { id: withdrawalId, userId, amount, currency, toAddress, txHash, note } = withdrawal;
    const hasReason = name === 'withdrawal.rejected' || name === 'withdrawal.failed';
    return this.domainEvents.emit<WithdrawalEvent>(tx, {
      name,
      userId,
      at,
      withdrawalId,
      amount,
      currency,
      toAddress,
      txHash,
      reason: hasReason ? note : null,
    });
  }
}

function pick(withdrawal: Withdrawal, fields: (keyof Withdrawal)[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, withdrawal[field]]));
}
