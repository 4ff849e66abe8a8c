import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { depositBooked, withdrawalBooked } from '../ledger/booked-postings.js';
import { USDC } from '../ledger/chart-of-accounts.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { treasuryMoved } from '../ledger/postings.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { bookedEvent, bookedNote } from './admin-transaction.told.js';
import type { AdminTransaction } from './entities/admin-transaction.entity.js';
import { SuspenseQueries } from './suspense.queries.js';
import { isIntoCustody } from './treasury-plan.js';

/** What confirming does to the money, and what the user is shown of it: one way for each type. */
@Injectable()
export class AdminTransactionBookings {
  constructor(
    private readonly ledger: LedgerService,
    private readonly withdrawals: WithdrawalsService,
    private readonly transactions: TransactionsRepository,
    private readonly notifications: NotificationsService,
    private readonly suspense: SuspenseQueries,
  ) {}

  /** Throws INSUFFICIENT_BALANCE when it does not fit, INVALID_STATE when there is nothing to give back any more. */
  async book(tx: Tx, transaction: AdminTransaction, admin: { readonly email: string }): Promise<void> {
    const { type, withdrawalId } = transaction;
    if (type === 'reversal') return this.withdrawals.releaseWithdrawal(tx, withdrawalId as string, admin); // tells it itself
    if (type === 'transfer') return this.move(tx, transaction);
    return this.bookForUser(tx, transaction, transaction.userId as string);
  }

  private async move(tx: Tx, transaction: AdminTransaction): Promise<void> {
    const { id, purpose, amount, network, confirmedAt } = transaction;
    await this.ledger.post(
      tx,
      treasuryMoved({
        transferId: id,
        network: network as string,
        amount: isIntoCustody(purpose) ? amount : amount.negated(),
        at: confirmedAt as Date,
      }),
    );
  }

  private async bookForUser(tx: Tx, transaction: AdminTransaction, userId: string): Promise<void> {
    const { id, type, amount, fromSuspense } = transaction;
    const at = transaction.confirmedAt as Date;
    const fact = { transactionId: id, userId, amount, at };
    if (type === 'withdrawal') {
      await this.ledger.requireAvailable(tx, userId, amount);
      await this.ledger.post(tx, withdrawalBooked(fact));
    } else {
      if (fromSuspense) await this.requireSuspense(tx, transaction);
      const network = transaction.network as string;
      await this.ledger.post(tx, depositBooked({ ...fact, network, fromSuspense }));
    }
    await this.transactions.insertTransactions(tx, bookedEvent(transaction, userId, at));
    await this.notifications.insertNotification(tx, userId, at, bookedNote(transaction));
  }

  private async requireSuspense(tx: Tx, { amount }: AdminTransaction): Promise<void> {
    const available = await this.suspense.lockUnclaimed(tx);
    if (!available.isLessThan(amount)) return;
    const message = `The suspense account holds less ${USDC} that belongs to no held deposit.`;
    fail(
      'INSUFFICIENT_BALANCE',
      {
        available: available.toWire(),
        requested: amount.toWire(),
        shortfall: amount.minus(available).toWire(),
      },
      { message },
    );
  }
}
