import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { PositionRow } from '../../investing/investments/domain/investment.js';
import {
  navTableParameter,
  OPEN_POSITIONS_SQL,
} from '../../investing/investments/investment-values.repository.js';
import {
  USER_FUNDS_SQL,
  userFunds,
  type UserFunds,
  type UserFundsRow,
} from '../../core/ledger/ledger.repository.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';

// One statement reads ledger and investments at one moment, so that a concurrent write shows in both or in neither.
const FUNDS_AND_POSITIONS = prepared(
  `select funds.*, ${OPEN_POSITIONS_SQL} as positions from (${USER_FUNDS_SQL}) as funds`,
);

@Injectable()
export class BalanceRepository {
  constructor(private readonly dataSource: DataSource) {}

  async getFundsAndPositions(
    userId: string,
    navs: NavDays,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<{ funds: UserFunds; positions: PositionRow[] }> {
    const [row] = await manager.query<[UserFundsRow & { positions: PositionRow[] }]>(FUNDS_AND_POSITIONS, [
      userId,
      navTableParameter(navs),
    ]);
    return { funds: userFunds(row), positions: row.positions };
  }
}
