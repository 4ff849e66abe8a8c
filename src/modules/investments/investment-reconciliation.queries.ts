import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { startOfDay } from '../../common/days.js';
import { Money } from '../../common/money.js';
import { NavsService, type NavDays } from '../strategies/navs.service.js';
import { AdminInvestmentQueries, type InvestmentTotals } from './admin-investments.repository.js';

/** All investments in one view, to compare with what the custody provider holds. */
export interface Reconciliation {
  readonly totals: readonly InvestmentTotals[];
  /** Percent a year at which each strategy grows now, by strategy id. */
  readonly rates: ReadonlyMap<string, Money>;
  /** Null without a change. */
  readonly changedAt: Date | null;
}

@Injectable()
export class InvestmentReconciliation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: NavsService,
    private readonly queries: AdminInvestmentQueries,
  ) {}

  async now(): Promise<Reconciliation> {
    const days = await this.navs.today();
    const totals = await this.queries.totals({}, days);
    const { rates, changedAt } = await this.rates(days);
    const growing = totals.filter(({ status }) => status === 'active').map(({ strategyId }) => strategyId);
    const changes = [...(changedAt ? [changedAt] : []), ...lastChanges(days, growing)];
    return { totals, rates, changedAt: changes.sort((a, b) => b.getTime() - a.getTime())[0] ?? null };
  }

  /**
   * The rate of the newest published value: what custody reported for the day, else the target; 0 of a suspended one.
   * And the last change of any investment.
   */
  private async rates(days: NavDays): Promise<{ rates: Map<string, Money>; changedAt: Date | null }> {
    const rows = await this.dataSource.query<{ strategy_id: string; apy: string; changed_at: Date | null }[]>(
      `select strategy_id, (select apy from strategy_nav where strategy_nav.strategy_id = strategy.strategy_id
                             order by day desc limit 1) as apy,
              (select max(updated_at) from investment) as changed_at
         from unnest($1::text[]) as strategy(strategy_id)`,
      [[...days.keys()]],
    );
    return {
      rates: new Map(rows.map((row) => [row.strategy_id, Money.of(row.apy)])),
      changedAt: rows[0]?.changed_at ?? null,
    };
  }
}

/** Midnights at which the values of some strategies last changed. */
function lastChanges(days: NavDays, strategyIds: readonly string[]): Date[] {
  return strategyIds.flatMap((id) => {
    const changedOn = days.get(id)?.changedOn;
    return changedOn === undefined ? [] : [startOfDay(changedOn)];
  });
}
