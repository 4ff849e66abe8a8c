import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { InvestmentEvent } from '../investments/investment.events.js';
import type { WithdrawalEvent, WithdrawalOnChainEvent } from '../withdrawals/withdrawal.events.js';
import { TransactionRecords } from './transaction-records.service.js';
import { depositEvent, investmentEvents, withdrawalEvent } from './transaction.projection.js';

/** Keeps the records of what the modules below tell. */
@Injectable()
export class TransactionsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly records: TransactionRecords,
  ) {}

  onModuleInit(): void {
    this.domainEvents.subscribe<DepositEvent>('deposit', (tx, fact) =>
      this.records.follow(tx, depositEvent(fact)),
    );
    this.domainEvents.subscribe<WithdrawalEvent>('withdrawal', (tx, fact) =>
      this.records.follow(tx, withdrawalEvent(fact)),
    );
    this.domainEvents.subscribe<WithdrawalOnChainEvent>(
      'withdrawal-on-chain',
      (tx, { withdrawalId, mined }) =>
        this.records.foundOnChain(tx, { type: 'withdrawal', id: withdrawalId }, mined),
    );
    this.domainEvents.subscribe<InvestmentEvent>('investment', (tx, fact) =>
      this.records.add(tx, ...investmentEvents(fact)),
    );
  }
}
