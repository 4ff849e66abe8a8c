import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import { Money } from '../../common/money.js';
import { pricesOf } from '../investments/domain/valuation.js';
import {
  OPEN_POSITIONS_SQL,
  openPositions,
  type OpenPosition,
  type PositionRow,
} from '../investments/domain/open-positions.js';
import { USER_FUNDS_SQL, userFunds, type UserFunds, type UserFundsRow } from '../ledger/ledger.queries.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { UsersService } from '../users/users.service.js';

export interface Balance {
  readonly funds: UserFunds;
  /** Open investments, by strategy. */
  readonly positions: readonly OpenPosition[];
  /** Growth of the positions, not yet realised. */
  readonly accruedEarnings: Money;
  /** Domain time of the last movement, or of the user's creation when nothing ever moved. */
  readonly updatedAt: Date;
}

// One statement sees one moment: an investment that is made or closed meanwhile stands in both or in neither.
const BALANCE = prepared(
  `select funds.*, ${OPEN_POSITIONS_SQL} as positions from (${USER_FUNDS_SQL}) as funds`,
);

@Injectable()
export class BalanceQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly users: UsersService,
  ) {}

  /** A user's balance, in one round trip. Throws USER_NOT_FOUND. */
  async of(userId: string): Promise<Balance> {
    const prices = pricesOf(await this.navs.today());
    const [row] = (await this.dataSource.query<(UserFundsRow & { positions: PositionRow[] })[]>(BALANCE, [
      userId,
      prices,
    ])) as [UserFundsRow & { positions: PositionRow[] }];
    const funds = userFunds(row);
    const positions = openPositions(row.positions, this.strategies);
    const growth = positions.map(({ amount, currentValue }) => currentValue.minus(amount));
    return {
      funds,
      positions,
      accruedEarnings: Money.sum(growth),
      updatedAt: funds.lastMovedAt ?? (await this.users.get(userId)).createdAt,
    };
  }
}
