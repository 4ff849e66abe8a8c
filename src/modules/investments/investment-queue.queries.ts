import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { offsetOf, type Rows } from '../../http/pagination/page.js';
import { Clock } from '../../kernel/clock.js';
import { Money } from '../../kernel/money.js';
import { Navs } from '../strategies/navs.service.js';
import { Strategies } from '../strategies/strategies.service.js';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from '../users/compliance.js';
import { ownedOf, OWNER_COLUMNS, type OwnedInvestment, type OwnedRow } from './admin-investments.rows.js';
import { INVESTMENT_COLUMNS } from './investment.row.js';
import { assessRisk, type RiskAssessment } from './risk-assessment.js';
import { shownIn } from './shown-investment.js';

export interface QueuedInvestment extends OwnedInvestment {
  readonly risk: RiskAssessment;
  readonly compliance: ComplianceFigures;
}

export interface QueueTotals {
  readonly amount: Money;
  readonly oldest: Date | null;
  /** Whole seconds; null when nothing waits. */
  readonly averageWaitSeconds: number | null;
}

interface QueueFilter {
  readonly sortBy: 'createdAt' | 'amount';
  readonly orderBy: 'asc' | 'desc';
  readonly page: number;
  readonly limit: number;
}

// Strategies whose units the user holds or has held.
const HELD_STRATEGIES = `array(
  select distinct held.strategy_id from investment as held
   where held.user_id = investment.user_id and held.issued_on is not null)`;

/** What waits for approval (D26). Two statements, however much it is. */
@Injectable()
export class InvestmentQueue {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly navs: Navs,
    private readonly strategies: Strategies,
    private readonly compliance: Compliance,
  ) {}

  async list(filter: QueueFilter): Promise<Rows<QueuedInvestment> & { totals: QueueTotals }> {
    const days = await this.navs.today();
    const order = filter.sortBy === 'amount' ? 'amount' : 'created_at';
    const rows = await this.dataSource.query<(OwnedRow & { held: string[] })[]>(
      `select ${INVESTMENT_COLUMNS}, ${OWNER_COLUMNS}, ${HELD_STRATEGIES} as held
         from investment where status = 'pending'
        order by ${order} ${filter.orderBy}, id ${filter.orderBy} limit $1 offset $2`,
      [filter.limit, offsetOf(filter)],
    );
    const figures = await this.compliance.figuresOf([...new Set(rows.map((row) => row.user_id))]);
    const queued = rows.map((row): QueuedInvestment => {
      const { investment, owner } = ownedOf(row);
      const shown = shownIn(this.strategies, investment, days);
      const held = row.held.map((id) => this.strategies.get(id).riskLevel);
      return {
        shown,
        owner,
        risk: assessRisk(shown.strategy.riskLevel, held),
        compliance: figures.get(investment.userId) ?? NOT_CHECKED,
      };
    });
    return { rows: queued, ...(await this.totals()) };
  }

  private async totals(): Promise<{ total: number; totals: QueueTotals }> {
    const [row] = await this.dataSource.query<
      { total: number; amount: string; oldest: Date | null; seconds: number | null }[]
    >(
      `select count(*)::int as total, coalesce(sum(amount), 0) as amount, min(created_at) as oldest,
              round(extract(epoch from avg($1::timestamptz - created_at)))::int as seconds
         from investment where status = 'pending'`,
      [this.clock.now()],
    );
    return {
      total: row?.total ?? 0,
      totals: {
        amount: Money.of(row?.amount ?? '0'),
        oldest: row?.oldest ?? null,
        averageWaitSeconds: row?.seconds ?? null,
      },
    };
  }
}
