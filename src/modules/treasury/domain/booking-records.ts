import { minedOf, NOT_MINED, type Mined } from '../../blockchain/domain/mined.js';
import type { NotificationContent } from '../../notifications/notifications.types.js';
import type { TransactionUpdate } from '../../transactions/transactions.types.js';
import type { AdminTransaction } from '../entities/admin-transaction.entity.js';

// The transaction record and the notification that a user receives for a deposit or withdrawal booked by hand.

type Booked = Pick<
  AdminTransaction,
  'id' | 'type' | 'amount' | 'currency' | 'description' | 'txHash' | 'chainCheck' | keyof Mined
>;

export function bookingRecord(booked: Booked, userId: string, at: Date): TransactionUpdate {
  const { id, type, amount, currency, description, txHash } = booked;
  const isWithdrawal = type === 'withdrawal';
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
    type: isWithdrawal ? 'withdrawal' : 'deposit',
    reference: { type: 'admin-transaction', id },
    verb: 'complete',
    at,
    amount,
    currency,
    balanceChange: isWithdrawal ? amount.negated() : amount,
    description,
    stepDescription: isWithdrawal ? 'Paid out' : 'Credited',
    ...(txHash === null ? {} : { chain: onChain }),
  };
}

export function bookingNotification(booked: Booked): NotificationContent {
  const isWithdrawal = booked.type === 'withdrawal';
  const sum = `${booked.amount.toWire()} ${booked.currency}`;
  return {
    type: isWithdrawal ? 'withdrawal' : 'deposit',
    category: 'transaction',
    priority: 'high',
    title: isWithdrawal ? 'Withdrawal booked' : 'Deposit booked',
    message: isWithdrawal
      ? `${sum} have been paid out to you. ${booked.description}`
      : `${sum} have been credited to you. ${booked.description}`,
    actionUrl: '/transactions',
    metadata: {
      transactionId: booked.id,
      amount: booked.amount.toWire(),
      currency: booked.currency,
      txHash: booked.txHash,
    },
  };
}
