import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { asDomainError } from '../../database/database-error.js';
import { DomainEvents } from '../../database/domain-events.js';
import { savepoint, UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { Money } from '../../common/money.js';
import { withdrawalRequested } from '../ledger/postings.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { UsersService } from '../users/users.service.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { AdminWithdrawalQueries } from './admin-withdrawals.repository.js';
import type { AdminWithdrawal } from './withdrawals.types.js';
import { requireShownOnChain, requireUnreleased, statusAfter } from './domain/late-payments.js';
import { WithdrawalChainChecksJob, type Payment } from './withdrawal-chain-checks.job.js';
import { readDestination } from './domain/destination.js';
import { WithdrawalDestinations } from './withdrawal-destinations.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { factOf, tellOnChain } from './withdrawal.told.js';
import { WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalRecords, type Actor, type Changes } from './withdrawals.repository.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import {
  TRANSITION_EFFECTS,
  requireActiveUser,
  WITHDRAWAL_STATES,
  type WithdrawalVerb,
} from './domain/withdrawal.state-machine.js';

export interface BulkOutcome {
  readonly taken: string[];
  readonly failed: { id: string; code: ErrorCode; message: string }[];
}

/** What a provider's report of a failure did. */
export type FailureOutcome = 'failed' | 'already-failed' | 'not-processing' | 'unknown';

const NOTE_LENGTH = 500;

type Decide = (withdrawal: Withdrawal, at: Date, tx: Tx) => Changes | Promise<Changes>;

/** Everything that is done with withdrawals, by users, admins and the provider. */
@Injectable()
export class WithdrawalsService {
  private readonly log = new Logger('Withdrawals');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly records: WithdrawalRecords,
    private readonly queries: AdminWithdrawalQueries,
    private readonly chainChecks: WithdrawalChainChecksJob,
    private readonly pauses: WithdrawalPausesService,
    private readonly screening: WithdrawalScreeningService,
    private readonly users: UsersService,
    private readonly destinations: WithdrawalDestinations,
    private readonly alerts: AlertsService,
  ) {}

  /**
   * Reserves the amount and makes a pending withdrawal. Throws INVALID_AMOUNT (400 not positive, 422 below the
   * minimum), FORBIDDEN for who is not active any more, WITHDRAWALS_PAUSED, INVALID_WALLET_ADDRESS for an address at
   * which the money would be lost, INSUFFICIENT_BALANCE, WITHDRAWAL_LIMIT_EXCEEDED, INVALID_STATE for an address that
   * screening has blocked.
   */
  async request(
    userId: string,
    wish: { amount: string; currency: string; toAddress: string },
  ): Promise<Withdrawal> {
    const amount = Money.of(wish.amount);
    this.requireLargeEnough(amount);
    const destination = readDestination(wish.toAddress);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.users.requireActive(tx, userId);
      await this.pauses.requireOpen(tx);
      await this.destinations.requirePayable(tx, destination.address);
      await this.ledger.requireAvailable(tx, userId, amount); // their other requests wait here
      const at = this.clock.now();
      await this.requireWithinLimit(tx, userId, amount, at);
      const withdrawal = await this.records.add(
        tx,
        { userId, amount, currency: wish.currency, destination, createdAt: at },
        { type: 'user', id: userId },
      );
      await this.ledger.post(tx, withdrawalRequested({ withdrawalId: withdrawal.id, userId, amount, at }));
      await this.domainEvents.emit(tx, factOf('withdrawal.requested', withdrawal, at));
      await this.screening.screenDestination(tx, withdrawal.toAddress);
      return withdrawal;
    });
  }

  /** The user's own way back, until an admin has acted. Throws PERMISSION_DENIED for another user's. */
  async cancel(id: string, userId: string): Promise<Withdrawal> {
    const by: Actor = { type: 'user', id: userId };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.records.lock(tx, id);
      if (withdrawal.userId !== userId) fail('PERMISSION_DENIED');
      return this.act(tx, id, 'cancel', by, (_, at) => ({ cancelledAt: at }));
    });
  }

  async approve(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'approve', admin, (_, at) => ({ approvedAt: at, approvedBy: admin.email }));
  }

  async take(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'take', admin, this.takenBy(admin));
  }

  /**
   * Takes each on its own: one that is refused does not hold up the others. All that are taken are taken in one unit
   * of work, in one order for everybody, so that two admins never wait for each other in a circle.
   */
  async bulkTake(given: readonly string[], admin: AdminPrincipal): Promise<BulkOutcome> {
    const ids = [...new Set(given.map((id) => id.toLowerCase()))];
    const by: Actor = { type: 'admin', id: admin.email };
    await this.screening.prepareBulk(ids, 'take');
    return this.unitOfWork.runInTransaction(async (tx) => {
      const refusals = new Map<string, DomainError>();
      for (const id of ids.toSorted()) {
        await savepoint(tx, (part) => this.act(part, id, 'take', by, this.takenBy(admin))).catch(
          (error: unknown) => refusals.set(id, this.asRefusal(error)),
        );
      }
      for (const [id, refusal] of refusals)
        await this.screening.recordBlocked(tx, admin, id, 'take', refusal);
      return {
        taken: ids.filter((id) => !refusals.has(id)),
        failed: ids.flatMap((id) => {
          const refusal = refusals.get(id);
          return refusal ? [{ id, code: refusal.code, message: refusal.message }] : [];
        }),
      };
    });
  }

  async execute(id: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'execute', admin, (withdrawal, at) => {
      this.requireFourEyes(withdrawal, admin);
      return { executedAt: at };
    });
  }

  /**
   * Ends a withdrawal with the hash of the transfer that an operator made. Any text is taken; what the chain says
   * of it is stored beside it. Throws DUPLICATE_TX_HASH when another withdrawal, a deposit, or something that admins
   * booked by hand, has the hash and sharing it was not allowed; INVALID_STATE for a failed withdrawal unless the chain
   * shows the payment and the amount was not released.
   */
  async complete(id: string, payment: Payment, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    const paid = await this.chainChecks.look(payment);
    const by: Actor = { type: 'admin', id: admin.email };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const completed = await this.act(tx, id, 'complete', by, async (withdrawal, at) => {
        const changes = await this.chainChecks.entered(tx, withdrawal, paid, at);
        requireShownOnChain(withdrawal, changes.chainCheck);
        return changes;
      });
      await this.alerts.settle('withdrawal-paid-after-failure', id, tx);
      await tellOnChain(this.domainEvents, tx, completed, paid.lookup);
      return this.queries.get(id, tx);
    });
  }

  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<AdminWithdrawal> {
    return this.actAsAdmin(id, 'reject', admin, () => ({ note: reason }));
  }

  /**
   * The provider could not carry a withdrawal out: processing → failed, the money stays reserved. Safe to
   * call again and for anything: what is unknown or not in processing is left as it is.
   */
  async recordProviderFailure(withdrawalId: string, reason: string): Promise<FailureOutcome> {
    const by: Actor = { type: 'provider', id: this.config.DEPOSIT_PROVIDER_NAME };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.records.lockIfThere(tx, withdrawalId);
      if (!withdrawal) return 'unknown';
      if (withdrawal.status === 'failed') return 'already-failed';
      if (withdrawal.status !== 'processing') return 'not-processing';
      await this.act(tx, withdrawal.id, 'fail', by, () => ({ note: reason.slice(0, NOTE_LENGTH) }));
      return 'failed';
    });
  }

  /**
   * What a failed withdrawal would give back: locks it, and refuses with WITHDRAWAL_NOT_FOUND, or INVALID_STATE when
   * there is nothing to release (any more).
   */
  async lockReleasable(tx: Tx, id: string): Promise<{ userId: string; amount: Money }> {
    const withdrawal = await this.records.lock(tx, id);
    WITHDRAWAL_STATES.next(withdrawal.status, 'release');
    requireUnreleased(withdrawal, 'release');
    return { userId: withdrawal.userId, amount: withdrawal.amount };
  }

  /** Makes available again what a failed withdrawal still reserves, once. Refuses as `releasable` does. */
  async release(tx: Tx, id: string, admin: { readonly email: string }): Promise<void> {
    await this.act(tx, id, 'release', { type: 'admin', id: admin.email }, (withdrawal, at) => {
      requireUnreleased(withdrawal, 'release');
      return { releasedAt: at };
    });
  }

  private takenBy(admin: AdminPrincipal): Decide {
    return (withdrawal) => {
      this.requireFourEyes(withdrawal, admin);
      return {};
    };
  }

  private async actAsAdmin(
    id: string,
    verb: WithdrawalVerb,
    admin: AdminPrincipal,
    decide: Decide,
  ): Promise<AdminWithdrawal> {
    await this.screening.prepare(id, verb);
    return this.screening.recordingBlocked(admin, id, verb, () =>
      this.unitOfWork.runInTransaction(async (tx) => {
        await this.act(tx, id, verb, { type: 'admin', id: admin.email }, decide);
        return this.queries.get(id, tx);
      }),
    );
  }

  /** One transition: lock, ask the table, decide, post, record, tell. Of two that come at once the second is refused. */
  private async act(
    tx: Tx,
    id: string,
    verb: WithdrawalVerb,
    by: Actor,
    decide: Decide,
  ): Promise<Withdrawal> {
    const withdrawal = await this.records.lock(tx, id);
    const at = this.clock.now();
    const to = statusAfter(withdrawal, verb);
    const { fact, posting, stopsWhenPaused, needsActiveUser } = TRANSITION_EFFECTS[verb];
    if (needsActiveUser) {
      // The status stays as it is until the transaction ends: an admin who changes it meanwhile waits.
      requireActiveUser(withdrawal.status, await this.users.lockStatus(tx, withdrawal.userId), verb);
    }
    if (stopsWhenPaused) await this.pauses.requireOpen(tx);
    const changes = await decide(withdrawal, at, tx);
    await this.screening.requireCleared(tx, withdrawal, verb);
    const { userId, amount } = withdrawal;
    if (posting) await this.ledger.post(tx, posting({ withdrawalId: id, userId, amount, at }));
    await this.records.move(tx, withdrawal, { verb, to, by, at, changes });
    await this.domainEvents.emit(tx, factOf(fact, withdrawal, at));
    return withdrawal;
  }

  private asRefusal(error: unknown): DomainError {
    const known = error instanceof DomainError ? error : asDomainError(error);
    if (known) return known;
    this.log.error({ msg: 'a withdrawal could not be taken', err: error });
    return new DomainError('INTERNAL_SERVER_ERROR');
  }

  private requireLargeEnough(amount: Money): void {
    if (!amount.isPositive())
      fail('INVALID_AMOUNT', undefined, { message: 'The amount must be above zero.' });
    const minimum = this.config.WITHDRAWAL_MINIMUM;
    if (!amount.isLessThan(minimum)) return;
    const message = `The smallest withdrawal is ${minimum.toWire()} USDC.`;
    fail(
      'INVALID_AMOUNT',
      { minimum: minimum.toWire(), requested: amount.toWire() },
      { status: 422, message },
    );
  }

  private async requireWithinLimit(tx: Tx, userId: string, amount: Money, at: Date): Promise<void> {
    const dailyLimit = this.config.WITHDRAWAL_DAILY_LIMIT;
    const used = await this.records.usedBefore(tx, userId, at);
    if (!used.plus(amount).isMoreThan(dailyLimit)) return;
    fail('WITHDRAWAL_LIMIT_EXCEEDED', {
      dailyLimit: dailyLimit.toWire(),
      usedToday: used.toWire(),
      available: Money.max(dailyLimit.minus(used), Money.ZERO).toWire(),
    });
  }

  /** A large withdrawal is approved by one admin and set in motion by another. */
  private requireFourEyes(withdrawal: Withdrawal, admin: AdminPrincipal): void {
    const from = this.config.WITHDRAWAL_FOUR_EYES_ABOVE;
    if (from === undefined || withdrawal.amount.isLessThan(from)) return;
    if (withdrawal.approvedBy === null || withdrawal.approvedBy === admin.email) fail('FOUR_EYES_REQUIRED');
  }
}
