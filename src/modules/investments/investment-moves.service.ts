import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { investmentClosed, investmentMade } from '../ledger/domain/postings.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import type { NavDayLock } from '../strategies/strategies.types.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { feeRates, legFees } from './domain/closing.js';
import {
  openInvestment,
  originOf,
  postingFields,
  toInvestmentDetails,
  type InvestmentDetails,
  type Origin,
} from './domain/investment.js';
import { statusAfter } from './domain/investment.state-machine.js';
import { priceOf, valueOf } from './domain/valuation.js';
import type { Investment } from './entities/investment.entity.js';
import type { InvestmentEvent } from './investment.events.js';
import { InvestmentsRepository } from './investments.repository.js';

const NO_FEES = { managementFee: Money.ZERO, performanceFee: Money.ZERO };

/** Moves investments to another strategy: closes one and opens another in one transaction. */
@Injectable()
export class InvestmentMovesService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly config: AppConfig,
  ) {}

  /**
   * Returns the new investment, which takes over the whole price. No fee is charged: the fees that closing would have
   * charged are carried over. Limits, approval and lock-up do not apply. Throws INVALID_STRATEGY for an unknown strategy
   * and for the investment's own, STRATEGY_NOT_AVAILABLE, and as `InvestmentsService.close` does.
   */
  async move(userId: string, id: string, strategyId: string): Promise<InvestmentDetails> {
    const strategy = this.strategies.findListedStrategy(strategyId) ?? fail('INVALID_STRATEGY');
    return this.navs.runOnPublishedDay(async (tx) => {
      const old = await this.repository.lockInvestmentOfUser(tx, userId, id);
      const status = statusAfter(old.status, 'move');
      requireOtherStrategy(strategy, old);
      if (this.strategies.isSuspended(strategy.id)) fail('STRATEGY_NOT_AVAILABLE');
      const [oldDay, newDay] = await this.lockDays(tx, old.strategyId, strategy.id);
      const value = priceOf(old, oldDay);
      const [growth, forfeited] = [value.minus(old.amount), valueOf(old, oldDay).minus(value)];
      const end = { status, updatedAt: oldDay.at, endedAt: oldDay.at, finalValue: value, forfeited };
      const changes = { ...end, ...feeRates(this.config) };
      const moved = { from: old.id, origin: this.carriedOver(old, value, oldDay) };
      const next = openInvestment(userId, strategy.id, value, newDay, moved);
      await this.ledger.post(
        tx,
        ...investmentClosed({ ...postingFields(old, oldDay), growth, forfeited, ...NO_FEES }),
        investmentMade(postingFields(next, newDay)),
      );
      await this.repository.collectChanges(tx, old, changes);
      await this.repository.collectInvestment(tx, next);
      await this.emitEvents(tx, { ...old, ...changes }, next, growth);
      return toInvestmentDetails(this.strategies.getState(next.strategyId), next, newDay);
    });
  }

  /** The origin of the next leg: the fees of the ended leg are added to those of the legs before it. */
  private carriedOver(old: Investment, value: Money, { at }: NavDayLock): Origin {
    const { management, performance } = legFees(old, value, at, this.config);
    const { carriedFees, carriedPerformanceFees } = old;
    return {
      ...originOf(old),
      carriedFees: carriedFees.plus(management).plus(performance),
      carriedPerformanceFees: carriedPerformanceFees.plus(performance),
    };
  }

  /** Locks in the order of ids, because two moves in opposite directions would otherwise deadlock. */
  private async lockDays(tx: Tx, oldId: string, newId: string): Promise<[old: NavDayLock, next: NavDayLock]> {
    const days = new Map<string, NavDayLock>();
    for (const id of [oldId, newId].sort()) days.set(id, await this.navs.lockDayShared(tx, id));
    return [days.get(oldId) as NavDayLock, days.get(newId) as NavDayLock];
  }

  private async emitEvents(tx: Tx, old: Investment, next: Investment, growth: Money): Promise<void> {
    const [from, to] = [old, next].map(({ strategyId }) => this.strategies.getStrategy(strategyId).name) as [
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

function requireOtherStrategy(strategy: Strategy, investment: Investment): void {
  if (strategy.id !== investment.strategyId) return;
  fail('INVALID_STRATEGY', [{ field: 'strategyId', message: 'is the strategy that the investment is in' }], {
    message: 'The investment is in this strategy already.',
  });
}
