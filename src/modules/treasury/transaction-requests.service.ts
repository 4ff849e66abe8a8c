import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { permits, type Permission } from '../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService } from '../audit/audit.service.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import { TransactionRequestRecords } from './transaction-request.records.js';
import { REQUEST_STATES, type TransferPurpose } from './domain/transaction-request.state-machine.js';
import { TransactionRequestQueries, type TransactionRequestDetails } from './transaction-requests.queries.js';
import { TreasuryChainChecks } from './treasury-chain-checks.js';
import { lockTreasury } from './treasury-runs.queries.js';

/** As many transfers are handed out at once; what is left over comes with the next call. */
const MOST_AT_ONCE = 100;

/** What completing a request needs. */
const COMPLETING: Permission = 'transactions:write';

/** Transfers as operators carry them out at the custody provider. */
@Injectable()
export class TransactionRequestsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly records: TransactionRequestRecords,
    private readonly queries: TransactionRequestQueries,
    private readonly transactions: AdminTransactionsService,
    private readonly chainChecks: TreasuryChainChecks,
    private readonly admins: AdminDirectoryService,
    private readonly audit: AuditService,
  ) {}

  /** Hands out every approved transfer that was not handed out before. Throws VALIDATION_ERROR for an assignee who may not complete. */
  async execute(assignee: string | undefined, admin: AdminPrincipal): Promise<TransactionRequestDetails[]> {
    const assignedTo = assignee === undefined ? null : this.completer(assignee);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await lockTreasury(tx);
      const at = this.clock.now();
      const handedOut: { id: string; transactionId: string; purpose: TransferPurpose }[] = [];
      for (const transfer of await this.lockApproved(tx)) {
        const id = await this.records.add(tx, transfer, { by: admin.email, assignedTo, at });
        handedOut.push({ id, transactionId: transfer.id, purpose: transfer.purpose });
      }
      await this.audit.record(tx, admin, {
        action: 'treasury.execute',
        subject: { type: 'treasury', id: 'transfers' },
        after: { requests: handedOut, assignedTo },
      });
      return this.queries.some(
        handedOut.map(({ id }) => id),
        tx,
      );
    });
  }

  /**
   * Gives a pending request to another admin. Throws VALIDATION_ERROR for an assignee who may not complete,
   * TRANSACTION_NOT_FOUND, INVALID_STATE.
   */
  async assign(id: string, assignee: string, admin: AdminPrincipal): Promise<TransactionRequestDetails> {
    const assignedTo = this.completer(assignee);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const transactionId = await this.records.transactionOf(tx, id);
      const request = await this.lockWithTransfer(tx, id, transactionId);
      REQUEST_STATES.next(request.status, 'assign');
      if (request.assignedTo !== assignedTo) {
        await this.records.move(tx, request, 'assign', { assignedTo });
        await this.audit.record(tx, admin, {
          action: 'transaction-request.assign',
          subject: { type: 'transaction-request', id },
          before: { assignedTo: request.assignedTo },
          after: { assignedTo },
        });
      }
      return this.queries.get(id, tx);
    });
  }

  /**
   * An operator has carried it out: confirms the transfer with the hash and posts it. Throws TRANSACTION_NOT_FOUND,
   * INVALID_STATE, DUPLICATE_TX_HASH.
   */
  async complete(
    id: string,
    done: { txHash: string; note?: string },
    admin: AdminPrincipal,
  ): Promise<TransactionRequestDetails> {
    const hash = await this.chainChecks.look(done.txHash);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const transactionId = await this.records.transactionOf(tx, id);
      const request = await this.lockWithTransfer(tx, id, transactionId);
      REQUEST_STATES.next(request.status, 'complete');
      await this.transactions.confirmCarriedOut(tx, transactionId, hash, admin);
      await this.records.move(tx, request, 'complete', {
        completedAt: this.clock.now(),
        assignedTo: request.assignedTo ?? admin.email,
        note: done.note ?? null,
      });
      await this.audit.record(tx, admin, {
        action: 'transaction-request.complete',
        subject: { type: 'transaction-request', id },
        reason: done.note,
        before: { status: request.status },
        after: { status: 'completed', txHash: hash.txHash, transactionId },
      });
      return this.queries.get(id, tx);
    });
  }

  /** In the order of everybody who locks both: first the transfer. */
  private async lockWithTransfer(tx: Tx, id: string, transactionId: string) {
    await tx.query('select from admin_transaction where id = $1 for update', [transactionId]);
    return this.records.lock(tx, id);
  }

  private lockApproved(tx: Tx): Promise<{ id: string; purpose: TransferPurpose }[]> {
    return tx.query(
      `select id, purpose from admin_transaction as transfer
        where type = 'transfer' and status = 'processing'
          and not exists (select from transaction_request where transaction_id = transfer.id)
        order by id limit ${MOST_AT_ONCE} for update of transfer`,
    );
  }

  /** The e-mail address of an admin who may complete requests. */
  private completer(assignee: string): string {
    const admin = this.admins.byEmail(assignee);
    if (admin?.status === 'active' && permits(admin.permissions, COMPLETING)) return admin.email;
    const message = `must be an active admin with the permission ${COMPLETING}`;
    return fail('VALIDATION_ERROR', [{ field: 'assignedTo', message }]);
  }
}
