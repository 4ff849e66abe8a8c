import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { AuditLog } from '../audit/audit-log.js';
import { UserScreeningService } from '../screening/user-screening.service.js';
import { UsersService } from '../users/users.service.js';
import { WithdrawalPausesService } from '../withdrawals/withdrawal-pauses.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { AdminTransactionBookings } from './admin-transaction.bookings.js';
import type { AdminTransaction } from './entities/admin-transaction.entity.js';
import { AdminTransactionRecords, type Changes, type NewTransaction } from './admin-transaction.records.js';
import {
  ADMIN_TRANSACTION_STATES,
  type AdminTransactionVerb,
} from './domain/admin-transaction.state-machine.js';
import { requireWish, type TransactionWish } from './admin-transaction.wish.js';
import { AdminTransactionQueries, type AdminTransactionDetails } from './admin-transactions.queries.js';
import { TransactionRequestRecords } from './transaction-request.records.js';
import { TreasuryChainChecks, type EnteredHash } from './treasury-chain-checks.js';
import { SETTLEMENT_NETWORK } from './treasury-plan.js';

type Decide = (transaction: AdminTransaction, at: Date, tx: Tx) => Changes | Promise<Changes>;

/** Transactions that admins book by hand: requested by one admin, approved by another, posted on confirmation. */
@Injectable()
export class AdminTransactionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly records: AdminTransactionRecords,
    private readonly queries: AdminTransactionQueries,
    private readonly requests: TransactionRequestRecords,
    private readonly bookings: AdminTransactionBookings,
    private readonly chainChecks: TreasuryChainChecks,
    private readonly withdrawals: WithdrawalsService,
    private readonly pauses: WithdrawalPausesService,
    private readonly users: UsersService,
    private readonly audit: AuditLog,
    private readonly screening: UserScreeningService,
  ) {}

  /**
   * Asks for one. Nothing is moved or reserved yet. Throws VALIDATION_ERROR, INVALID_AMOUNT, USER_NOT_FOUND, and for a
   * reversal WITHDRAWAL_NOT_FOUND or INVALID_STATE when there is nothing to give back.
   */
  async create(wish: TransactionWish, admin: AdminPrincipal): Promise<AdminTransactionDetails> {
    requireWish(wish);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const asked =
        wish.type === 'reversal' ? await this.reversalOf(tx, wish) : await this.othersOf(tx, wish);
      const { id, amount } = await this.records.add(tx, asked, admin.email, this.clock.now());
      await this.audit.record(tx, admin, {
        action: 'transaction.create',
        subject: { type: 'transaction', id },
        after: {
          status: 'pending',
          type: wish.type,
          amount: amount.toWire(),
          userId: asked.userId ?? null,
          withdrawalId: asked.withdrawalId ?? null,
          fromSuspense: asked.fromSuspense ?? false,
          description: asked.description,
        },
      });
      return this.queries.get(id, tx);
    });
  }

  /**
   * Four eyes: by another admin than the one who asked. A withdrawal is what custody is to pay out: throws
   * WITHDRAWALS_PAUSED and, as `UserScreeningService.requireCleared`, for a user whom screening does not let pass.
   */
  async approve(id: string, admin: AdminPrincipal): Promise<AdminTransactionDetails> {
    const asked = await this.queries.get(id);
    const isPayment = asked.byAdmins !== null && asked.type === 'withdrawal' && asked.status === 'pending';
    if (isPayment && asked.userId !== null) await this.screening.screenUser(asked.userId);
    return this.act(id, 'approve', admin, async (transaction, at, tx) => {
      if (transaction.createdBy === admin.email) fail('FOUR_EYES_REQUIRED');
      if (transaction.type === 'withdrawal') {
        await this.pauses.requireOpen(tx);
        const refused = {
          status: transaction.status,
          action: 'approve',
          allowedFrom: ADMIN_TRANSACTION_STATES.allowedFrom('approve'),
        };
        await this.screening.requireCleared(tx, transaction.userId as string, refused);
      }
      return { approvedAt: at, approvedBy: admin.email };
    });
  }

  /** What operators carry out is confirmed by completing its request, so that there is a hash to it. */
  async confirm(
    id: string,
    transactionHash: string | undefined,
    admin: AdminPrincipal,
  ): Promise<AdminTransactionDetails> {
    const hash = transactionHash === undefined ? undefined : await this.chainChecks.look(transactionHash);
    return this.act(id, 'confirm', admin, async (transaction, at, tx) => {
      const { type, status } = transaction;
      if (hash && type === 'reversal') {
        fail('VALIDATION_ERROR', [
          { field: 'transactionHash', message: 'a reversal moves nothing on chain' },
        ]);
      }
      if (await this.requests.lockPendingOf(tx, id)) {
        const message = 'Operators carry this transfer out: complete its transaction request.';
        fail('INVALID_STATE', { status, action: 'confirm', allowedFrom: [] }, { message });
      }
      return this.confirmation(tx, transaction, hash, admin, at);
    });
  }

  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<AdminTransactionDetails> {
    return this.act(id, 'reject', admin, async (_, at, tx) => {
      const request = await this.requests.lockPendingOf(tx, id);
      if (request) await this.requests.move(tx, request, 'reject', {});
      return { rejectedAt: at, rejectedBy: admin.email, reason };
    });
  }

  /** Confirms a transfer because its request is completed, inside the caller's transaction. */
  async confirmCarriedOut(tx: Tx, id: string, hash: EnteredHash, admin: AdminPrincipal): Promise<void> {
    await this.actIn(tx, id, 'confirm', admin, (transaction, at) =>
      this.confirmation(tx, transaction, hash, admin, at),
    );
  }

  private async confirmation(
    tx: Tx,
    transaction: AdminTransaction,
    hash: EnteredHash | undefined,
    admin: AdminPrincipal,
    at: Date,
  ): Promise<Changes> {
    if (hash) await this.records.requireNewHash(tx, hash.txHash);
    const checked = hash ? await this.chainChecks.entered(tx, transaction, hash, at) : {};
    return { confirmedAt: at, confirmedBy: admin.email, ...checked };
  }

  private act(
    id: string,
    verb: AdminTransactionVerb,
    admin: AdminPrincipal,
    decide: Decide,
  ): Promise<AdminTransactionDetails> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.actIn(tx, id, verb, admin, decide);
      return this.queries.get(id, tx);
    });
  }

  /** One transition: lock, ask the table, decide, record, post. Of two that come at once the second is refused. */
  private async actIn(
    tx: Tx,
    id: string,
    verb: AdminTransactionVerb,
    admin: AdminPrincipal,
    decide: Decide,
  ): Promise<void> {
    const transaction = await this.records.lock(tx, id);
    const before = transaction.status;
    const to = ADMIN_TRANSACTION_STATES.next(before, verb);
    const changes = await decide(transaction, this.clock.now(), tx);
    await this.records.move(tx, transaction, to, changes);
    if (verb === 'confirm') await this.bookings.book(tx, transaction, admin);
    await this.audit.record(tx, admin, {
      action: `transaction.${verb}`,
      subject: { type: 'transaction', id },
      reason: changes.reason ?? undefined,
      before: { status: before },
      after: { status: to, ...(changes.txHash ? { txHash: changes.txHash } : {}) },
    });
  }

  private async othersOf(tx: Tx, wish: TransactionWish): Promise<NewTransaction> {
    const { type, userId, amount, description, source } = wish;
    if (userId !== undefined) await this.users.getIn(tx, userId);
    return {
      type,
      amount: Money.of(amount),
      description,
      network: SETTLEMENT_NETWORK,
      fromSuspense: source === 'suspense',
      ...(userId === undefined ? { purpose: 'sweep' } : { userId }),
    };
  }

  private async reversalOf(tx: Tx, wish: TransactionWish): Promise<NewTransaction> {
    const withdrawalId = wish.withdrawalId as string;
    const { userId, amount } = await this.withdrawals.lockReleasable(tx, withdrawalId);
    if (wish.userId !== undefined && wish.userId.toLowerCase() !== userId) {
      fail('VALIDATION_ERROR', [{ field: 'userId', message: 'is not whose withdrawal it is' }]);
    }
    if (!Money.of(wish.amount).equals(amount)) {
      const message = `A reversal gives the whole withdrawal back: ${amount.toWire()} USDC.`;
      fail('INVALID_AMOUNT', { expected: amount.toWire(), requested: wish.amount }, { status: 422, message });
    }
    if (await this.records.hasReversal(tx, withdrawalId)) {
      const message = 'A reversal of this withdrawal has been asked for already.';
      fail('INVALID_STATE', { status: 'failed', action: 'reversal', allowedFrom: [] }, { message });
    }
    return { type: 'reversal', amount, description: wish.description, userId, withdrawalId };
  }
}
