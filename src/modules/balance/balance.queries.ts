import { Injectable } from '@nestjs/common';
import { Money } from '../../kernel/money.js';
import { InvestmentsQueries, type OpenPosition } from '../investments/investments.queries.js';
import { LedgerQueries, type UserFunds } from '../ledger/ledger.queries.js';
import { Users } from '../users/users.service.js';

export interface Balance {
  readonly funds: UserFunds;
  /** Open investments, by strategy. */
  readonly positions: readonly OpenPosition[];
  /** Growth of the positions, not yet realised. */
  readonly accruedEarnings: Money;
  /** Domain time of the last movement, or of the user's creation when nothing ever moved. */
  readonly updatedAt: Date;
}

/** Two reads nearly always agree; whoever invests again and again without a pause makes some of them disagree. */
const READS = 20;

@Injectable()
export class BalanceQueries {
  constructor(
    private readonly ledger: LedgerQueries,
    private readonly investments: InvestmentsQueries,
    private readonly users: Users,
  ) {}

  /** A user's balance, in two round trips. Throws USER_NOT_FOUND. */
  async of(userId: string): Promise<Balance> {
    for (let read = 1; ; read++) {
      const funds = await this.ledger.fundsOf(userId);
      if (!funds.lastMovedAt) return this.untouched(userId, funds);
      const positions = await this.investments.openPositionsOf(userId);
      const invested = Money.sum(positions.map((position) => position.amount));
      // An investment made or closed between the two reads would stand in one of them alone: read again.
      if (!invested.equals(funds.invested) && read < READS) continue;
      const currentValue = Money.sum(positions.map((position) => position.currentValue));
      return {
        funds,
        positions,
        accruedEarnings: currentValue.minus(invested),
        updatedAt: funds.lastMovedAt,
      };
    }
  }

  private async untouched(userId: string, funds: UserFunds): Promise<Balance> {
    const { createdAt } = await this.users.get(userId);
    return { funds, positions: [], accruedEarnings: Money.ZERO, updatedAt: createdAt };
  }
}
