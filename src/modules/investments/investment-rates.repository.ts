import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Money } from '../../common/money.js';

@Injectable()
export class InvestmentRatesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The yearly rate in percent that led to each strategy's newest NAV, and when any investment last changed. */
  async findRatesAndLastChange(
    strategyIds: readonly string[],
  ): Promise<{ rates: Map<string, Money>; changedAt: Date | null }> {
    const rows = await this.dataSource.query<{ strategy_id: string; apy: string; changed_at: Date | null }[]>(
      `select strategy_id, (select apy from strategy_nav -- owned by the module strategies
                             where strategy_nav.strategy_id = strategy.strategy_id
                             order by day desc limit 1) as apy,
              (select max(updated_at) from investment) as changed_at
         from unnest($1::text[]) as strategy(strategy_id)`,
      [strategyIds],
    );
    return {
      rates: new Map(rows.map((row) => [row.strategy_id, Money.of(row.apy)])),
      changedAt: rows[0]?.changed_at ?? null,
    };
  }
}
