import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { SummedRows } from '../../../http/request/pagination.js';
import type { QueueTotals } from '../../../lists/queue-totals.js';
import type { QueueQuery } from '../../../http/request/page.query.js';
import { Clock } from '../../../common/clock.js';
import { dayOf, daysBetween, startOfDay } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { NavsService } from '../strategies/navs.service.js';
import type { NavDays } from '../strategies/strategies.types.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import {
  NOT_CHECKED,
  ScreeningComplianceService,
  type ComplianceResult,
} from '../../identity/screening/screening-compliance.service.js';
import {
  AdminInvestmentsRepository,
  type OwnedInvestmentRow,
  type Owner,
} from './admin-investments.repository.js';
import { InvestmentTotalsRepository, type InvestmentTotals } from './investment-totals.repository.js';
import { wholeClosing, type Closing } from './domain/closing.js';
import {
  assessRisk,
  toInvestmentDetails,
  toInvestmentDetailsOn,
  type InvestmentDetails,
  type RiskAssessment,
} from './domain/investment.js';
import { riskProfile } from './domain/allocation.js';
import type { AdminInvestmentsQuery } from './dto/investments.request.js';
import type { InvestmentClosing } from './entities/investment.entity.js';
import type { Page } from '../../../lists/list-page.js';

export interface OwnedInvestment {
  readonly investment: InvestmentDetails;
  readonly owner: Owner;
}

export interface QueuedInvestment extends OwnedInvestment {
  readonly risk: RiskAssessment;
  readonly compliance: ComplianceResult;
}

export interface AdminInvestmentView extends OwnedInvestment {
  readonly compliance: ComplianceResult;
  /** The NAV at which the units were issued; null until then. */
  readonly issueNav: Money | null;
  /** Calendar days from the creation until now or the end. */
  readonly daysHeld: number;
  /** The amounts of closing now; null for an investment that is not active. */
  readonly closingNow: Closing | null;
  /** The newest 100 partial closings, the newest first. */
  readonly closings: readonly InvestmentClosing[];
}

/** A page of investments, and sums over all that match the filter. */
export interface InvestmentsPage extends SummedRows<OwnedInvestment> {
  readonly totals: readonly InvestmentTotals[];
}

/** A page of investments that wait for approval, and sums over all of them. */
export interface QueuedInvestmentsPage extends Page<QueuedInvestment> {
  readonly totals: QueueTotals;
}

/** Sums over all investments, to compare with the holdings at the custody provider. */
export interface InvestmentSummary {
  readonly totals: readonly InvestmentTotals[];
  /** The time up to which the totals include every change. */
  readonly asOf: Date;
  /** The NAVs of today, with the yields that the strategies have achieved. */
  readonly days: NavDays;
  /** The last change of an investment or of the value of a strategy with active investments. */
  readonly changedAt: Date | null;
}

/** Reads the investments of all users for admins. */
@Injectable()
export class AdminInvestmentsService {
  constructor(
    private readonly repository: AdminInvestmentsRepository,
    private readonly sums: InvestmentTotalsRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly compliance: ScreeningComplianceService,
    private readonly exports: ListExportsService,
  ) {}

  async listInvestments(query: AdminInvestmentsQuery): Promise<InvestmentsPage> {
    const days = await this.navs.getCurrentNavs();
    const page = await this.repository.findInvestmentsPage(query, days);
    const { totals, asOf } = await this.sums.sumInvestments(query, days);
    return {
      ...page,
      rows: page.rows.map((row) => this.withDetails(row, days)),
      total: totals.reduce((sum, { count }) => sum + count, 0),
      totals,
      asOf,
    };
  }

  /**
   * All selected investments in batches. The generator throws SERVICE_UNAVAILABLE at its first read while the admin has another
   * export open, or if too many streams are open.
   */
  async exportInvestments(
    query: AdminInvestmentsQuery,
    admin: AdminPrincipal,
  ): Promise<AsyncGenerator<OwnedInvestment[], void>> {
    const days = await this.navs.getCurrentNavs();
    const withDetails = (row: OwnedInvestmentRow) => this.withDetails(row, days);
    const { repository } = this;
    return this.exports.streamList(admin, { list: 'investments', query }, async function* (snapshot) {
      for await (const rows of repository.streamInvestments(snapshot, query, days))
        yield rows.map(withDetails);
    });
  }

  async sumInvestments(): Promise<InvestmentSummary> {
    const days = await this.navs.getCurrentNavs();
    const { totals, asOf } = await this.sums.sumInvestments({}, days);
    const changedAt = await this.sums.findLastChange();
    const strategiesWithActive = totals
      .filter(({ status }) => status === 'active')
      .map(({ strategyId }) => strategyId);
    const changes = lastChanges(days, strategiesWithActive);
    if (changedAt) changes.push(changedAt);
    return { totals, asOf, days, changedAt: changes.sort((a, b) => b.getTime() - a.getTime())[0] ?? null };
  }

  /** Investments that wait for approval. */
  async listPending(query: QueueQuery): Promise<QueuedInvestmentsPage> {
    const days = await this.navs.getCurrentNavs();
    const { rows: pending, ...page } = await this.repository.findPending(query);
    const results = await this.compliance.resultsOf([
      ...new Set(pending.map(({ investment }) => investment.userId)),
    ]);
    const rows = pending.map(({ holdings, ...row }): QueuedInvestment => {
      const owned = this.withDetails(row, days);
      const { level } = riskProfile(
        [...holdings].map(([strategyId, amount]) => ({
          strategyId,
          amount,
          riskLevel: this.strategies.getStrategy(strategyId).riskLevel,
        })),
      );
      return {
        ...owned,
        risk: assessRisk(owned.investment.strategy.riskLevel, level),
        compliance: results.get(owned.investment.userId) ?? NOT_CHECKED,
      };
    });
    return { ...page, rows, totals: await this.repository.sumPending(this.clock.now()) };
  }

  /** Throws INVESTMENT_NOT_FOUND. */
  async getInvestment(id: string): Promise<AdminInvestmentView> {
    const row = (await this.repository.findInvestment(id)) ?? throwError('INVESTMENT_NOT_FOUND');
    const { strategyId } = row.investment;
    const day = await this.navs.getCurrentDay(strategyId);
    const investment = toInvestmentDetails(this.strategies.getState(strategyId), row.investment, day);
    const results = await this.compliance.resultsOf([investment.userId]);
    return {
      investment,
      owner: row.owner,
      compliance: results.get(investment.userId) ?? NOT_CHECKED,
      issueNav: row.issueNav,
      daysHeld: daysBetween(dayOf(investment.createdAt), dayOf(investment.endedAt ?? day.at)),
      closingNow: investment.status === 'active' ? wholeClosing(investment, day, this.config) : null,
      closings: await this.repository.findClosings(id),
    };
  }

  private withDetails({ investment, owner }: OwnedInvestmentRow, days: NavDays): OwnedInvestment {
    return {
      investment: toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days),
      owner,
    };
  }
}

/** The midnights at which the NAVs of these strategies last changed. */
function lastChanges(days: NavDays, strategyIds: readonly string[]): Date[] {
  return strategyIds.flatMap((id) => {
    const changedOn = days.get(id)?.changedOn;
    return changedOn === undefined ? [] : [startOfDay(changedOn)];
  });
}
