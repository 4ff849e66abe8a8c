import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Money } from '../../common/money.js';

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

/** A row of `UserFundsRow`, of the user of the first parameter; all zero for a user without accounts. */
export const USER_FUNDS_SQL = `
  select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
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
   where owner_id = $1 and asset = 'USDC'`;

/** As the driver has it: money is text. */
export type UserFundsRow = Record<Sum, string> & Pick<UserFunds, 'lastMovedAt'>;

export function userFunds(row: UserFundsRow): UserFunds {
  return {
    available: Money.of(row.available),
    invested: Money.of(row.invested),
    reserved: Money.of(row.reserved),
    deposits: Money.of(row.deposits),
    withdrawals: Money.of(row.withdrawals),
    earnings: Money.of(row.earnings),
    fees: Money.of(row.fees),
    lastMovedAt: row.lastMovedAt,
  };
}

@Injectable()
export class LedgerQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** A user's funds in one round trip. */
  async fundsOf(userId: string): Promise<UserFunds> {
    const [row] = await this.dataSource.query<UserFundsRow[]>(USER_FUNDS_SQL, [userId]);
    return userFunds(row as UserFundsRow);
  }
}
