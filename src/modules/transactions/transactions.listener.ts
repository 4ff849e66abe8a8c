import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Facts } from '../../database/domain-events.js';
import type { DepositFact } from '../deposits/deposit.events.js';
import type { InvestmentFact } from '../investments/investment.events.js';
import type { WithdrawalFact, WithdrawalOnChainFact } from '../withdrawals/withdrawal.events.js';
import { TransactionRecords } from './transaction-records.service.js';
import { depositEvent, investmentEvents, withdrawalEvent } from './transaction.projection.js';

/** Keeps the records of what the modules below tell. */
@Injectable()
export class TransactionsListener implements OnModuleInit {
  constructor(
    private readonly facts: Facts,
    private readonly records: TransactionRecords,
  ) {}

  onModuleInit(): void {
    this.facts.subscribe<DepositFact>('deposit', (tx, fact) => this.records.follow(tx, depositEvent(fact)));
    this.facts.subscribe<WithdrawalFact>('withdrawal', (tx, fact) =>
      this.records.follow(tx, withdrawalEvent(fact)),
    );
    this.facts.subscribe<WithdrawalOnChainFact>('withdrawal-on-chain', (tx, { withdrawalId, mined }) =>
      this.records.foundOnChain(tx, { type: 'withdrawal', id: withdrawalId }, mined),
    );
    this.facts.subscribe<InvestmentFact>('investment', (tx, fact) =>
      this.records.add(tx, ...investmentEvents(fact)),
    );
  }
}
