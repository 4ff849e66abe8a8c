import { fail, type FieldProblem } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { minedOf, NOT_MINED, type Mined } from '../../blockchain/domain/mined.js';
import type { NotificationContent } from '../../notifications/notifications.types.js';
import type { TransactionUpdate } from '../../transactions/domain/transaction-projection.js';
import type { AdminTransaction } from '../entities/admin-transaction.entity.js';
import type { AdminTransactionType } from './admin-transaction.state-machine.js';

/** The body of a request for an admin transaction, each field validated on its own. */
export interface AdminTransactionInput {
  readonly type: AdminTransactionType;
  readonly userId?: string | undefined;
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly withdrawalId?: string | undefined;
  readonly source?: 'deposit-provider' | 'suspense' | undefined;
}

type Field = 'userId' | 'withdrawalId' | 'source';
type Presence = 'required' | 'optional' | 'forbidden';

const FIELDS_BY_TYPE: Record<AdminTransactionType, Record<Field, Presence>> = {
  deposit: { userId: 'required', withdrawalId: 'forbidden', source: 'optional' },
  withdrawal: { userId: 'required', withdrawalId: 'forbidden', source: 'forbidden' },
  transfer: { userId: 'forbidden', withdrawalId: 'forbidden', source: 'forbidden' },
  reversal: { userId: 'optional', withdrawalId: 'required', source: 'forbidden' },
};

/** Throws VALIDATION_ERROR for missing or surplus fields, INVALID_AMOUNT for an amount that is not above zero. */
export function requireValidInput(input: AdminTransactionInput): void {
  const problems = Object.entries(FIELDS_BY_TYPE[input.type]).flatMap(([field, presence]): FieldProblem[] => {
    const isGiven = (input[field as Field] ?? undefined) !== undefined;
    if (presence === 'required' && !isGiven) return [{ field, message: `is needed for a ${input.type}` }];
    if (presence === 'forbidden' && isGiven)
      return [{ field, message: `does not belong to a ${input.type}` }];
    return [];
  });
  if (problems.length > 0) fail('VALIDATION_ERROR', problems);
  if (!Money.of(input.amount).isPositive())
    fail('INVALID_AMOUNT', undefined, { message: 'The amount must be above zero.' });
}

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
