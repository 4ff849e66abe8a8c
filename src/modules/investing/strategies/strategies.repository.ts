import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { Strategy } from './entities/strategy.entity.js';

@Injectable()
export class StrategiesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findStrategies(): Promise<Strategy[]> {
    return this.dataSource.manager.find(Strategy, { order: { position: 'asc', id: 'asc' } });
  }

  async upsertStrategies(tx: Tx, strategies: readonly Strategy[]): Promise<void> {
    await tx.upsert(Strategy, [...strategies], ['id']);
  }

  /** Counts the open investments of each strategy that is not in `strategyIds`. */
  async countOpenInvestmentsOfOtherStrategies(
    strategyIds: readonly string[],
  ): Promise<{ strategyId: string; count: number }[]> {
    return this.dataSource.query(
      `select strategy_id as "strategyId", count(*)::int as count
         from investment -- owned by the module investments
        where strategy_id <> all($1) and status in ('pending', 'active') group by 1 order by 1`,
      [strategyIds],
    );
  }
}
