import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { investmentClosed } from '../ledger/domain/postings.js';
import { NavsService } from '../strategies/navs.service.js';
import type { NavDayLock } from '../strategies/strategies.types.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { AdminInvestmentsRepository } from './admin-investments.repository.js';
import type { OwnedInvestment } from './admin-investments.service.js';
import { feeRates, planClosing, totalFees, type Closing } from './domain/closing.js';
import { postingFields, toInvestmentDetails } from './domain/investment.js';
import { statusAfter } from './domain/investment.state-machine.js';
import type { Investment } from './entities/investment.entity.js';
import type { InvestmentEvent } from './investment.events.js';
import { InvestmentsRepository } from './investments.repository.js';

/** A closing, and the investment after it. */
export interface ClosedInvestment {
  readonly closing: Closing;
  readonly investment: Investment;
}

/** Pays out investments in whole or in part. */
@Injectable()
export class InvestmentClosingsService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly adminRepository: AdminInvestmentsRepository,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
  ) {}

  /**
   * An admin's closing of `amount` of the price, or of all of it if `amount` is undefined. The lock-up applies to users
   * only. Throws INVALID_AMOUNT (400 if not positive, 422 if more than the price), INVESTMENT_NOT_FOUND,
   * INVESTMENT_ALREADY_CLOSED, and INVALID_STATE while the investment is pending.
   */
  async close(
    id: string,
    amount: string | undefined,
    admin: { readonly email: string },
  ): Promise<{ closing: Closing; after: OwnedInvestment }> {
    const requested = amount === undefined ? undefined : positive(Money.of(amount));
    return this.navs.runOnPublishedDay(async (tx) => {
      const before = await this.repository.lockInvestment(tx, id);
      const status = statusAfter(before.status, 'close');
      const day = await this.navs.lockDayShared(tx, before.strategyId);
      const { closing, rest } = planClosing(before, requested, day, this.config);
      const { investment } = rest
        ? await this.closePart(tx, before, { closing, rest }, day, admin.email)
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

  /** Pays out all of an investment that is locked together with its day; `by` is an admin, or null for the user. */
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
    await this.ledger.post(tx, ...investmentClosed({ ...postingFields(before, day), ...amountsOf(closing) }));
    await this.repository.collectChanges(tx, before, changes);
    await this.emitEvent(tx, investment, { ...eventAmounts(closing), name: 'investment.closed' });
    return { closing, investment };
  }

  /** Pays out a part; the rest keeps the id and stays active. */
  private async closePart(
    tx: Tx,
    before: Investment,
    { closing, rest }: { closing: Closing; rest: Investment },
    day: NavDayLock,
    by: string,
  ): Promise<ClosedInvestment> {
    const { units, firstPrincipal, carriedFees, carriedPerformanceFees } = rest;
    const changes = {
      ...{ amount: rest.amount, units, firstPrincipal, carriedFees, carriedPerformanceFees },
      updatedAt: day.at,
      closedPrincipal: before.closedPrincipal.plus(closing.principal),
      closedGrowth: before.closedGrowth.plus(closing.growth),
      closedFees: before.closedFees.plus(totalFees(closing)),
    };
    const investment = { ...before, ...changes };
    const number = await this.repository.insertClosing(tx, before.id, closing, { at: day.at, by });
    const posting = { ...postingFields(before, day), ...amountsOf(closing), closing: number };
    await this.ledger.post(tx, ...investmentClosed(posting));
    await this.repository.collectChanges(tx, before, changes);
    const part = { number, left: investment.amount };
    await this.emitEvent(tx, investment, {
      ...eventAmounts(closing),
      name: 'investment.partially-closed',
      part,
    });
    return { closing, investment };
  }

  private async emitEvent(
    tx: Tx,
    { id, userId, strategyId, updatedAt }: Investment,
    details: Pick<InvestmentEvent, 'name' | 'principal' | 'growth' | 'fees' | 'part'>,
  ): Promise<void> {
    const { name: strategyName } = this.strategies.getStrategy(strategyId);
    await this.domainEvents.emit<InvestmentEvent>(tx, {
      ...details,
      userId,
      at: updatedAt,
      investmentId: id,
      strategyId,
      strategyName,
    });
  }
}

/** Fees of earlier legs go to the same income accounts as those of the present leg. */
function amountsOf({ principal, units, growth, forfeited, fees }: Closing) {
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

function positive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  return fail('INVALID_AMOUNT', [{ field: 'amount', message: 'must be above zero' }]);
}
