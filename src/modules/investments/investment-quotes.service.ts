import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { addDays, startOfDay } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { NavsService } from '../strategies/navs.service.js';
import { planClosing, type Closing } from './domain/closing.js';
import { lockEndOf } from './domain/investment.js';
import { statusAfter } from './domain/investment.state-machine.js';
import type { Investment } from './entities/investment.entity.js';
import { InvestmentsRepository } from './investments.repository.js';

/** What a closing would pay. */
export interface ClosingQuote {
  readonly investment: Investment;
  readonly closing: Closing;
  /** The end of the lock-up; null if the user can close now. */
  readonly lockedUntil: Date | null;
  readonly at: Date;
  /** The next midnight: values and fees change by day. */
  readonly validUntil: Date;
}

/** Quotes closings without doing them. */
@Injectable()
export class InvestmentQuotesService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly navs: NavsService,
    private readonly config: AppConfig,
  ) {}

  /**
   * What closing the investment, or `amount` of its price, pays now. The lock-up is reported, not enforced. Throws
   * INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's investment, INVESTMENT_ALREADY_CLOSED, INVALID_STATE while it
   * is pending, INVALID_AMOUNT (422) for zero and above the price.
   */
  async quoteClosing(userId: string, id: string, amount: string | undefined): Promise<ClosingQuote> {
    const investment = (await this.repository.findInvestment(id)) ?? fail('INVESTMENT_NOT_FOUND');
    if (investment.userId !== userId) fail('PERMISSION_DENIED');
    statusAfter(investment.status, 'close');
    const requested = amount === undefined ? undefined : positive(Money.of(amount));
    const day = await this.navs.getCurrentDay(investment.strategyId);
    const { closing } = planClosing(investment, requested, day, this.config);
    return {
      investment,
      closing,
      lockedUntil: lockEndOf(investment, day.at, this.config.INVESTMENT_LOCK_DAYS),
      at: day.at,
      validUntil: startOfDay(addDays(day.day, 1)),
    };
  }
}

function positive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  const message = 'The amount must be above zero.';
  return fail('INVALID_AMOUNT', { requested: amount.toWire() }, { status: 422, message });
}
