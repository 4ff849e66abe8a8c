import { Injectable } from '@nestjs/common';
import { Money } from '../../../common/money.js';
import { toOpenPositions, type OpenPosition } from '../../investing/investments/domain/investment.js';
import type { UserFunds } from '../../core/ledger/ledger.repository.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { ValuedSnapshot } from '../../investing/strategies/strategies.types.js';
import { UsersService } from '../../identity/users/users.service.js';
import { BalanceRepository } from './balance.repository.js';

export interface Balance {
  readonly funds: UserFunds;
  /** Open investments, summed up by strategy. */
  readonly positions: readonly OpenPosition[];
  /** Unrealised growth of the positions. */
  readonly accruedEarnings: Money;
  /** Domain time of the last movement; if there is none, of the user's creation. */
  readonly updatedAt: Date;
}

@Injectable()
export class BalanceService {
  constructor(
    private readonly repository: BalanceRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly users: UsersService,
  ) {}

  /** The balance in the snapshot, or the present one without a snapshot. Throws USER_NOT_FOUND. */
  async getBalance(userId: string, snapshot?: ValuedSnapshot): Promise<Balance> {
    const navs = snapshot?.navs ?? (await this.navs.getCurrentNavs());
    const { funds, positions: rows } = await this.repository.getFundsAndPositions(
      userId,
      navs,
      snapshot?.manager,
    );
    const positions = toOpenPositions(rows, this.strategies.all);
    const growth = positions.map(({ amount, currentValue }) => currentValue.minus(amount));
    return {
      funds,
      positions,
      accruedEarnings: Money.sum(growth),
      updatedAt: funds.lastMovedAt ?? (await this.users.get(userId, snapshot?.manager)).createdAt,
    };
  }
}
