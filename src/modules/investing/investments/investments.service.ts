import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { all } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { LedgerService, requireSufficient } from '../../core/ledger/ledger.service.js';
import { investmentCancelled, investmentMade, unitsIssued } from '../../core/ledger/domain/postings.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import type { NavDayLock } from '../strategies/strategies.types.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { UsersService } from '../../identity/users/users.service.js';
import { AdminInvestmentsRepository } from './admin-investments.repository.js';
import type { OwnedInvestment } from './admin-investments.service.js';
import { planCancellation, planClosing } from './domain/closing.js';
import {
  failUnknownStrategy,
  lockEndOf,
  maximumInvestment,
  openInvestment,
  postingFields,
  toInvestmentDetails,
  type InvestmentDetails,
} from './domain/investment.js';
import { statusAfter } from './domain/investment.state-machine.js';
import { unitsFor } from './domain/valuation.js';
import type { CreateInvestmentRequest } from './dto/investments.request.js';
import type { Investment } from './entities/investment.entity.js';
import {
  InvestmentClosingsService,
  type ClosedInvestment,
  type UserRequest,
} from './investment-closings.service.js';
import { InvestmentEventEmitter, type InvestmentEvent } from './investment.events.js';
import { InvestmentsRepository } from './investments.repository.js';

/** Creates, approves, rejects, closes and cancels investments. */
@Injectable()
export class InvestmentsService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly adminRepository: AdminInvestmentsRepository,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly events: InvestmentEventEmitter,
    private readonly config: AppConfig,
    private readonly audit: AuditService,
    private readonly closings: InvestmentClosingsService,
    private readonly users: UsersService,
    private readonly tiers: LimitTiersService,
  ) {}

  /**
   * Invests a part of the user's available balance. Throws INVALID_STRATEGY, INVALID_AMOUNT, DUPLICATE_INVESTMENT,
   * STRATEGY_NOT_AVAILABLE, INSUFFICIENT_BALANCE, FORBIDDEN for an inactive user, and ACCOUNT_LOCKED for a request of an API key.
   */
  async create(
    userId: string,
    request: CreateInvestmentRequest,
    { isByKey = false }: UserRequest = {},
  ): Promise<InvestmentDetails> {
    const strategy = this.strategies.findListedStrategy(request.strategyId) ?? failUnknownStrategy();
    const amount = Money.of(request.amount);
    requireWithinLimits(strategy, amount, strategy.maximum);
    const idempotencyKey = request.idempotencyKey ?? null;
    return this.navs.runOnPublishedDay(async (tx) => {
      const [, day, available, , tier] = await all(
        this.users.requireActive(tx, userId, { isUnlocked: isByKey }),
        this.navs.lockDayShared(tx, strategy.id),
        this.ledger.lockAvailable(tx, userId),
        this.repository.requireUnusedKey(tx, userId, idempotencyKey),
        this.tiers.getTierOfUser(tx, userId),
      );
      requireWithinLimits(strategy, amount, maximumInvestment(strategy, tier));
      if (this.strategies.isSuspended(strategy.id)) throwError('STRATEGY_NOT_AVAILABLE');
      requireSufficient(available, amount);
      const investment = { ...this.newInvestment(userId, strategy, amount, day), idempotencyKey };
      this.repository.insertInvestment(tx, investment);
      await this.ledger.post(tx, investmentMade(postingFields(investment, day)));
      const isPending = investment.status === 'pending';
      await this.events.emitInvestmentEvent(tx, 'investment.created', investment, { isPending });
      return toInvestmentDetails(this.strategies.getState(investment.strategyId), investment, day);
    });
  }

  /**
   * Closes a whole investment and pays out the price less the fees of all legs. Throws the errors of `lockInvestmentOfUser`,
   * INVESTMENT_ALREADY_CLOSED, INVALID_STATE while it is pending, and INVESTMENT_LOCKED.
   */
  async close(userId: string, id: string, request: UserRequest = {}): Promise<ClosedInvestment> {
    return this.navs.runOnPublishedDay(async (tx) => {
      const investment = await this.closings.lockInvestmentOfUser(tx, userId, id, request);
      const status = statusAfter(investment.status, 'close');
      const day = await this.navs.lockDayShared(tx, investment.strategyId);
      this.requireLockUpOver(investment, day.at);
      const { closing } = planClosing(investment, undefined, day, this.config);
      return this.closings.closeWhole(tx, investment, closing, day, { status, by: null });
    });
  }

  /**
   * Pays the first principal, or the price if it is lower, and forfeits the rest of the value. Throws the errors of
   * `lockInvestmentOfUser`, INVESTMENT_ALREADY_CLOSED, and INVESTMENT_LOCKED during the lock-up of an investment that a move opened.
   */
  async cancel(
    userId: string,
    id: string,
    request: UserRequest = {},
  ): Promise<Investment & { finalValue: Money }> {
    return this.navs.runOnPublishedDay(async (tx) => {
      const investment = await this.closings.lockInvestmentOfUser(tx, userId, id, request);
      const status = statusAfter(investment.status, 'cancel');
      const day = await this.navs.lockDayShared(tx, investment.strategyId);
      if (investment.movedFrom !== null) this.requireLockUpOver(investment, day.at);
      return this.payBack(tx, investment, day, { status }, 'investment.cancelled');
    });
  }

  /** Issues the units of a pending investment, which earns from the next day on. Throws INVESTMENT_NOT_FOUND, INVALID_STATE. */
  async approve(id: string, approvedBy: string): Promise<OwnedInvestment> {
    return this.navs.runOnPublishedDay(async (tx) => {
      const pending = await this.repository.lockInvestment(tx, id);
      const status = statusAfter(pending.status, 'approve');
      const day = await this.navs.lockDayShared(tx, pending.strategyId);
      const units = unitsFor(pending.amount, day);
      const { day: issuedOn, at } = day;
      const changes = { status, units, issuedOn, updatedAt: at, approvedBy, approvedAt: at };
      const approved = { ...pending, ...changes };
      await this.ledger.post(tx, unitsIssued(postingFields(approved, day)));
      this.repository.updateInvestment(tx, id, changes);
      await this.events.emitInvestmentEvent(tx, 'investment.approved', approved);
      await this.audit.record(
        tx,
        { email: approvedBy },
        {
          action: 'investment.approve',
          subject: { type: 'investment', id },
          before: { status: pending.status },
          after: { status, units: units.toString() },
        },
      );
      return this.withOwner(tx, approved, day);
    });
  }

  /** Rejects a pending investment and pays its principal back. Throws INVESTMENT_NOT_FOUND, INVALID_STATE. */
  async reject(id: string, reason: string, rejectedBy: string): Promise<OwnedInvestment> {
    return this.navs.runOnPublishedDay(async (tx) => {
      const pending = await this.repository.lockInvestment(tx, id);
      const status = statusAfter(pending.status, 'reject');
      const day = await this.navs.lockDayShared(tx, pending.strategyId);
      const end = { status, endedBy: rejectedBy, note: reason };
      const rejected = await this.payBack(tx, pending, day, end, 'investment.rejected');
      await this.audit.record(
        tx,
        { email: rejectedBy },
        {
          action: 'investment.reject',
          subject: { type: 'investment', id },
          reason,
          before: { status: pending.status },
          after: { status },
        },
      );
      return this.withOwner(tx, rejected, day);
    });
  }

  private newInvestment(userId: string, strategy: Strategy, amount: Money, day: NavDayLock): Investment {
    const threshold = this.config.INVESTMENT_APPROVAL_THRESHOLD;
    const needsApproval = threshold !== undefined && !amount.isLessThan(threshold);
    const active = openInvestment(userId, strategy.id, amount, day);
    return needsApproval ? { ...active, status: 'pending', units: Money.ZERO, issuedOn: null } : active;
  }

  /**
   * Cancels or rejects an investment: pays the price, at most the first principal, and forfeits the rest of the value. The
   * caller has locked the investment and the NAV day of its strategy (`lockDayShared`).
   */
  private async payBack(
    tx: Tx,
    before: Investment,
    day: NavDayLock,
    end: Partial<Investment>,
    eventName: InvestmentEvent['name'],
  ): Promise<Investment & { finalValue: Money }> {
    const { paid, ...amounts } = planCancellation(before, day);
    await this.ledger.post(tx, ...investmentCancelled({ ...postingFields(before, day), ...amounts }));
    const forfeited = amounts.forfeited.plus(amounts.takenBack); // the growth of all legs that the user gives up
    const changes = { ...end, updatedAt: day.at, endedAt: day.at, finalValue: paid, forfeited };
    const ended = { ...before, ...changes };
    this.repository.updateInvestment(tx, before.id, changes);
    await this.events.emitInvestmentEvent(tx, eventName, ended, {
      growth: paid.minus(before.amount),
      ...(ended.note === null ? {} : { reason: ended.note }),
    });
    return ended;
  }

  private requireLockUpOver(investment: Investment, at: Date): void {
    const lockedUntil = lockEndOf(investment, at, this.config.INVESTMENT_LOCK_DAYS);
    if (lockedUntil) throwError('INVESTMENT_LOCKED', { lockedUntil: lockedUntil.toISOString() });
  }

  private async withOwner(tx: Tx, investment: Investment, day: NavDayLock): Promise<OwnedInvestment> {
    return {
      investment: toInvestmentDetails(this.strategies.getState(investment.strategyId), investment, day),
      owner: await this.adminRepository.getOwner(tx, investment.userId),
    };
  }
}

function requireWithinLimits({ minimum }: Strategy, amount: Money, maximum: Money): void {
  if (!amount.isLessThan(minimum) && !amount.isMoreThan(maximum)) return;
  failAmount(`must be from ${minimum.toWire()} to ${maximum.toWire()} USDC`, { minimum, maximum });
}
