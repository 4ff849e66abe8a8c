import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Money } from '../../kernel/money.js';

/** A user's accounts in the currency of balances. `available` = deposits − withdrawals − invested + earnings − fees. */
export interface UserFunds {
  available: Money;
  invested: Money;
  reserved: Money;
  deposits: Money;
  /** Paid out or reserved to be. */
  withdrawals: Money;
  /** Realised on closing; a loss is negative. */
  earnings: Money;
  fees: Money;
  /** Domain time of the last movement of any of the three; null when nothing ever moved. */
  lastMovedAt: Date | null;
}

type Sum = Exclude<keyof UserFunds, 'lastMovedAt'>;

@Injectable()
export class LedgerQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** A user's funds in one round trip; all zero for a user without accounts. */
  async fundsOf(userId: string): Promise<UserFunds> {
    const [row] = (await this.dataSource.query(
      `select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
              coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
              coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved,
              coalesce(sum(moved.deposits), 0) as deposits,
              coalesce(-sum(moved.withdrawals), 0) as withdrawals,
              coalesce(sum(moved.earnings), 0) as earnings,
              coalesce(-sum(moved.fees), 0) as fees,
              max((select max(effective_at) from ledger_entry where account_id = account.id)) as "lastMovedAt"
         from ledger_account as account
         left join lateral (
           select sum(amount) filter (where category = 'deposit') as deposits,
                  sum(amount) filter (where category = 'withdrawal') as withdrawals,
                  sum(amount) filter (where category = 'earning') as earnings,
                  sum(amount) filter (where category = 'fee') as fees
             from ledger_entry where account_id = account.id
         ) as moved on account.kind = 'user.available'
        where owner_id = $1 and asset = 'USDC'`,
      [userId],
    )) as (Record<Sum, string> & Pick<UserFunds, 'lastMovedAt'>)[];
    const money = (name: Sum): Money => Money.of(row?.[name] ?? '0');
    return {
      available: money('available'),
      invested: money('invested'),
      reserved: money('reserved'),
      deposits: money('deposits'),
      withdrawals: money('withdrawals'),
      earnings: money('earnings'),
      fees: money('fees'),
      lastMovedAt: row?.lastMovedAt ?? null,
    };
  }
}
