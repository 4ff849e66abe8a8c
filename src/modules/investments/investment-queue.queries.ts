import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { offsetOf } from '../../http/request/pagination.js';
import { queueTotals, type QueueTotals } from '../../http/request/queue-totals.js';
import type { QueueQuery } from '../../http/request/queue.query.js';
import { Clock } from '../../common/clock.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from '../users/domain/compliance.js';
import { ownedOf, OWNER_COLUMNS, type OwnedInvestment, type OwnedRow } from './admin-investments.rows.js';
import { INVESTMENT_COLUMNS } from './investment.row.js';
import { assessRisk, type RiskAssessment } from './domain/risk-assessment.js';
import { shownIn } from './investments.mapper.js';

export interface QueuedInvestment extends OwnedInvestment {
  readonly risk: RiskAssessment;
  readonly compliance: ComplianceFigures;
}

// Strategies whose units the user holds or has held.
const HELD_STRATEGIES = `array(
  select distinct held.strategy_id from investment as held
   where held.user_id = investment.user_id and held.issued_on is not null)`;

/** What waits for approval. Two statements, however much it is. */
@Injectable()
export class InvestmentQueue {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly compliance: Compliance,
  ) {}

  async list(filter: QueueQuery): Promise<{ rows: QueuedInvestment[]; totals: QueueTotals }> {
    const days = await this.navs.today();
    const order = filter.sortBy === 'amount' ? 'amount' : 'created_at';
    const rows = await this.dataSource.query<(OwnedRow & { held: string[] })[]>(
      `select ${INVESTMENT_COLUMNS}, ${OWNER_COLUMNS}, ${HELD_STRATEGIES} as held
         from (select id from investment where status = 'pending'
                order by ${order} ${filter.orderBy}, id ${filter.orderBy} limit $1 offset $2) as page
         join investment using (id)
        order by ${order} ${filter.orderBy}, id ${filter.orderBy}`,
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
    return { rows: queued, totals: await queueTotals(this.dataSource, 'investment', this.clock.now()) };
  }
}
