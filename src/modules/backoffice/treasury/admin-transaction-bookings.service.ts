import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { minedOf, NOT_MINED } from '../../providers/chain/chain.client.js';
import {
  depositBooked,
  depositTakenBack,
  treasuryMoved,
  withdrawalBooked,
} from '../../core/ledger/domain/treasury-postings.js';
import { USDC } from '../../core/ledger/domain/chart-of-accounts.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import { bookingNotification, type Booked } from '../../portfolio/notifications/domain/notifications.js';
import { NotificationsService } from '../../portfolio/notifications/notifications.service.js';
import { TransactionsRepository } from '../../portfolio/transactions/transactions.repository.js';
import type { TransactionUpdate } from '../../portfolio/transactions/domain/transaction-projection.js';
import { stepText } from '../../portfolio/transactions/domain/transaction-kinds.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import { isIntoCustody } from './domain/transfer-plan.js';
import type { AdminTransaction } from './entities/treasury.entity.js';

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

  /** Throws INSUFFICIENT_BALANCE; for a reversal INVALID_STATE if its withdrawal no longer reserves money. */
  async bookConfirmed(
    tx: Tx,
    transaction: AdminTransaction,
    admin: { readonly email: string },
  ): Promise<void> {
    const { type, withdrawalId } = transaction;
    // The withdrawals module records the reversal of a withdrawal and notifies the user itself.
    if (type === 'reversal' && withdrawalId !== null)
      return this.withdrawals.releaseWithdrawal(tx, withdrawalId, admin);
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
    if (type !== 'deposit') await this.ledger.requireAvailable(tx, userId, amount);
    if (type === 'withdrawal') {
      await this.ledger.post(tx, withdrawalBooked(booking));
    } else if (type === 'reversal') {
      const tokens = await this.repository.getTokensTakenBack(tx, id);
      await this.ledger.post(tx, depositTakenBack({ ...booking, ...tokens }));
    } else {
      if (fromSuspense) await this.requireSuspense(tx, transaction);
      const network = transaction.network as string;
      await this.ledger.post(tx, depositBooked({ ...booking, network, fromSuspense }));
    }
    this.transactions.upsertTransaction(tx, bookingRecord(transaction, userId, at));
    const content = bookingNotification({ ...transaction, type: type as Booked['type'] });
    await this.notifications.insertNotification(tx, userId, at, content);
  }

  /** Throws INSUFFICIENT_BALANCE. Serialises bookings from suspense until the commit: no two spend the same money. */
  private async requireSuspense(tx: Tx, { amount }: AdminTransaction): Promise<void> {
    const available = await this.repository.lockOwnerlessSuspense(tx);
    if (!available.isLessThan(amount)) return;
    const message = `The suspense account does not hold enough ${USDC} beside the money of held deposits.`;
    throwError(
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

/** The step in the timeline of the user's record. */
const STEPS: Record<Booked['type'], string> = {
  deposit: stepText('credited'),
  withdrawal: stepText('paid'),
  reversal: stepText('takenBack'),
};

/** The transaction record of a deposit, withdrawal or reversal of a deposit booked by hand, for its user. */
function bookingRecord(booked: AdminTransaction, userId: string, at: Date): TransactionUpdate {
  const { id, amount, currency, description, txHash } = booked;
  const type = booked.type as Booked['type'];
  const isMatched = booked.chainCheck === 'matched'; // an unmatched hash may belong to another payment
  const onChain = {
    fromAddress: null,
    toAddress: null,
    txHash,
    ...(isMatched ? minedOf(booked) : NOT_MINED),
    submitted: true,
  };
  return {
    userId,
    type,
    reference: { type: 'admin-transaction', id },
    verb: 'complete',
    at,
    amount,
    currency,
    balanceChange: type === 'deposit' ? amount : amount.negated(),
    description,
    stepDescription: STEPS[type],
    ...(txHash === null ? {} : { chain: onChain }),
  };
}
