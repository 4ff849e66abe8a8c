import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { UsersService } from '../../identity/users/users.service.js';
import { WithdrawalPaymentsService } from '../../funds/withdrawals/withdrawal-payments.service.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import { AdminTransactionsRepository } from './admin-transactions.repository.js';
import type { AdminTransactionInput } from './domain/admin-transaction.js';
import { SETTLEMENT_NETWORK } from './domain/transfer-plan.js';
import type { NewAdminTransaction } from './treasury.types.js';

/** Compares the input of a new admin transaction with the records that it names, and computes the fields to store. */
@Injectable()
export class AdminTransactionInputsService {
  constructor(
    private readonly repository: AdminTransactionsRepository,
    private readonly withdrawals: WithdrawalsService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly users: UsersService,
  ) {}

  /** Locks the withdrawal or deposit that the input names. Throws as `AdminTransactionsService.create` does. */
  prepareTransaction(tx: Tx, input: AdminTransactionInput): Promise<NewAdminTransaction> {
    const { type, withdrawalId, depositId } = input;
    if (type === 'reversal')
      return depositId
        ? this.prepareTakeBack(tx, input, depositId)
        : this.prepareReversal(tx, input, withdrawalId as string);
    if (withdrawalId) return this.prepareLatePayment(tx, input, withdrawalId);
    return this.prepareBooking(tx, input);
  }

  /** For a deposit, withdrawal or transfer. */
  private async prepareBooking(tx: Tx, input: AdminTransactionInput): Promise<NewAdminTransaction> {
    const { type, userId, amount, description, source } = input;
    if (userId !== undefined) await this.users.get(userId, tx);
    return {
      type,
      amount: Money.of(amount),
      description,
      network: SETTLEMENT_NETWORK,
      fromSuspense: source === 'suspense',
      // Only a transfer has no user; a transfer by hand goes into custody.
      ...(userId === undefined ? { purpose: 'sweep' } : { userId }),
    };
  }

  /** For a withdrawal by hand that books a late payment of the withdrawal `withdrawalId`. */
  private async prepareLatePayment(
    tx: Tx,
    input: AdminTransactionInput,
    withdrawalId: string,
  ): Promise<NewAdminTransaction> {
    const { userId, amount } = await this.payments.lockPaidLate(tx, withdrawalId);
    requireUser(input, userId, 'withdrawal');
    requireWholeAmount(input, amount);
    return { ...(await this.prepareBooking(tx, input)), withdrawalId };
  }

  private async prepareReversal(
    tx: Tx,
    input: AdminTransactionInput,
    withdrawalId: string,
  ): Promise<NewAdminTransaction> {
    const { userId, amount } = await this.withdrawals.lockReleasable(tx, withdrawalId);
    requireUser(input, userId, 'withdrawal');
    requireWholeAmount(input, amount);
    if (await this.repository.hasReversal(tx, withdrawalId)) {
      const message = 'A reversal of this withdrawal has already been requested.';
      throwError('INVALID_STATE', { status: 'failed', action: 'reversal', allowedFrom: [] }, { message });
    }
    return { type: 'reversal', amount, description: input.description, userId, withdrawalId };
  }

  /** For a reversal that takes back the deposit `depositId`, in whole or in part. */
  private async prepareTakeBack(
    tx: Tx,
    input: AdminTransactionInput,
    depositId: string,
  ): Promise<NewAdminTransaction> {
    const { userId, status, currency, remaining } = await this.repository.lockCreditedDeposit(tx, depositId);
    requireUser(input, userId, 'deposit');
    if (currency === 'ETH')
      throwError('VALIDATION_ERROR', [
        { field: 'depositId', message: 'is a deposit of ETH, not of USDC or USDT' },
      ]);
    if (status !== 'completed') {
      const message = 'Only a credited deposit can be taken back.';
      throwError('INVALID_STATE', { status, action: 'reversal', allowedFrom: ['completed'] }, { message });
    }
    const amount = Money.of(input.amount);
    if (amount.isMoreThan(remaining)) {
      const message = `At most ${remaining.toWire()} USDC of this deposit can be taken back.`;
      failAmount(message, { maximum: remaining, requested: amount }, 422);
    }
    return { type: 'reversal', amount, description: input.description, userId, depositId };
  }
}

function requireUser(input: AdminTransactionInput, userId: string, record: 'withdrawal' | 'deposit'): void {
  if (input.userId === undefined || input.userId.toLowerCase() === userId) return;
  throwError('VALIDATION_ERROR', [{ field: 'userId', message: `is not the user of this ${record}` }]);
}

function requireWholeAmount({ type, amount }: AdminTransactionInput, expected: Money): void {
  const requested = Money.of(amount);
  if (requested.equals(expected)) return;
  const message = `The amount of the ${type} is that of the withdrawal it names: ${expected.toWire()} USDC.`;
  failAmount(message, { expected, requested }, 422);
}
