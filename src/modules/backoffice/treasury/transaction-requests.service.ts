import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { TransactionLookupService } from '../../providers/chain/transaction-lookup.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { AdminTransactionsService } from './admin-transactions.service.js';
import { TRANSACTION_REQUEST_STATES } from './domain/admin-transaction.js';
import type { TransferPurpose } from './domain/transfer-plan.js';
import type { TransactionRequestsQuery } from './dto/admin-transactions.request.js';
import { TransactionRequestsRepository } from './transaction-requests.repository.js';
import { TreasuryRunsRepository } from './treasury-runs.repository.js';
import type { TransactionRequestDetails, TransactionRequestEvent } from './treasury.types.js';

/** A further call creates the requests for the remaining transfers. */
const MAX_REQUESTS_PER_CALL = 100;

const COMPLETE_PERMISSION: Permission = 'transactions:write';

/** Requests to operators to carry out approved transfers between the deposit provider and custody. */
@Injectable()
export class TransactionRequestsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly repository: TransactionRequestsRepository,
    private readonly transfers: AdminTransactionsRepository,
    private readonly runs: TreasuryRunsRepository,
    private readonly transactions: AdminTransactionsService,
    private readonly lookups: TransactionLookupService,
    private readonly admins: AdminDirectoryService,
    private readonly audit: AuditService,
    private readonly domainEvents: DomainEvents,
  ) {}

  listRequests(filter: TransactionRequestsQuery): Promise<Rows<TransactionRequestDetails>> {
    return this.repository.findPage(filter);
  }

  /** Creates requests for approved transfers without one. Throws VALIDATION_ERROR if the assignee may not complete requests. */
  async createRequests(
    assignee: string | undefined,
    admin: AdminPrincipal,
  ): Promise<TransactionRequestDetails[]> {
    const assignedTo = assignee === undefined ? null : this.requireAssignee(assignee);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.runs.lockTreasury(tx);
      const at = this.clock.now();
      const requests: { id: string; transactionId: string; purpose: TransferPurpose }[] = [];
      for (const transfer of await this.repository.lockTransfersWithoutRequest(tx, MAX_REQUESTS_PER_CALL)) {
        const options = { requestedBy: admin.email, assignedTo, at };
        const transactionId = transfer.id;
        const purpose = transfer.purpose as TransferPurpose;
        const id = this.repository.insertRequest(tx, transactionId, purpose, options);
        requests.push({ id, transactionId, purpose });
        if (assignedTo !== null) await this.emitAssigned(tx, id, assignedTo, at);
      }
      await this.audit.record(tx, admin, {
        action: 'treasury.execute',
        subject: { type: 'treasury', id: 'transfers' },
        after: { requests, assignedTo },
      });
      const ids = requests.map(({ id }) => id);
      return this.repository.findAllDetails(tx, ids);
    });
  }

  /** Throws VALIDATION_ERROR if the assignee may not complete requests, TRANSACTION_NOT_FOUND, INVALID_STATE. */
  async assign(id: string, assignee: string, admin: AdminPrincipal): Promise<TransactionRequestDetails> {
    const assignedTo = this.requireAssignee(assignee);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const request = await this.lockTransferAndRequest(tx, id);
      TRANSACTION_REQUEST_STATES.requireAllowed(request.status, 'assign');
      if (request.assignedTo !== assignedTo) {
        this.repository.updateStatus(tx, request, 'assign', { assignedTo });
        await this.audit.record(tx, admin, {
          action: 'transaction-request.assign',
          subject: { type: 'transaction-request', id },
          before: { assignedTo: request.assignedTo },
          after: { assignedTo },
        });
        await this.emitAssigned(tx, id, assignedTo, this.clock.now());
      }
      return this.repository.getDetails(tx, id);
    });
  }

  /** Confirms and posts the transfer with the hash. Throws TRANSACTION_NOT_FOUND, INVALID_STATE, DUPLICATE_TX_HASH. */
  async complete(
    id: string,
    { txHash, note }: { txHash: string; note?: string },
    admin: AdminPrincipal,
  ): Promise<TransactionRequestDetails> {
    const hash = await this.lookups.lookUpEnteredHash(txHash);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const request = await this.lockTransferAndRequest(tx, id);
      const { transactionId, status } = request;
      TRANSACTION_REQUEST_STATES.requireAllowed(status, 'complete');
      await this.transactions.confirmTransfer(tx, transactionId, hash, admin);
      this.repository.updateStatus(tx, request, 'complete', {
        completedAt: this.clock.now(),
        assignedTo: request.assignedTo ?? admin.email, // a completed request has an assignee
        note: note ?? null,
      });
      await this.audit.record(tx, admin, {
        action: 'transaction-request.complete',
        subject: { type: 'transaction-request', id },
        reason: note,
        before: { status },
        after: { status: 'completed', txHash: hash.txHash, transactionId },
      });
      return this.repository.getDetails(tx, id);
    });
  }

  private async emitAssigned(tx: Tx, requestId: string, assignedTo: string, at: Date): Promise<void> {
    const name = 'transaction-request.assigned';
    await this.domainEvents.emit<TransactionRequestEvent>(tx, { name, at, requestId, assignedTo });
  }

  /** Locks the transfer first, as every transaction that locks both rows does. Returns the request. */
  private async lockTransferAndRequest(tx: Tx, id: string) {
    await this.transfers.lockTransaction(tx, await this.repository.getTransferId(tx, id));
    return this.repository.lockRequest(tx, id);
  }

  /** Returns the admin's e-mail address. Throws VALIDATION_ERROR unless the admin is active and may complete requests. */
  private requireAssignee(assignee: string): string {
    const admin = this.admins.findAdminByEmail(assignee);
    if (admin?.status === 'active' && permits(admin.permissions, COMPLETE_PERMISSION)) return admin.email;
    const message = `must be an active admin with the permission ${COMPLETE_PERMISSION}`;
    return throwError('VALIDATION_ERROR', [{ field: 'assignedTo', message }]);
  }
}
