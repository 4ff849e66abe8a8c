import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import type { Money } from '../../common/money.js';
import { NOT_MINED } from '../blockchain/domain/mined.js';
import { findTxHashHolder } from '../blockchain/transaction-hash.repository.js';
import { USDC } from '../ledger/chart-of-accounts.js';
import { AdminTransaction } from './entities/admin-transaction.entity.js';
import type {
  AdminTransactionStatus,
  AdminTransactionType,
} from './domain/admin-transaction.state-machine.js';
import type { TransferPurpose } from './domain/transaction-request.state-machine.js';

/** What is asked for, of any type; what is left out does not concern it. */
export interface NewTransaction {
  readonly type: AdminTransactionType;
  readonly amount: Money;
  readonly description: string;
  readonly userId?: string;
  readonly withdrawalId?: string;
  readonly fromSuspense?: boolean;
  readonly purpose?: TransferPurpose;
  readonly network?: string;
  readonly strategyId?: string | null;
  readonly runId?: string;
}

/** What a transition writes beside the status. */
export type Changes = Partial<
  Pick<
    AdminTransaction,
    | 'approvedAt'
    | 'approvedBy'
    | 'confirmedAt'
    | 'confirmedBy'
    | 'rejectedAt'
    | 'rejectedBy'
    | 'reason'
    | 'txHash'
    | 'blockNumber'
    | 'confirmations'
    | 'gasUsed'
    | 'gasPrice'
    | 'chainCheck'
    | 'chainCheckedAt'
  >
>;

/** The rows of the admins' own transactions: everything that locks or writes them is here. */
@Injectable()
export class AdminTransactionRecords {
  async add(tx: Tx, wish: NewTransaction, by: string, at: Date): Promise<AdminTransaction> {
    const transaction = tx.create(AdminTransaction, {
      id: newId(),
      type: wish.type,
      status: 'pending',
      userId: wish.userId ?? null,
      amount: wish.amount,
      currency: USDC,
      description: wish.description,
      withdrawalId: wish.withdrawalId ?? null,
      fromSuspense: wish.fromSuspense ?? false,
      purpose: wish.purpose ?? null,
      network: wish.network ?? null,
      strategyId: wish.strategyId ?? null,
      runId: wish.runId ?? null,
      createdAt: at,
      createdBy: by,
      ...NOT_MINED,
    });
    await tx.insert(AdminTransaction, transaction);
    return transaction;
  }

  /** Locks one for the rest of the transaction. Throws TRANSACTION_NOT_FOUND. */
  async lock(tx: Tx, id: string): Promise<AdminTransaction> {
    const where = { where: { id }, lock: { mode: 'pessimistic_write' } } as const;
    return (await tx.findOne(AdminTransaction, where)) ?? fail('TRANSACTION_NOT_FOUND');
  }

  /** Moves a locked one on: the one place that writes a status. */
  async move(
    tx: Tx,
    transaction: AdminTransaction,
    to: AdminTransactionStatus,
    changes: Changes,
  ): Promise<void> {
    Object.assign(transaction, changes, { status: to });
    await tx.update(AdminTransaction, { id: transaction.id }, { ...changes, status: to });
  }

  async noteChainCheck(tx: Tx, id: string, changes: Changes): Promise<void> {
    await tx.update(AdminTransaction, { id }, changes);
  }

  /** Whether a reversal of the withdrawal is under way or done. Stable while the withdrawal is locked. */
  async hasReversal(tx: Tx, withdrawalId: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `select from admin_transaction where withdrawal_id = $1 and status <> 'failed'`,
      [withdrawalId],
    );
    return rows.length > 0;
  }

  /** Makes others that book this hash wait, then refuses with DUPLICATE_TX_HASH when anything else has it. */
  async requireNewHash(tx: Tx, txHash: string): Promise<void> {
    const holder = await findTxHashHolder(tx, txHash);
    if (holder) fail('DUPLICATE_TX_HASH', { [`${holder.type}Id`]: holder.id });
  }
}
