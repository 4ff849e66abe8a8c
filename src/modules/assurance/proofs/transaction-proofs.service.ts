import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminTransactionsService } from '../../backoffice/treasury/admin-transactions.service.js';
import {
  TRANSACTION_KINDS,
  type TransactionType,
} from '../../portfolio/transactions/domain/transaction-kinds.js';
import { TransactionsRepository } from '../../portfolio/transactions/transactions.repository.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { type InclusionPath, LogProofsService } from './log-proofs.service.js';
import type { PostingsOfRecord } from './proofs.types.js';

export interface TransactionProof extends InclusionPath {
  readonly leafText: string;
}

/** Proves that the ledger transactions of a record, as users and admins see it, are in the log. */
@Injectable()
export class TransactionProofsService {
  constructor(
    private readonly transactions: TransactionsRepository,
    private readonly adminTransactions: AdminTransactionsService,
    private readonly entries: CommittedEntriesRepository,
    private readonly proofs: LogProofsService,
  ) {}

  /** Throws TRANSACTION_NOT_FOUND, PERMISSION_DENIED for another user's transaction, PROOF_PENDING until it is sealed. */
  async proveUserTransaction(id: string, userId: string): Promise<TransactionProof[]> {
    const record = (await this.transactions.findTransaction(id)) ?? throwError('TRANSACTION_NOT_FOUND');
    if (record.userId !== userId) throwError('PERMISSION_DENIED');
    return this.provePostings(postingsOfUserRecord(record));
  }

  /** For admins: proves a transaction of any user or a transaction by hand. Throws TRANSACTION_NOT_FOUND, PROOF_PENDING. */
  async proveAnyTransaction(id: string): Promise<TransactionProof[]> {
    const record = await this.transactions.findTransaction(id);
    if (record) return this.provePostings(postingsOfUserRecord(record));
    return this.provePostings(postingsOfBooking(await this.adminTransactions.getTransaction(id)));
  }

  private async provePostings(postings: PostingsOfRecord): Promise<TransactionProof[]> {
    const ids = await this.entries.findPostedIds(postings);
    if (ids.length === 0) return []; // the record has moved no money
    const leaves = await this.proofs.getLeavesOfTransactions(ids);
    const paths = await this.proofs.proveInclusion(leaves.map(({ leafIndex }) => leafIndex));
    return paths.map((path, index) => ({ ...path, leafText: leaves[index]?.leafText as string }));
  }
}

/** `record`: a row of the user's history, which has the reference of its postings. */
function postingsOfUserRecord(record: {
  readonly type: TransactionType;
  readonly referenceType: string;
  readonly referenceId: string;
}): PostingsOfRecord {
  return {
    types: TRANSACTION_KINDS[record.type].postings,
    reference: { type: record.referenceType, id: record.referenceId },
  };
}

/** `booking`: a transaction by hand. The posting of a withdrawal's reversal has the reference of the withdrawal. */
function postingsOfBooking(booking: {
  readonly id: string;
  readonly type: TransactionType | 'transfer';
  readonly byAdmins: { readonly withdrawalId: string | null } | null;
}): PostingsOfRecord {
  const { id, type, byAdmins } = booking;
  if (type === 'transfer')
    return { types: ['treasury-transfer'], reference: { type: 'treasury-transfer', id } };
  const withdrawalId = type === 'reversal' ? (byAdmins?.withdrawalId ?? null) : null;
  const reference =
    withdrawalId === null ? { type: 'admin-transaction', id } : { type: 'withdrawal', id: withdrawalId };
  return { types: TRANSACTION_KINDS[type].postings, reference };
}
