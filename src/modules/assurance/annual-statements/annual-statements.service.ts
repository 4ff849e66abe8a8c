import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { addDays, dayOf, startOfDay, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { languageOf, type Language } from '../../../common/message-texts.js';
import { Money } from '../../../common/money.js';
import { endOf, type Moment } from '../../../common/moment.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { letterheadOf, type Letterhead } from '../../../http/documents/document.js';
import { failTooLong, type DayRange } from '../../../http/request/date-range.js';
import { StreamingReads } from '../../../lists/streaming-reads.js';
import { BalanceHistoryService, type PastBalance } from '../../portfolio/balance/balance.service.js';
import { InvestmentHistoryRepository } from '../../investing/investments/investment-history.repository.js';
import type { StatementAccount } from '../../portfolio/statements/statements.service.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { ProfilesService } from '../../identity/users/profiles.service.js';
import { AnnualStatementsRepository } from './annual-statements.repository.js';
import {
  type CostMethod,
  type Disposal,
  disposalsOf,
  type Holding,
  incomeByMonth,
  type MonthlyIncome,
  monthsUntil,
  type UnitEvent,
} from './domain/annual-figures.js';
/** Acquisitions and disposals of units since the user's first one: all are in memory, about 2 kB each. */
const MAX_UNIT_EVENTS = 20_000;
/** Disposals of a year in a page or PDF: laying out one takes a millisecond, and its place stays in memory until the end. */
const MAX_PRINTED_DISPOSALS = 5000;

/** Amounts are in USDC. */
export interface AnnualStatement {
  readonly account: StatementAccount;
  readonly letterhead: Letterhead;
  readonly language: Language;
  readonly writtenAt: Date;
  readonly method: CostMethod;
  readonly year: number;
  readonly range: DayRange;
  /** The balances before the first day and at the end of the last one, or now. */
  readonly opening: PastBalance;
  readonly closing: PastBalance;
  /** The growth of the day before the first one and of the last day, which `opening` and `closing` do not include yet. */
  readonly lateGrowth: { readonly opening: Money; readonly closing: Money };
  readonly deposits: Money;
  /** Withdrawals that were paid. */
  readonly withdrawals: Money;
  readonly income: readonly MonthlyIncome[];
  readonly managementFees: Money;
  readonly performanceFees: Money;
  readonly disposals: readonly Disposal[];
  /** The units that are left at the end of the last day, or now. */
  readonly holdings: readonly Holding[];
  /** The name of a strategy. */
  readonly nameOf: (strategyId: string) => string;
}

interface StatementRequest {
  readonly year: number;
  readonly method: CostMethod;
}

/**
 * Statements of a calendar year, from one snapshot. Those of years that have ended do not change. The methods throw VALIDATION_ERROR for a year
 * that has not begun. They, or reading the first piece, throw INVALID_DATE_RANGE for more events or disposals than a statement can have, and
 * SERVICE_UNAVAILABLE as `StreamingReads.stream` does.
 */
@Injectable()
export class AnnualStatementsService {
  /** A test lowers them. */
  readonly limits = { unitEvents: MAX_UNIT_EVENTS, printedDisposals: MAX_PRINTED_DISPOSALS };

  constructor(
    private readonly streamingReads: StreamingReads,
    private readonly balances: BalanceHistoryService,
    private readonly investments: InvestmentHistoryRepository,
    private readonly repository: AnnualStatementsRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly profiles: ProfilesService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** What `use` makes of the statement. */
  async read<Result>(
    userId: string,
    request: StatementRequest,
    use: (statement: AnnualStatement) => Promise<Result>,
  ): Promise<Result> {
    const getStatement = await this.prepare(userId, request);
    return this.streamingReads.read(userId, async (snapshot) => use(await getStatement(snapshot)));
  }

  /** Streams what `write` makes of the statement for a page or PDF. */
  async print<Piece>(
    userId: string,
    request: StatementRequest,
    write: (statement: AnnualStatement) => AsyncGenerator<Piece, void>,
  ): Promise<AsyncGenerator<Piece, void>> {
    const getStatement = await this.prepare(userId, request);
    const { printedDisposals } = this.limits;
    return this.streamingReads.stream(userId, async function* (snapshot) {
      const statement = await getStatement(snapshot);
      if (statement.disposals.length > printedDisposals)
        failTooLong(`${printedDisposals} disposals in a page or PDF`, ': choose the format json', 'format');
      yield* write(statement);
    });
  }

  private async prepare(
    userId: string,
    { year, method }: StatementRequest,
  ): Promise<(snapshot: Snapshot) => Promise<AnnualStatement>> {
    const now = this.clock.now();
    const today = dayOf(now);
    const range = this.daysOf(year, today);
    await this.navs.publishMissingNavs(); // a snapshot does not see values that are published later
    return async (snapshot) => {
      const figures = await this.readFigures(snapshot, userId, { range, today, method });
      return { ...figures, letterhead: letterheadOf(this.config), writtenAt: now, method, year, range };
    };
  }

  private daysOf(year: number, today: Day): DayRange {
    const from = `${year}-01-01`;
    const end = `${year}-12-31`;
    if (from > today) throwError('VALIDATION_ERROR', [{ field: 'year', message: 'must have begun (UTC)' }]);
    return { from, to: end < today ? end : today };
  }

  private async readFigures(
    snapshot: Snapshot,
    userId: string,
    { range, today, method }: { range: DayRange; today: Day; method: CostMethod },
  ) {
    const { from, to } = range;
    const dayBefore = addDays(from, -1);
    const end = endOf(to, today);
    const months = monthsUntil(to);
    const lateDays = [dayBefore, to].map((day) => ({ from: day, to: day }));
    const [balances, growth, settlements, events] = await Promise.all([
      this.balances.balancesIn(snapshot, userId, [endOf(dayBefore, today), end]),
      this.investments.growthByStrategy(snapshot, userId, [...months, ...lateDays], today),
      this.repository.findSettlements(snapshot, userId, startOfDay(from), end),
      this.listUnitEvents(snapshot, userId, end),
    ]);
    const { user } = await this.profiles.get(userId, snapshot.manager);
    const [opening, closing] = balances as [PastBalance, PastBalance];
    const [lateOpening, lateClosing] = growth
      .slice(months.length)
      .map((strategies) => Money.sum(strategies.map((each) => each.growth))) as [Money, Money];
    const growthByMonth = months.flatMap(({ from: first }, index) =>
      (growth[index] ?? []).map((each) => ({ ...each, month: first.slice(0, 7) })),
    );
    const { disposals, holdings } = disposalsOf(events, method);
    return {
      account: { id: userId, email: user.email, name: user.fullName },
      language: languageOf(user.language),
      opening,
      closing,
      lateGrowth: { opening: lateOpening, closing: lateClosing },
      deposits: closing.deposits.minus(opening.deposits),
      withdrawals: paidOf(closing).minus(paidOf(opening)),
      income: incomeByMonth(growthByMonth, settlements),
      managementFees: Money.sum(settlements.map(({ managementFees }) => managementFees)),
      performanceFees: Money.sum(settlements.map(({ performanceFees }) => performanceFees)),
      disposals: disposals.filter(({ at }) => at >= startOfDay(from)),
      holdings,
      nameOf: (strategyId: string) => this.strategies.getStrategy(strategyId).name,
    };
  }

  private async listUnitEvents(snapshot: Snapshot, userId: string, end: Moment): Promise<UnitEvent[]> {
    const { unitEvents: limit } = this.limits;
    const events = await this.repository.findUnitEvents(snapshot, userId, end, limit + 1);
    if (events.length > limit)
      failTooLong(`${limit} acquisitions and disposals of units until the end of the year`, '', 'year');
    return events;
  }
}

/** The withdrawals that were paid: `withdrawals` of a balance includes those in progress. */
function paidOf({ withdrawals, reserved }: PastBalance): Money {
  return withdrawals.minus(reserved);
}
