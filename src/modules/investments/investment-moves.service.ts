import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { closed, invested } from '../ledger/postings.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import { NavsService, type NavDayLock } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import type { InvestmentEvent } from './investment.events.js';
import { legFees } from './domain/fees.js';
import { openedInvestment, posted } from './domain/opening.js';
import { addInvestment, lockOwnInvestment, saveInvestment } from './investments.repository.js';
import type { Investment, Origin } from './investment.row.js';
import { statusAfter } from './domain/investment.state-machine.js';
import { priceOf, valueOf } from './domain/valuation.js';
import type { InvestmentResponse } from './dto/investment.response.js';
import { toInvestmentResponse } from './investments.mapper.js';

const NO_FEES = { managementFee: Money.ZERO, performanceFee: Money.ZERO };

/** Moving an investment to another strategy: one is closed and one opened, in one database transaction. */
@Injectable()
export class InvestmentMovesService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly config: AppConfig,
  ) {}

  /**
   * Answers the new investment: the whole price of the old one, without a fee; the fee that closing would have charged
   * is carried over. Limits, approval and lock-up are for money that comes in or goes out, and do not stand in the way;
   * the lock-up goes on counting from the first investment. Throws INVALID_STRATEGY for an unknown strategy and
   * for the one that it is in, INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's, INVESTMENT_ALREADY_CLOSED,
   * INVALID_STATE while it is pending, STRATEGY_NOT_AVAILABLE.
   */
  async move(userId: string, id: string, strategyId: string): Promise<InvestmentResponse> {
    const strategy = this.strategies.find(strategyId) ?? fail('INVALID_STRATEGY');
    return this.navs.write(async (tx) => {
      const old = await lockOwnInvestment(tx, userId, id);
      const status = statusAfter(old.status, 'move');
      requireAnother(strategy, old);
      if (this.strategies.isSuspended(strategy.id)) fail('STRATEGY_NOT_AVAILABLE');
      const [oldDay, newDay] = await this.lockDays(tx, old.strategyId, strategy.id);
      const value = priceOf(old, oldDay);
      const [growth, forfeited] = [value.minus(old.amount), valueOf(old, oldDay).minus(value)];
      const end = { status, updatedAt: oldDay.at, endedAt: oldDay.at, finalValue: value, forfeited };
      const ended = { ...old, ...end };
      const moved = { from: old.id, origin: this.carriedOver(old, value, oldDay) };
      const next = openedInvestment(userId, strategy.id, value, newDay, moved);
      await this.ledger.post(
        tx,
        ...closed({ ...posted(old, oldDay), growth, forfeited, ...NO_FEES }),
        invested(posted(next, newDay)),
      );
      await saveInvestment(tx, ended);
      await addInvestment(tx, next);
      await this.tell(tx, ended, next, growth);
      return toInvestmentResponse({ investment: next, strategy, day: newDay, suspended: false });
    });
  }

  /** What the next leg begins with: the fee of the leg that ends is added to those of the legs before it. */
  private carriedOver(old: Investment, value: Money, { at }: NavDayLock): Origin {
    const { management, performance } = legFees(old, value, at, this.config);
    const { carriedFees, carriedPerformanceFees } = old.origin;
    return {
      ...old.origin,
      carriedFees: carriedFees.plus(management).plus(performance),
      carriedPerformanceFees: carriedPerformanceFees.plus(performance),
    };
  }

  /**
   * In the order of their names: two moves in opposite directions, with a roll of each strategy queued between them,
   * would wait for one another in a circle.
   */
  private async lockDays(tx: Tx, oldId: string, newId: string): Promise<[old: NavDayLock, next: NavDayLock]> {
    const days = new Map<string, NavDayLock>();
    for (const id of [oldId, newId].sort()) days.set(id, await this.navs.lockDay(tx, id));
    return [days.get(oldId) as NavDayLock, days.get(newId) as NavDayLock];
  }

  private async tell(tx: Tx, old: Investment, next: Investment, growth: Money): Promise<void> {
    const [from, to] = [old, next].map(({ strategyId }) => this.strategies.get(strategyId).name) as [
      string,
      string,
    ];
    const moved = { from, to };
    const common = { userId: old.userId, fees: Money.ZERO, moved };
    await this.domainEvents.emit<InvestmentEvent>(tx, {
      ...common,
      name: 'investment.closed',
      at: old.updatedAt,
      investmentId: old.id,
      strategyId: old.strategyId,
      strategyName: from,
      principal: old.amount,
      growth,
    });
    await this.domainEvents.emit<InvestmentEvent>(tx, {
      ...common,
      name: 'investment.created',
      at: next.createdAt,
      investmentId: next.id,
      strategyId: next.strategyId,
      strategyName: to,
      principal: next.amount,
      growth: Money.ZERO,
    });
  }
}

function requireAnother(strategy: Strategy, investment: Investment): void {
  if (strategy.id !== investment.strategyId) return;
  fail('INVALID_STRATEGY', [{ field: 'strategyId', message: 'is the strategy that the investment is in' }], {
    message: 'The investment is in this strategy already.',
  });
}
