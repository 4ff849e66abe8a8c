import { Money } from '../../common/money.js';
import type { UserStatus } from '../users/users.types.js';
import type { Holding } from './domain/risk-profile.js';

/** A user as admins see it in lists. Money is USDC. */
export interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly status: UserStatus;
  readonly walletAddress: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastLoginAt: Date | null;
  readonly investments: number;
  readonly totalInvested: Money;
  readonly totalWithdrawn: Money;
  readonly totalEarnings: Money;
  readonly transactions: number;
  readonly failedTransactions: number;
  /** What is open, by strategy. */
  readonly holdings: readonly Holding[];
}

type StoredHolding = Omit<Holding, 'amount'> & { amount: string };

/** A row as the driver has it: money is text. */
export type StoredListed = Omit<
  ListedUser,
  'totalInvested' | 'totalWithdrawn' | 'totalEarnings' | 'holdings'
> & {
  totalInvested: string;
  totalWithdrawn: string;
  totalEarnings: string;
  holdings: StoredHolding[];
};

/** Over `platform_user as u` and `user_figures as f`. */
export const LISTED_COLUMNS = `
  u.id, u.email, u.email_verified as "emailVerified", u.status, first_wallet(u.id) as "walletAddress",
  u.created_at as "createdAt", u.updated_at as "updatedAt", u.last_login_at as "lastLoginAt",
  f.investments, f.total_invested as "totalInvested", f.total_withdrawn as "totalWithdrawn",
  f.total_earnings as "totalEarnings", f.transactions, f.failed_transactions as "failedTransactions"`;

/** `holdings` of one user: worked out for the rows of a page alone. */
export const HOLDINGS = `(
  select coalesce(jsonb_agg(jsonb_build_object('strategyId', strategy_id, 'amount', amount::text, 'active', active)), '[]')
    from (select strategy_id, sum(amount) as amount, count(*) filter (where status = 'active')::int as active
            from investment where user_id = u.id and status in ('pending', 'active') group by strategy_id) as held)`;

export function asListedUser(row: StoredListed): ListedUser {
  return {
    ...row,
    totalInvested: Money.of(row.totalInvested),
    totalWithdrawn: Money.of(row.totalWithdrawn),
    totalEarnings: Money.of(row.totalEarnings),
    holdings: row.holdings.map((holding) => ({ ...holding, amount: Money.of(holding.amount) })),
  };
}
