import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { DAY_MS } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { percentOf } from '../../common/ratio.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { cancelled, invested, unitsIssued } from '../ledger/postings.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import { NavsService, type NavDayLock } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { UsersService } from '../users/users.service.js';
import { ownedIn, type OwnedInvestment } from './admin-investments.rows.js';
import { cancellation, totalFees } from './domain/closing.js';
import { InvestmentClosingsService, type Closed } from './investment-closings.service.js';
import type { InvestmentEvent } from './investment.events.js';
import {
  addInvestment,
  lockInvestment,
  lockOwnInvestment,
  saveInvestment,
} from './investments.repository.js';
import type { Investment } from './investment.row.js';
import { openedInvestment, posted } from './domain/opening.js';
import { statusAfter } from './domain/investment.state-machine.js';
import { unitsFor } from './domain/valuation.js';
import type {
  CancelledInvestmentResponse,
  ClosedInvestmentResponse,
  InvestmentResponse,
} from './dto/investment.response.js';
import type { CreateInvestmentRequest } from './dto/investments.request.js';
import { toFeesResponse, toInvestmentResponse, ROI_DECIMALS, shownOf } from './investments.mapper.js';

/** Everything that changes an investment: lock, decide, post, record, tell. */
@Injectable()
export class InvestmentsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly domainEvents: DomainEvents,
    private readonly config: AppConfig,
    private readonly audit: AuditService,
    private readonly closings: InvestmentClosingsService,
    private readonly users: UsersService,
  ) {}

  /**
   * Invests a user's available balance. Throws INVALID_STRATEGY, INVALID_AMOUNT, DUPLICATE_INVESTMENT,
   * STRATEGY_NOT_AVAILABLE, INSUFFICIENT_BALANCE, FORBIDDEN for who is not active any more.
   */
  async create(userId: string, body: CreateInvestmentRequest): Promise<InvestmentResponse> {
    const strategy = this.strategies.find(body.strategyId) ?? fail('INVALID_STRATEGY');
    const amount = Money.of(body.amount);
    requireWithinLimits(strategy, amount);
    return this.navs.write(async (tx) => {
      await this.users.requireActive(tx, userId);
      const day = await this.navs.lockDay(tx, strategy.id);
      const investment = this.newInvestment(userId, strategy, amount, day);
      await addInvestment(tx, investment, body.idempotencyKey);
      const suspended = this.strategies.isSuspended(strategy.id);
      if (suspended) fail('STRATEGY_NOT_AVAILABLE');
      await this.ledger.requireAvailable(tx, userId, amount);
      await this.ledger.post(tx, invested(posted(investment, day)));
      await this.tell(tx, 'investment.created', investment, day);
      return toInvestmentResponse({ investment, strategy, day, suspended });
    });
  }

  /**
   * Pays out the price less the fees of all legs. Throws INVESTMENT_NOT_FOUND, PERMISSION_DENIED for another user's,
   * INVESTMENT_ALREADY_CLOSED, INVALID_STATE while it is pending, INVESTMENT_LOCKED.
   */
  async close(userId: string, id: string): Promise<ClosedInvestmentResponse> {
    return this.navs.write(async (tx) => {
      const investment = await lockOwnInvestment(tx, userId, id);
      const status = statusAfter(investment.status, 'close');
      const day = await this.navs.lockDay(tx, investment.strategyId);
      this.requireUnlocked(investment, day.at);
      return toClosedResponse(await this.closings.whole(tx, investment, day, { status, by: null }), day.at);
    });
  }

  /**
   * Returns the first principal, or the price where that is lower, and forfeits all growth. Throws as `close` does;
   * the lock-up binds it only where the investment was moved.
   */
  async cancel(userId: string, id: string): Promise<CancelledInvestmentResponse> {
    return this.navs.write(async (tx) => {
      const investment = await lockOwnInvestment(tx, userId, id);
      const status = statusAfter(investment.status, 'cancel');
      const day = await this.navs.lockDay(tx, investment.strategyId);
      if (investment.movedFrom !== null) this.requireUnlocked(investment, day.at);
      const paid = await this.giveBack(tx, investment, day, { status }, 'investment.cancelled');
      return {
        id,
        status: 'cancelled',
        message: `The investment is cancelled: ${paid.finalValue.toWire()} USDC is available again.`,
      };
    });
  }

  /** A pending investment gets its units and earns from the next day on. Throws INVESTMENT_NOT_FOUND, INVALID_STATE. */
  async approve(id: string, approvedBy: string): Promise<OwnedInvestment> {
    return this.navs.write(async (tx) => {
      const investment = await lockInvestment(tx, id);
      const status = statusAfter(investment.status, 'approve');
      const day = await this.navs.lockDay(tx, investment.strategyId);
      const approved = {
        ...investment,
        status,
        units: unitsFor(investment.amount, day),
        issuedOn: day.day,
        updatedAt: day.at,
        approvedBy,
        approvedAt: day.at,
      };
      await this.ledger.post(tx, unitsIssued(posted(approved, day)));
      await saveInvestment(tx, approved);
      await this.tell(tx, 'investment.approved', approved, day);
      await this.audit.record(
        tx,
        { email: approvedBy },
        {
          action: 'investment.approve',
          subject: { type: 'investment', id },
          before: { status: investment.status },
          after: { status, units: approved.units.toString() },
        },
      );
      return ownedIn(tx, shownOf(this.strategies, approved, day));
    });
  }

  /** Returns the principal of a pending investment. Throws INVESTMENT_NOT_FOUND, INVALID_STATE. */
  async reject(id: string, reason: string, rejectedBy: string): Promise<OwnedInvestment> {
    return this.navs.write(async (tx) => {
      const investment = await lockInvestment(tx, id);
      const status = statusAfter(investment.status, 'reject');
      const day = await this.navs.lockDay(tx, investment.strategyId);
      const end = { status, endedBy: rejectedBy, note: reason };
      const ended = await this.giveBack(tx, investment, day, end, 'investment.rejected');
      await this.audit.record(
        tx,
        { email: rejectedBy },
        {
          action: 'investment.reject',
          subject: { type: 'investment', id },
          reason,
          before: { status: investment.status },
          after: { status },
        },
      );
      return ownedIn(tx, shownOf(this.strategies, ended, day));
    });
  }

  private newInvestment(userId: string, strategy: Strategy, amount: Money, day: NavDayLock): Investment {
    const threshold = this.config.INVESTMENT_APPROVAL_THRESHOLD;
    const waits = threshold !== undefined && !amount.isLessThan(threshold);
    const active = openedInvestment(userId, strategy.id, amount, day);
    return waits ? { ...active, status: 'pending', units: Money.ZERO, issuedOn: null } : active;
  }

  /** Ends an investment whose day is locked: what it pays is available again, its growth forfeited. */
  private async giveBack(
    tx: Tx,
    before: Investment,
    day: NavDayLock,
    end: Partial<Investment>,
    news: InvestmentEvent['name'],
  ): Promise<Investment & { finalValue: Money }> {
    const { paid, ...sums } = cancellation(before, day);
    await this.ledger.post(tx, ...cancelled({ ...posted(before, day), ...sums }));
    const forfeited = sums.forfeited.plus(sums.takenBack);
    const ended = { ...before, ...end, updatedAt: day.at, endedAt: day.at, finalValue: paid, forfeited };
    await saveInvestment(tx, ended);
    await this.tell(tx, news, ended, day, paid.minus(before.amount));
    return ended;
  }

  /** The lock-up counts from the first investment of a chain of moves. */
  private requireUnlocked({ origin }: Investment, at: Date): void {
    const days = this.config.INVESTMENT_LOCK_DAYS;
    const lockedUntil = new Date(origin.firstMadeAt.getTime() + days * DAY_MS);
    if (days > 0 && at < lockedUntil) fail('INVESTMENT_LOCKED', { lockedUntil: lockedUntil.toISOString() });
  }

  private async tell(
    tx: Tx,
    name: InvestmentEvent['name'],
    investment: Investment,
    day: NavDayLock,
    growth = Money.ZERO,
  ): Promise<void> {
    await this.domainEvents.emit<InvestmentEvent>(tx, {
      name,
      userId: investment.userId,
      at: day.at,
      investmentId: investment.id,
      strategyId: investment.strategyId,
      strategyName: this.strategies.get(investment.strategyId).name,
      principal: investment.amount,
      growth,
      fees: Money.ZERO,
      ...(investment.note === null ? {} : { reason: investment.note }),
    });
  }
}

function requireWithinLimits(strategy: Strategy, amount: Money): void {
  const { minimum, maximum } = strategy;
  if (!amount.isLessThan(minimum) && !amount.isMoreThan(maximum)) return;
  const range = `must be from ${minimum.toWire()} to ${maximum.toWire()} USDC`;
  fail('INVALID_AMOUNT', [{ field: 'amount', message: range }]);
}

function toClosedResponse({ closing, investment }: Closed, at: Date): ClosedInvestmentResponse {
  const { value, principal, growth, fees } = closing;
  const { firstPrincipal } = investment.origin;
  return {
    investmentId: investment.id,
    status: 'closed',
    finalValue: value.toWire(),
    initialInvestment: principal.toWire(),
    firstPrincipal: firstPrincipal.toWire(),
    totalEarnings: growth.toWire(),
    roi: percentOf(growth, principal, ROI_DECIMALS),
    withdrawnAmount: value.minus(totalFees(closing)).toWire(),
    closedAt: at.toISOString(),
    fees: toFeesResponse(fees),
  };
}
