import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { depositBooked, treasuryMoved, withdrawalBooked } from '../ledger/domain/treasury-postings.js';
import { USDC } from '../ledger/domain/chart-of-accounts.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { bookingNotification, bookingRecord } from './domain/booking-records.js';
import { isIntoCustody } from './domain/transfer-plan.js';
import type { AdminTransaction } from './entities/admin-transaction.entity.js';

/** Posts confirmed admin transactions to the ledger and records them for their users. */
@Injectable()
export class AdminTransactionBookingsService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly withdrawals: WithdrawalsService,
    private readonly transactions: TransactionsRepository,
    private readonly notifications: NotificationsService,
    private readonly repository: AdminTransactionsRepository,
  ) {}

  /** Throws INSUFFICIENT_BALANCE; INVALID_STATE if the withdrawal of a reversal reserves no money any more. */
  async bookConfirmed(
    tx: Tx,
    transaction: AdminTransaction,
    admin: { readonly email: string },
  ): Promise<void> {
    const { type, withdrawalId } = transaction;
    // The withdrawals module records and notifies the reversal itself.
    if (type === 'reversal') return this.withdrawals.releaseWithdrawal(tx, withdrawalId as string, admin);
    if (type === 'transfer') return this.bookTransfer(tx, transaction);
    return this.bookForUser(tx, transaction, transaction.userId as string);
  }

  private async bookTransfer(tx: Tx, transaction: AdminTransaction): Promise<void> {
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
    const booking = { transactionId: id, userId, amount, at };
    if (type === 'withdrawal') {
      await this.ledger.requireAvailable(tx, userId, amount);
      await this.ledger.post(tx, withdrawalBooked(booking));
    } else {
      if (fromSuspense) await this.requireSuspense(tx, transaction);
      const network = transaction.network as string;
      await this.ledger.post(tx, depositBooked({ ...booking, network, fromSuspense }));
    }
    await this.transactions.collectTransactionStep(tx, bookingRecord(transaction, userId, at));
    await this.notifications.insertNotification(tx, userId, at, bookingNotification(transaction));
  }

  private async requireSuspense(tx: Tx, { amount }: AdminTransaction): Promise<void> {
    const available = await this.repository.lockUnclaimedSuspense(tx);
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
