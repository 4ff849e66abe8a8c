import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import type { DepositEvent } from '../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../investing/investments/investment.events.js';
import type { WithdrawalEvent, WithdrawalOnChainEvent } from '../../funds/withdrawals/withdrawal.events.js';
import {
  toDepositTransaction,
  toInvestmentTransactions,
  toWithdrawalTransaction,
} from './domain/transaction-projection.js';
import { TransactionsRepository } from './transactions.repository.js';

/** Writes the transaction records that follow from domain events. */
@Injectable()
export class TransactionsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly transactions: TransactionsRepository,
  ) {}

  onModuleInit(): void {
    this.domainEvents.subscribe<DepositEvent>('deposit', async (tx, event) =>
      this.transactions.upsertTransaction(tx, toDepositTransaction(event)),
    );
    this.domainEvents.subscribe<WithdrawalEvent>('withdrawal', async (tx, event) =>
      this.transactions.upsertTransaction(tx, toWithdrawalTransaction(event)),
    );
    this.domainEvents.subscribe<WithdrawalOnChainEvent>('withdrawal-on-chain', async (tx, event) =>
      this.transactions.updateMined(tx, { type: 'withdrawal', id: event.withdrawalId }, event.mined),
    );
    this.domainEvents.subscribe<InvestmentEvent>('investment', async (tx, event) =>
      this.transactions.insertTransactions(tx, ...toInvestmentTransactions(event)),
    );
  }
}
