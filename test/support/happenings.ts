import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Facts } from '../../src/database/facts.js';
import { UnitOfWork, type Tx } from '../../src/database/unit-of-work.js';
import { Clock } from '../../src/kernel/clock.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import type { DepositFact } from '../../src/modules/deposits/deposit.facts.js';
import type { InvestmentFact } from '../../src/modules/investments/investment.facts.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import type { Posting } from '../../src/modules/ledger/posting.js';
import {
  cancelled,
  closed,
  depositCompleted,
  invested,
  withdrawalCompleted,
  withdrawalReleased,
  withdrawalRequested,
} from '../../src/modules/ledger/postings.js';
import type { SecurityFact } from '../../src/modules/users/security.facts.js';
import type { WithdrawalFact } from '../../src/modules/withdrawals/withdrawal.facts.js';

export interface ToldDeposit {
  id: string;
  userId: string;
  amount: string;
  currency: string;
  network: string;
}

export interface ToldInvestment {
  id: string;
  userId: string;
  principal: string;
  strategyId: string;
  strategyName: string;
}

export interface ToldWithdrawal {
  id: string;
  userId: string;
  amount: string;
}

const TO_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TX_HASH = `0x${'ab'.repeat(32)}`;

/**
 * What happens to people's money, posted and told in one database transaction as the modules do it: for tests of
 * whoever listens. With `spoil` the ledger refuses in the end, so that nothing of it may stay.
 */
export class Happenings {
  constructor(
    private readonly app: INestApplicationContext,
    private readonly spoil = false,
  ) {}

  async deposit(
    name: DepositFact['name'],
    deposit: Omit<ToldDeposit, 'id' | 'currency' | 'network'> & Partial<ToldDeposit>,
    more: { confirmations?: number; credited?: string; reason?: string } = {},
  ): Promise<ToldDeposit> {
    const told = { id: newId(), currency: 'USDC', network: 'ERC20', ...deposit };
    const amount = Money.of(told.amount);
    const credited = name === 'deposit.completed' ? Money.of(more.credited ?? told.amount) : null;
    await this.happen<DepositFact>(
      (at) => ({
        name,
        userId: told.userId,
        at,
        depositId: told.id,
        currency: told.currency,
        network: told.network,
        amount,
        credited,
        txHash: TX_HASH,
        fromAddress: null,
        toAddress: TO_ADDRESS,
        blockNumber: more.confirmations ? 77 : null,
        confirmations: more.confirmations ?? 0,
        gasUsed: null,
        gasPrice: null,
        reason: more.reason ?? null,
      }),
      (at) =>
        credited
          ? [
              depositCompleted({
                depositId: told.id,
                userId: told.userId,
                network: told.network,
                asset: told.currency,
                received: amount,
                credited,
                at,
              }),
            ]
          : [],
    );
    return told;
  }

  async invest(userId: string, principal: string): Promise<ToldInvestment> {
    const investment = {
      id: newId(),
      userId,
      principal,
      strategyId: 'balanced-10',
      strategyName: 'Balanced 10%',
    };
    await this.investment('investment.created', investment, {}, (fact, at) => [invested({ ...fact, at })]);
    return investment;
  }

  async close(investment: ToldInvestment, growth = '0', fees = '0'): Promise<void> {
    const sums = { growth: Money.of(growth), fees: Money.of(fees) };
    await this.investment('investment.closed', investment, sums, (fact, at) =>
      closed({ ...fact, at, growth: sums.growth, managementFee: sums.fees, performanceFee: Money.ZERO }),
    );
  }

  async giveBack(
    name: 'investment.cancelled' | 'investment.rejected',
    investment: ToldInvestment,
  ): Promise<void> {
    await this.investment(name, investment, {}, (fact, at) => cancelled({ ...fact, at, growth: Money.ZERO }));
  }

  async approve(investment: ToldInvestment): Promise<void> {
    await this.investment('investment.approved', investment, {}, () => []);
  }

  async withdraw(userId: string, amount: string): Promise<ToldWithdrawal> {
    const withdrawal = { id: newId(), userId, amount };
    await this.withdrawal('withdrawal.requested', withdrawal);
    return withdrawal;
  }

  async withdrawal(
    name: WithdrawalFact['name'],
    { id, userId, amount }: ToldWithdrawal,
    reason: string | null = null,
  ): Promise<void> {
    const money = Money.of(amount);
    const posting: Partial<Record<WithdrawalFact['name'], typeof withdrawalRequested>> = {
      'withdrawal.requested': withdrawalRequested,
      'withdrawal.completed': withdrawalCompleted,
      'withdrawal.cancelled': withdrawalReleased,
      'withdrawal.rejected': withdrawalReleased,
    };
    await this.happen<WithdrawalFact>(
      (at) => ({
        name,
        userId,
        at,
        withdrawalId: id,
        amount: money,
        currency: 'USDC',
        toAddress: TO_ADDRESS,
        txHash: name === 'withdrawal.completed' ? TX_HASH : null,
        reason,
      }),
      (at) =>
        [posting[name]?.({ withdrawalId: id, userId, amount: money, at })].filter(
          (made) => made !== undefined,
        ),
    );
  }

  async security(name: SecurityFact['name'], userId: string, detail: string): Promise<void> {
    await this.happen<SecurityFact>(
      (at) => ({ name, userId, at, detail }),
      () => [],
    );
  }

  private async investment(
    name: InvestmentFact['name'],
    { id, userId, principal, strategyId, strategyName }: ToldInvestment,
    sums: { growth?: Money; fees?: Money },
    postings: (
      fact: { investmentId: string; userId: string; strategyId: string; principal: Money; units: Money },
      at: Date,
    ) => Posting[],
  ): Promise<void> {
    const amount = Money.of(principal);
    const { growth = Money.ZERO, fees = Money.ZERO } = sums;
    await this.happen<InvestmentFact>(
      (at) => ({
        name,
        userId,
        at,
        investmentId: id,
        strategyId,
        strategyName,
        principal: amount,
        growth,
        fees,
      }),
      (at) => postings({ investmentId: id, userId, strategyId, principal: amount, units: amount }, at),
    );
  }

  private async happen<F extends DepositFact | InvestmentFact | WithdrawalFact | SecurityFact>(
    fact: (at: Date) => F,
    postings: (at: Date) => Posting[],
  ): Promise<void> {
    const at = this.app.get(Clock).now();
    await this.app.get(UnitOfWork).run(async (tx) => {
      await this.app.get(Facts).tell<F>(tx, fact(at));
      await this.app.get(Ledger).post(tx, ...postings(at));
      if (this.spoil) await this.overdraw(tx, at);
    });
  }

  private async overdraw(tx: Tx, at: Date): Promise<void> {
    const nobody = { withdrawalId: newId(), userId: randomUUID(), amount: Money.of('1.00'), at };
    await this.app.get(Ledger).post(tx, withdrawalRequested(nobody));
  }
}
