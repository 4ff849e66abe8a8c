import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { dayOf, daysBetween } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from '../users/domain/compliance.js';
import { ownedOf, OWNER_COLUMNS, type OwnedInvestment, type OwnedRow } from './admin-investments.rows.js';
import { wholeClosing, type Closing } from './domain/closing.js';
import { INVESTMENT_COLUMNS } from './investment.row.js';
import { shownIn } from './investments.mapper.js';

/** A partial closing as it was recorded. */
export interface RecordedClosing extends Closing {
  readonly number: number;
  readonly at: Date;
  readonly by: string;
}

/** One investment with all that an operator needs. */
export interface InvestmentDetail extends OwnedInvestment {
  readonly compliance: ComplianceFigures;
  /** The value at which its units were issued; null until then. */
  readonly issueNav: Money | null;
  /** Calendar days from creation until now or its end. */
  readonly daysHeld: number;
  /** What closing it now would come to; null where it can not be closed. */
  readonly closingNow: Closing | null;
  /** The investment into which it was moved. */
  readonly movedTo: string | null;
  /** The newest first. */
  readonly closings: readonly RecordedClosing[];
}

type DetailRow = OwnedRow & { issue_nav: string | null; moved_to: string | null };
type ClosingRow = Record<
  | 'value'
  | 'principal'
  | 'units'
  | 'management_fee'
  | 'performance_fee'
  | 'carried_fee'
  | 'carried_performance_fee'
  | 'forfeited'
  | 'closed_by',
  string
> & { number: number; at: Date };

const MOST_CLOSINGS = 100;

@Injectable()
export class InvestmentDetails {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly compliance: Compliance,
  ) {}

  /** Throws INVESTMENT_NOT_FOUND. */
  async of(id: string): Promise<InvestmentDetail> {
    const days = await this.navs.today();
    const [row] = await this.dataSource.query<DetailRow[]>(
      `select ${INVESTMENT_COLUMNS}, ${OWNER_COLUMNS},
              (select next.id from investment as next where next.moved_from = investment.id) as moved_to,
              (select nav from strategy_nav
                where strategy_nav.strategy_id = investment.strategy_id and day = issued_on + 1) as issue_nav
         from investment where id = $1`,
      [id],
    );
    if (!row) fail('INVESTMENT_NOT_FOUND');
    const { investment, owner } = ownedOf(row);
    const shown = shownIn(this.strategies, investment, days);
    const at = this.clock.now();
    const figures = await this.compliance.figuresOf([investment.userId]);
    return {
      shown,
      owner,
      compliance: figures.get(investment.userId) ?? NOT_CHECKED,
      issueNav: row.issue_nav === null ? null : Money.of(row.issue_nav),
      daysHeld: daysBetween(dayOf(investment.createdAt), dayOf(investment.endedAt ?? at)),
      closingNow:
        investment.status === 'active' ? wholeClosing(investment, { ...shown.day, at }, this.config) : null,
      movedTo: row.moved_to,
      closings: await this.closingsOf(id),
    };
  }

  private async closingsOf(id: string): Promise<RecordedClosing[]> {
    const rows = await this.dataSource.query<ClosingRow[]>(
      `select number, at, closed_by, value, principal, units, management_fee, performance_fee, carried_fee,
              carried_performance_fee, forfeited
         from investment_closing where investment_id = $1 order by number desc limit $2`,
      [id, MOST_CLOSINGS],
    );
    return rows.map((row) => {
      const [value, principal] = [Money.of(row.value), Money.of(row.principal)];
      return {
        number: row.number,
        at: row.at,
        by: row.closed_by,
        value,
        principal,
        units: Money.of(row.units),
        growth: value.minus(principal),
        fees: {
          management: Money.of(row.management_fee),
          performance: Money.of(row.performance_fee),
          carried: Money.of(row.carried_fee),
          carriedPerformance: Money.of(row.carried_performance_fee),
        },
        forfeited: Money.of(row.forfeited),
      };
    });
  }
}
