import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { WithdrawalEvent, WithdrawalOnChainEvent } from '../withdrawals/withdrawal.events.js';
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
    this.domainEvents.subscribe<DepositEvent>('deposit', (tx, event) =>
      this.transactions.collectTransactionStep(tx, toDepositTransaction(event)),
    );
    this.domainEvents.subscribe<WithdrawalEvent>('withdrawal', (tx, event) =>
      this.transactions.collectTransactionStep(tx, toWithdrawalTransaction(event)),
    );
    this.domainEvents.subscribe<WithdrawalOnChainEvent>('withdrawal-on-chain', (tx, event) =>
      this.transactions.collectMined(tx, { type: 'withdrawal', id: event.withdrawalId }, event.mined),
    );
    this.domainEvents.subscribe<InvestmentEvent>('investment', (tx, event) =>
      this.transactions.collectTransactions(tx, ...toInvestmentTransactions(event)),
    );
  }
}
