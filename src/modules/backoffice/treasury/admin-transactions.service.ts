import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { lockTxHashHolder } from '../../funds/withdrawals/withdrawal-payments.repository.js';
import {
  TransactionLookupService,
  type LookedUpHash,
} from '../../providers/chain/transaction-lookup.service.js';
import { UserScreeningService } from '../../identity/screening/user-screening.service.js';
import { AccountLocksService } from '../../identity/users/account-restrictions.service.js';
import { WithdrawalPausesService } from '../../funds/withdrawals/withdrawal-pauses.service.js';
import { WithdrawalPaymentsService } from '../../funds/withdrawals/withdrawal-payments.service.js';
import { WithdrawalScreeningService } from '../../funds/withdrawals/withdrawal-screening.service.js';
import { AdminTransactionBookingsService } from './admin-transaction-bookings.service.js';
import { AdminTransactionInputsService } from './admin-transaction-inputs.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import {
  ADMIN_TRANSACTION_STATES,
  requireValidInput,
  type AdminTransactionInput,
  type AdminTransactionVerb,
} from './domain/admin-transaction.js';
import type { AdminTransactionsQuery } from './dto/admin-transactions.request.js';
import type { AdminTransaction } from './entities/treasury.entity.js';
import { TransactionRequestsRepository } from './transaction-requests.repository.js';
import { TreasuryChainChecksService } from './treasury-chain-checks.service.js';
import type {
  AdminTransactionChanges,
  AdminTransactionDetails,
  ListedTransaction,
} from './treasury.types.js';

/** Computes the columns that a transition writes; throws to refuse the transition. */
type DecideChanges = (
  transaction: AdminTransaction,
  at: Date,
  tx: Tx,
) => AdminTransactionChanges | Promise<AdminTransactionChanges>;

/** Transactions that admins book by hand: requested by one admin, approved by another, posted on confirmation. */
@Injectable()
export class AdminTransactionsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly repository: AdminTransactionsRepository,
    private readonly requests: TransactionRequestsRepository,
    private readonly bookings: AdminTransactionBookingsService,
    private readonly lookups: TransactionLookupService,
    private readonly chainChecks: TreasuryChainChecksService,
    private readonly inputs: AdminTransactionInputsService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly pauses: WithdrawalPausesService,
    private readonly locks: AccountLocksService,
    private readonly audit: AuditService,
    private readonly screening: UserScreeningService,
    private readonly withdrawalScreening: WithdrawalScreeningService,
    private readonly exports: ListExportsService,
    private readonly fourEyes: FourEyesService,
    private readonly handlers: ApprovalHandlersService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerRecord({
      kind: 'transaction',
      permission: 'transactions:write',
      approveRecord: (id, admin, { requireStepUp }) => this.approve(id, admin, requireStepUp),
      rejectRecord: (id, reason, admin) => this.reject(id, reason, admin),
    });
  }

  listTransactions(query: AdminTransactionsQuery): Promise<Rows<ListedTransaction>> {
    return this.repository.findPage(query);
  }

  /** All selected transactions in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportTransactions(
    query: AdminTransactionsQuery,
    admin: AdminPrincipal,
  ): AsyncGenerator<ListedTransaction[], void> {
    return this.exports.streamList(admin, { list: 'transactions', query }, (snapshot) =>
      this.repository.streamTransactions(snapshot, query),
    );
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  getTransaction(id: string): Promise<AdminTransactionDetails> {
    return this.repository.getDetails(id);
  }

  /**
   * Stores a pending transaction; no money is moved or reserved. Throws VALIDATION_ERROR, INVALID_AMOUNT, USER_NOT_FOUND,
   * WITHDRAWAL_NOT_FOUND and DEPOSIT_NOT_FOUND; INVALID_STATE if the withdrawal of a reversal reserves no money or has a
   * reversal, if the deposit is not credited, and for a withdrawal as `WithdrawalPaymentsService.lockPaidLate` does.
   */
  async create(input: AdminTransactionInput, admin: AdminPrincipal): Promise<AdminTransactionDetails> {
    requireValidInput(input);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const requested = await this.inputs.prepareTransaction(tx, input);
      const id = this.repository.insertTransaction(tx, requested, admin.email, this.clock.now());
      await this.audit.record(tx, admin, {
        action: 'transaction.create',
        subject: { type: 'transaction', id },
        after: {
          status: 'pending',
          type: input.type,
          amount: requested.amount.toWire(),
          userId: requested.userId ?? null,
          withdrawalId: requested.withdrawalId ?? null,
          depositId: requested.depositId ?? null,
          fromSuspense: requested.fromSuspense ?? false,
          description: requested.description,
        },
      });
      return this.repository.getDetails(id, tx);
    });
  }

  /**
   * Throws FOUR_EYES_REQUIRED unless the admin can be the second person beside the requester. Custody pays a withdrawal after its approval, so
   * approving one also throws ACCOUNT_LOCKED, WITHDRAWALS_PAUSED and the refusals of `UserScreeningService.requireCleared`. A withdrawal that
   * books the late payment of another one is paid already.
   */
  async approve(
    id: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminTransactionDetails> {
    // Screens before the database transaction, so that no lock waits for the provider; `requireCleared` decides under the lock.
    const { byAdmins, type, status, userId } = await this.repository.getDetails(id);
    const isUnpaidWithdrawal = byAdmins !== null && type === 'withdrawal' && byAdmins.withdrawalId === null;
    if (isUnpaidWithdrawal && status === 'pending' && userId !== null)
      await this.screening.screenUser(userId);
    return this.withdrawalScreening.runAndAuditBlocked(admin, { type: 'transaction', id }, 'approve', () =>
      this.runTransition(id, 'approve', admin, async (transaction, at, tx) => {
        await requireStepUp(tx, { id });
        await this.fourEyes.requireSecondPerson(transaction.createdBy, admin.email, tx);
        if (isUnpaidWithdrawal) {
          await this.locks.requireUnlocked(tx, transaction.userId as string);
          await this.pauses.requireNoPause(tx);
          const refusalDetails = {
            status: transaction.status,
            action: 'approve',
            allowedFrom: ADMIN_TRANSACTION_STATES.allowedFrom('approve'),
          };
          await this.screening.requireCleared(tx, transaction.userId as string, refusalDetails);
        }
        return { approvedAt: at, approvedBy: admin.email };
      }),
    );
  }

  /**
   * Posts an approved transaction. Throws INSUFFICIENT_BALANCE, DUPLICATE_TX_HASH, VALIDATION_ERROR for a reversal with a hash or
   * for a late payment with another hash than its alert reports, and INVALID_STATE for a transfer with a pending request:
   * completing the request confirms the transfer, and requires a hash.
   */
  async confirm(
    id: string,
    transactionHash: string | undefined,
    admin: AdminPrincipal,
  ): Promise<AdminTransactionDetails> {
    const hash =
      transactionHash === undefined ? undefined : await this.lookups.lookUpEnteredHash(transactionHash);
    return this.runTransition(id, 'confirm', admin, async (transaction, at, tx) => {
      const { type, status } = transaction;
      if (hash && type === 'reversal') {
        throwError('VALIDATION_ERROR', [
          { field: 'transactionHash', message: 'a reversal moves nothing on chain' },
        ]);
      }
      if (await this.requests.lockPendingRequest(tx, id)) {
        const message = 'Operators carry this transfer out: complete its transaction request.';
        throwError('INVALID_STATE', { status, action: 'confirm', allowedFrom: [] }, { message });
      }
      return this.confirmationChanges(tx, transaction, hash, admin, at);
    });
  }

  /** Also rejects the pending transaction request of a transfer. */
  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<AdminTransactionDetails> {
    return this.runTransition(id, 'reject', admin, async (_, at, tx) => {
      const request = await this.requests.lockPendingRequest(tx, id);
      if (request) this.requests.updateStatus(tx, request, 'reject', {});
      return { rejectedAt: at, rejectedBy: admin.email, reason };
    });
  }

  /** Confirms a transfer whose request is completed in the caller's transaction. */
  async confirmTransfer(tx: Tx, id: string, hash: LookedUpHash, admin: AdminPrincipal): Promise<void> {
    await this.applyTransition(tx, id, 'confirm', admin, (transaction, at) =>
      this.confirmationChanges(tx, transaction, hash, admin, at),
    );
  }

  /** The columns that a confirmation writes. Throws DUPLICATE_TX_HASH, and VALIDATION_ERROR as `confirm` does. */
  private async confirmationChanges(
    tx: Tx,
    transaction: AdminTransaction,
    hash: LookedUpHash | undefined,
    admin: AdminPrincipal,
    at: Date,
  ): Promise<AdminTransactionChanges> {
    const confirmed = { confirmedAt: at, confirmedBy: admin.email };
    const { type, withdrawalId } = transaction;
    if (type === 'withdrawal' && withdrawalId !== null)
      await this.payments.requireReportedHash(tx, withdrawalId, hash?.txHash);
    if (!hash) return confirmed;
    const holder = await lockTxHashHolder(tx, hash.txHash);
    if (holder) throwError('DUPLICATE_TX_HASH', { [`${holder.type}Id`]: holder.id });
    return { ...confirmed, ...(await this.chainChecks.checkEnteredHash(tx, transaction, hash, at)) };
  }

  private runTransition(
    id: string,
    verb: AdminTransactionVerb,
    admin: AdminPrincipal,
    decideChanges: DecideChanges,
  ): Promise<AdminTransactionDetails> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.applyTransition(tx, id, verb, admin, decideChanges);
      return this.repository.getDetails(id, tx);
    });
  }

  /** The row lock serialises concurrent transitions, so the state machine refuses the second one. */
  private async applyTransition(
    tx: Tx,
    id: string,
    verb: AdminTransactionVerb,
    admin: AdminPrincipal,
    decideChanges: DecideChanges,
  ): Promise<void> {
    const transaction = await this.repository.lockTransaction(tx, id);
    const statusBefore = transaction.status;
    const status = ADMIN_TRANSACTION_STATES.next(statusBefore, verb);
    const changes = await decideChanges(transaction, this.clock.now(), tx);
    this.repository.updateStatus(tx, transaction, status, changes);
    if (verb === 'confirm') await this.bookings.bookConfirmed(tx, transaction, admin);
    await this.audit.record(tx, admin, {
      action: `transaction.${verb}`,
      subject: { type: 'transaction', id },
      reason: changes.reason ?? undefined,
      before: { status: statusBefore },
      after: { status, ...(changes.txHash ? { txHash: changes.txHash } : {}) },
    });
  }
}
