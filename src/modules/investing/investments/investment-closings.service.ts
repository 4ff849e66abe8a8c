import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { all } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import { investmentClosed, investmentMade } from '../../core/ledger/domain/postings.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import type { NavDayLock } from '../strategies/strategies.types.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { AccountLocksService } from '../../identity/users/account-restrictions.service.js';
import { AdminInvestmentsRepository } from './admin-investments.repository.js';
import type { OwnedInvestment } from './admin-investments.service.js';
import { feeRates, legFees, planClosing, totalFees, type Closing } from './domain/closing.js';
import {
  failUnknownStrategy,
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
import { InvestmentEventEmitter, type InvestmentEvent } from './investment.events.js';
import { InvestmentsRepository } from './investments.repository.js';

const NO_FEES = { managementFee: Money.ZERO, performanceFee: Money.ZERO };

/** How the user has made a request. */
export interface UserRequest {
  /** By an API key, which a lock of the account stops. */
  readonly isByKey?: boolean;
}

/** A closing, and the investment after it. */
export interface ClosedInvestment {
  readonly closing: Closing;
  readonly investment: Investment;
}

/** Closes investments in whole, in part, or by a move to another strategy. */
@Injectable()
export class InvestmentClosingsService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly adminRepository: AdminInvestmentsRepository,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly events: InvestmentEventEmitter,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly locks: AccountLocksService,
  ) {}

  /**
   * Closes an investment for an admin: `amount` of the price, or all of it if `amount` is undefined. The lock-up applies to
   * users only. Throws INVALID_AMOUNT (400 if not positive, 422 if more than the price), INVESTMENT_NOT_FOUND,
   * INVESTMENT_ALREADY_CLOSED, and INVALID_STATE while the investment is pending.
   */
  async close(
    id: string,
    amount: string | undefined,
    admin: { readonly email: string },
  ): Promise<{ closing: Closing; after: OwnedInvestment }> {
    const requested = amount === undefined ? undefined : requirePositive(Money.of(amount));
    return this.navs.runOnPublishedDay(async (tx) => {
      const before = await this.repository.lockInvestment(tx, id);
      const status = statusAfter(before.status, 'close');
      const day = await this.navs.lockDayShared(tx, before.strategyId);
      const { closing, remaining } = planClosing(before, requested, day, this.config);
      const { investment } = remaining
        ? await this.closePart(tx, before, { closing, remaining }, day, admin.email)
        : await this.closeWhole(tx, before, closing, day, { status, by: admin.email });
      await this.audit.record(tx, admin, {
        action: 'investment.close',
        subject: { type: 'investment', id },
        before: auditFields(before),
        after: {
          ...auditFields(investment),
          redeemed: closing.price.toWire(),
          fees: totalFees(closing).toWire(),
        },
      });
      const owner = await this.adminRepository.getOwner(tx, investment.userId);
      return {
        closing,
        after: {
          investment: toInvestmentDetails(this.strategies.getState(investment.strategyId), investment, day),
          owner,
        },
      };
    });
  }

  /**
   * Pays out a whole investment. The caller has locked the investment and then the day of its strategy (`lockDayShared`). `by`
   * is the e-mail address of an admin; null if the user closes the investment.
   */
  async closeWhole(
    tx: Tx,
    before: Investment,
    closing: Closing,
    day: NavDayLock,
    { status, by }: { status: Investment['status']; by: string | null },
  ): Promise<ClosedInvestment> {
    const changes = {
      status,
      updatedAt: day.at,
      endedAt: day.at,
      endedBy: by,
      finalValue: closing.price,
      forfeited: closing.forfeited,
      fees: totalFees(closing),
      ...feeRates(this.config),
    };
    const investment = { ...before, ...changes };
    const posting = { ...postingFields(before, day), ...postingAmounts(closing) };
    await this.ledger.post(tx, ...investmentClosed(posting));
    this.repository.updateInvestment(tx, before.id, changes);
    await this.events.emitInvestmentEvent(tx, 'investment.closed', investment, eventAmounts(closing));
    return { closing, investment };
  }

  /** Pays out a part of an investment, which keeps its id and stays active. The caller holds the locks as for `closeWhole`. */
  private async closePart(
    tx: Tx,
    before: Investment,
    { closing, remaining }: { closing: Closing; remaining: Investment },
    day: NavDayLock,
    by: string,
  ): Promise<ClosedInvestment> {
    const { amount, units, firstPrincipal, carriedFees, carriedPerformanceFees } = remaining;
    const number = await this.repository.insertClosing(tx, before.id, closing, { at: day.at, by });
    const firstShare = originOf(before).firstPrincipal.minus(originOf(remaining).firstPrincipal);
    const changes = {
      amount,
      units,
      firstPrincipal,
      carriedFees,
      carriedPerformanceFees,
      updatedAt: day.at,
      closedParts: number,
      closedPrincipal: before.closedPrincipal.plus(closing.principal),
      closedGrowth: before.closedGrowth.plus(closing.growth),
      closedFees: before.closedFees.plus(totalFees(closing)),
      // Growth of earlier legs: the part's principal above its share of the first principal.
      closedEarlierGrowth: before.closedEarlierGrowth.plus(closing.principal).minus(firstShare),
    };
    const investment = { ...before, ...changes };
    const posting = { ...postingFields(before, day), ...postingAmounts(closing), closing: number };
    await this.ledger.post(tx, ...investmentClosed(posting));
    this.repository.updateInvestment(tx, before.id, changes);
    await this.events.emitInvestmentEvent(tx, 'investment.partially-closed', investment, {
      ...eventAmounts(closing),
      part: { number, left: amount },
    });
    return { closing, investment };
  }

  /**
   * Closes an investment and opens one in another strategy with the whole price, in one transaction; returns the new one.
   * The fees are carried over, not charged. Limits, approval and lock-up do not apply. Throws INVALID_STRATEGY for an unknown
   * strategy and for the investment's own, STRATEGY_NOT_AVAILABLE, and as `InvestmentsService.close`, except INVESTMENT_LOCKED.
   */
  async move(
    userId: string,
    id: string,
    strategyId: string,
    request: UserRequest = {},
  ): Promise<InvestmentDetails> {
    const strategy = this.strategies.findListedStrategy(strategyId) ?? failUnknownStrategy();
    return this.navs.runOnPublishedDay(async (tx) => {
      const old = await this.lockInvestmentOfUser(tx, userId, id, request);
      const status = statusAfter(old.status, 'move');
      requireOtherStrategy(strategy, old);
      if (this.strategies.isSuspended(strategy.id)) throwError('STRATEGY_NOT_AVAILABLE');
      const [oldDay, newDay] = await this.lockDays(tx, old.strategyId, strategy.id);
      const price = priceOf(old, oldDay);
      const growth = price.minus(old.amount);
      const forfeited = valueOf(old, oldDay).minus(price);
      const origin = this.originOfNextLeg(old, price, oldDay);
      const next = openInvestment(userId, strategy.id, price, newDay, { from: old.id, origin });
      const changes = {
        status,
        updatedAt: oldDay.at,
        endedAt: oldDay.at,
        finalValue: price,
        forfeited,
        movedTo: next.id,
        ...feeRates(this.config),
      };
      // The new investment is written before its posting, because a trigger on entries reads its `moved_from`.
      this.repository.updateInvestment(tx, old.id, changes);
      this.repository.insertInvestment(tx, next);
      await this.ledger.post(
        tx,
        ...investmentClosed({ ...postingFields(old, oldDay), growth, forfeited, ...NO_FEES }),
        investmentMade(postingFields(next, newDay)),
      );
      const moved = { from: this.strategies.getStrategy(old.strategyId).name, to: strategy.name };
      const closed = { ...old, ...changes };
      // `closed` and `created` are emitted, too, until integrations have changed to `moved` (DEC-92).
      await this.events.emitInvestmentEvent(tx, 'investment.closed', closed, { growth, moved });
      await this.events.emitInvestmentEvent(tx, 'investment.created', next, { moved });
      await this.events.emitInvestmentEvent(tx, 'investment.moved', next, {
        growth,
        moved,
        movedTo: next.id,
      });
      return toInvestmentDetails(this.strategies.getState(next.strategyId), next, newDay);
    });
  }

  /**
   * Locks an investment for its user. Throws INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's investment and, if an API key
   * makes the request, ACCOUNT_LOCKED: its holder uses it without the user.
   */
  async lockInvestmentOfUser(
    tx: Tx,
    userId: string,
    id: string,
    { isByKey = false }: UserRequest,
  ): Promise<Investment> {
    const [, investment] = await all(
      isByKey ? this.locks.requireUnlocked(tx, userId) : undefined,
      this.repository.lockInvestmentOfUser(tx, userId, id),
    );
    return investment;
  }

  /** The origin of the ended leg, with the fees of this leg added to those of the legs before it. */
  private originOfNextLeg(old: Investment, price: Money, { at }: NavDayLock): Origin {
    const { management, performance } = legFees(old, price, at, this.config);
    const { carriedFees, carriedPerformanceFees } = old;
    return {
      ...originOf(old),
      carriedFees: carriedFees.plus(management).plus(performance),
      carriedPerformanceFees: carriedPerformanceFees.plus(performance),
    };
  }

  /**
   * Locks the days in the order of the strategies' ids. In another order two moves in opposite directions would deadlock while
   * exclusive locks of both days are waiting, although the locks of moves are shared.
   */
  private async lockDays(tx: Tx, oldId: string, newId: string): Promise<[old: NavDayLock, next: NavDayLock]> {
    const days = new Map<string, NavDayLock>();
    for (const id of [oldId, newId].sort()) days.set(id, await this.navs.lockDayShared(tx, id));
    return [days.get(oldId) as NavDayLock, days.get(newId) as NavDayLock];
  }
}

/** Fees of earlier legs go to the same income accounts as those of the present leg. */
function postingAmounts({ principal, units, growth, forfeited, fees }: Closing) {
  return {
    principal,
    units,
    growth,
    forfeited,
    managementFee: fees.management.plus(fees.carried.minus(fees.carriedPerformance)),
    performanceFee: fees.performance.plus(fees.carriedPerformance),
  };
}

function eventAmounts(closing: Closing): Pick<InvestmentEvent, 'principal' | 'growth' | 'fees'> {
  return { principal: closing.principal, growth: closing.growth, fees: totalFees(closing) };
}

function auditFields({ status, amount, units }: Investment): Record<string, string> {
  return { status, amount: amount.toWire(), units: units.toString() };
}

function requirePositive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  return failAmount('must be above zero');
}

function requireOtherStrategy(strategy: Strategy, investment: Investment): void {
  if (strategy.id !== investment.strategyId) return;
  throwError(
    'INVALID_STRATEGY',
    [{ field: 'strategyId', message: 'is the strategy that the investment is in' }],
    {
      message: 'The investment is in this strategy already.',
    },
  );
}
