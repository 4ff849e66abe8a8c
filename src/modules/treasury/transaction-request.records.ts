import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { TransactionRequest } from './entities/transaction-request.entity.js';
import {
  REQUEST_STATES,
  type RequestVerb,
  type TransferPurpose,
} from './domain/transaction-request.state-machine.js';

type Changes = Partial<Pick<TransactionRequest, 'assignedTo' | 'note' | 'completedAt'>>;

/** The rows of requests: everything that locks or writes them is here. A transfer is locked before its request. */
@Injectable()
export class TransactionRequestRecords {
  async add(
    tx: Tx,
    transfer: { id: string; purpose: TransferPurpose },
    { by, assignedTo, at }: { by: string; assignedTo: string | null; at: Date },
  ): Promise<string> {
    const request = tx.create(TransactionRequest, {
      id: newId(),
      transactionId: transfer.id,
      type: transfer.purpose,
      status: 'pending',
      requestedBy: by,
      assignedTo,
      note: null,
      createdAt: at,
      completedAt: null,
    });
    await tx.insert(TransactionRequest, request);
    return request.id;
  }

  /** The transfer of a request, which never changes. Throws TRANSACTION_NOT_FOUND. */
  async transactionOf(tx: Tx, id: string): Promise<string> {
    const request = await tx.findOneBy(TransactionRequest, { id });
    return request?.transactionId ?? fail('TRANSACTION_NOT_FOUND');
  }

  async lock(tx: Tx, id: string): Promise<TransactionRequest> {
    return tx.findOneOrFail(TransactionRequest, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async lockPendingOf(tx: Tx, transactionId: string): Promise<TransactionRequest | null> {
    const where = { transactionId, status: 'pending' as const };
    return tx.findOne(TransactionRequest, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** Moves a locked one on: the one place that writes a status. */
  async move(tx: Tx, request: TransactionRequest, verb: RequestVerb, changes: Changes): Promise<void> {
    const status = REQUEST_STATES.next(request.status, verb);
    await tx.update(TransactionRequest, { id: request.id }, { ...changes, status });
  }
}
