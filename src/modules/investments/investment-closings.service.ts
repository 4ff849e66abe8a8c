import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { closed } from '../ledger/postings.js';
import { NavsService, type NavDayLock } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { ownedIn, type OwnedInvestment } from './admin-investments.rows.js';
import { partialClosing, totalFees, wholeClosing, type Closing } from './domain/closing.js';
import type { InvestmentEvent } from './investment.events.js';
import { posted } from './domain/opening.js';
import { addClosing, lockInvestment, saveInvestment } from './investments.repository.js';
import type { Investment } from './investment.row.js';
import { statusAfter } from './domain/investment.state-machine.js';
import { priceOf, valueOf } from './domain/valuation.js';
import { shownOf } from './investments.mapper.js';

/** What was closed, and the investment as it stands after it. */
export interface Closed {
  readonly closing: Closing;
  readonly investment: Investment;
}

/** Paying out investments, wholly or in part: post, record, tell. */
@Injectable()
export class InvestmentClosingsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
  ) {}

  /**
   * An admin's closing of `amount` of the price, of all of it when there is none. A lock-up is for users and does
   * not bind it. Throws INVALID_AMOUNT (400 not positive, 422 more than the price), INVESTMENT_NOT_FOUND,
   * INVESTMENT_ALREADY_CLOSED, INVALID_STATE while it is pending.
   */
  async close(
    id: string,
    amount: string | undefined,
    admin: { readonly email: string },
  ): Promise<{ closing: Closing; after: OwnedInvestment }> {
    const wish = amount === undefined ? undefined : positive(Money.of(amount));
    return this.navs.write(async (tx) => {
      const before = await lockInvestment(tx, id);
      const status = statusAfter(before.status, 'close');
      const day = await this.navs.lockDay(tx, before.strategyId);
      const price = priceOf(before, day);
      if (wish?.isMoreThan(price)) refuseMoreThan(price, valueOf(before, day), wish);
      const isPart = wish !== undefined && wish.isLessThan(price);
      const { closing, investment } = isPart
        ? await this.part(tx, before, wish, day, admin.email)
        : await this.whole(tx, before, day, { status, by: admin.email });
      await this.audit.record(tx, admin, {
        action: 'investment.close',
        subject: { type: 'investment', id },
        before: recorded(before),
        after: {
          ...recorded(investment),
          redeemed: closing.value.toWire(),
          fees: totalFees(closing).toWire(),
        },
      });
      return { closing, after: await ownedIn(tx, shownOf(this.strategies, investment, day)) };
    });
  }

  /** Pays out all of an investment that is locked, its day, too; `by` is an admin or, where it is null, its user. */
  async whole(
    tx: Tx,
    before: Investment,
    day: NavDayLock,
    { status, by }: { status: Investment['status']; by: string | null },
  ): Promise<Closed> {
    const closing = wholeClosing(before, day, this.config);
    const investment = {
      ...before,
      status,
      updatedAt: day.at,
      endedAt: day.at,
      endedBy: by,
      finalValue: closing.value,
      forfeited: closing.forfeited,
      fees: totalFees(closing),
    };
    await this.ledger.post(tx, ...closed({ ...posted(before, day), ...amountsOf(closing) }));
    await saveInvestment(tx, investment);
    await this.tell(tx, investment, day, { ...told(closing), name: 'investment.closed' });
    return { closing, investment };
  }

  /** Pays out a part; the investment keeps its id and stays active with what is left. */
  private async part(
    tx: Tx,
    before: Investment,
    amount: Money,
    day: NavDayLock,
    by: string,
  ): Promise<Closed> {
    const { rest, ...closing } = partialClosing(before, amount, day, this.config);
    const { closedPart } = before;
    const investment = {
      ...rest,
      updatedAt: day.at,
      closedPart: {
        principal: closedPart.principal.plus(closing.principal),
        growth: closedPart.growth.plus(closing.growth),
        fees: closedPart.fees.plus(totalFees(closing)),
      },
    };
    const number = await addClosing(tx, before.id, closing, { at: day.at, by });
    const posting = { ...posted(before, day), ...amountsOf(closing), closing: number };
    await this.ledger.post(tx, ...closed(posting));
    await saveInvestment(tx, investment);
    const part = { number, left: investment.amount };
    await this.tell(tx, investment, day, { ...told(closing), name: 'investment.partially-closed', part });
    return { closing, investment };
  }

  private async tell(
    tx: Tx,
    { id, userId, strategyId }: Investment,
    { at }: NavDayLock,
    news: Pick<InvestmentEvent, 'name' | 'principal' | 'growth' | 'fees' | 'part'>,
  ): Promise<void> {
    const { name: strategyName } = this.strategies.get(strategyId);
    await this.domainEvents.emit<InvestmentEvent>(tx, {
      ...news,
      userId,
      at,
      investmentId: id,
      strategyId,
      strategyName,
    });
  }
}

/** Fees of earlier legs go to the income accounts that those of the present leg go to. */
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

function told(closing: Closing): Pick<InvestmentEvent, 'principal' | 'growth' | 'fees'> {
  return { principal: closing.principal, growth: closing.growth, fees: totalFees(closing) };
}

function recorded({ status, amount, units }: Investment): Record<string, string> {
  return { status, amount: amount.toWire(), units: units.toString() };
}

function positive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  return fail('INVALID_AMOUNT', [{ field: 'amount', message: 'must be above zero' }]);
}

function refuseMoreThan(price: Money, value: Money, requested: Money): never {
  const lower = ` Tomorrow's value is published: ${price.toWire()} USDC can be closed.`;
  const message = `The investment is worth ${value.toWire()} USDC.${price.isLessThan(value) ? lower : ''}`;
  fail(
    'INVALID_AMOUNT',
    { currentValue: value.toWire(), requested: requested.toWire() },
    { status: 422, message },
  );
}
