import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countRows } from '../../lists/count-rows.js';
import { asOfSql, listTotals } from '../../lists/list-totals.js';
import type { Snapshot } from '../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../lists/streaming-reads.js';
import { cutPage, offsetOf } from '../../http/request/pagination.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { navTable, navTableParameter } from '../investments/investment-values.repository.js';
import type { NavDays } from '../strategies/strategies.types.js';
import type { Holding } from './domain/risk-profile.js';
import type {
  UserFilter,
  UserListTotals,
  UserOrder,
  UserSuggestion,
  UserWithFigures,
} from './user-admin.types.js';

type StoredHolding = Omit<Holding, 'amount'> & { amount: string };

/** A row with money as text, as the driver returns it. */
export type StoredUser = Omit<
  UserWithFigures,
  'totalInvested' | 'totalWithdrawn' | 'totalEarnings' | 'holdings'
> & {
  totalInvested: string;
  totalWithdrawn: string;
  totalEarnings: string;
  holdings: StoredHolding[];
};

type StoredTotals = Record<'total' | 'active' | 'suspended' | 'inactive', number> &
  Record<'everInvested' | 'value', string> & { asOf: Date };

interface Conditions {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Columns of `UserWithFigures` from `platform_user as u` and `user_figures as f`. Reads tables of the modules users, wallets
 * (by `first_wallet`), transactions, investments and strategies.
 */
export const USER_COLUMNS = `
  u.id, u.email, u.email_verified as "emailVerified", u.status, first_wallet(u.id) as "walletAddress",
  u.created_at as "createdAt", u.updated_at as "updatedAt", u.last_login_at as "lastLoginAt",
  f.investments, f.total_invested as "totalInvested", f.total_withdrawn as "totalWithdrawn",
  f.total_earnings as "totalEarnings",
  (select count(*)::int from user_transaction where user_id = u.id) as transactions,
  (select coalesce(jsonb_agg(jsonb_build_object('strategyId', strategy_id, 'amount', amount::text, 'active', active,
                     'riskLevel', (select risk_level from strategy where id = strategy_id))), '[]')
     from (select strategy_id, sum(amount) as amount, count(*) filter (where status = 'active')::int as active
             from investment where user_id = u.id and status in ('pending', 'active') group by strategy_id) as held
  ) as holdings`;

const FROM = 'platform_user as u join user_figures as f on f.user_id = u.id';

// The id makes the order unique. Every order has an index.
const ORDER = {
  createdAt: { asc: 'u.created_at, u.id', desc: 'u.created_at desc, u.id desc' },
  lastLoginAt: {
    asc: 'u.last_login_at nulls first, u.id',
    desc: 'u.last_login_at desc nulls last, u.id desc',
  },
  totalInvested: { asc: 'f.total_invested, f.user_id', desc: 'f.total_invested desc, f.user_id desc' },
} as const;

const SUGGESTIONS = 10;
/** The similarity compares only the part before the @, because most addresses share a few domains. */
const MAILBOX = "split_part(email, '@', 1)";

/**
 * The lists of users. A page and its totals take two statements, however many users there are. A page first finds its ids, so
 * that the subqueries of the columns run for its rows only.
 */
@Injectable()
export class UserListRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findUsersPage(
    filter: UserFilter,
    order: UserOrder,
  ): Promise<{ rows: UserWithFigures[]; hasNext: boolean }> {
    const { sql, parameters } = conditionsOf(filter);
    const limit = `$${parameters.length + 1}`;
    const offset = `$${parameters.length + 2}`;
    const sorted = ORDER[order.sortBy][order.orderBy];
    const rows = await this.dataSource.query<StoredUser[]>(
      `select ${USER_COLUMNS}
         from (select u.id from ${FROM} where ${sql} order by ${sorted} limit ${limit} offset ${offset}) as page
         join platform_user as u using (id) join user_figures as f on f.user_id = u.id
        order by ${sorted}`,
      [...parameters, order.limit + 1, offsetOf(order)],
    );
    return cutPage(rows.map(toUserWithFigures), order.limit);
  }

  /** All users that the filter selects, in batches. */
  async *streamUsers(
    snapshot: Snapshot,
    filter: UserFilter,
    { sortBy, orderBy }: Pick<UserOrder, 'sortBy' | 'orderBy'>,
  ): AsyncGenerator<UserWithFigures[], void> {
    const conditions = conditionsOf(filter);
    const sql = `select ${USER_COLUMNS} from ${FROM} where ${conditions.sql} order by ${ORDER[sortBy][orderBy]}`;
    const batches = snapshot.batches<StoredUser>(sql, [...conditions.parameters], EXPORT_BATCH_ROWS);
    for await (const rows of batches) yield rows.map(toUserWithFigures);
  }

  async countUsers(filter: UserFilter): Promise<number> {
    const { sql, parameters } = conditionsOf(filter);
    return countRows(this.dataSource, `${FROM} where ${sql}`, parameters);
  }

  async findUserByEmail(email: string): Promise<UserWithFigures | undefined> {
    const rows = await this.dataSource.query<StoredUser[]>(
      `select ${USER_COLUMNS} from ${FROM} where u.email = $1`,
      [email],
    );
    return rows.map(toUserWithFigures)[0];
  }

  /** Users whose addresses contain `email` first, then those with the most similar addresses. */
  findSuggestions(email: string): Promise<UserSuggestion[]> {
    return this.dataSource.query<UserSuggestion[]>(
      `select id, email, round(similarity(${MAILBOX}, $1)::numeric, 2)::float as similarity
         from platform_user where ${MAILBOX} % $1 or email ilike $2
        order by (email ilike $2) desc, similarity desc, email limit ${SUGGESTIONS}`,
      [email.split('@')[0], containing(email)],
    );
  }

  /** The number of the users that the filter selects, and their totals, with investments valued at the NAVs of `days`. */
  async sumUsers(filter: UserFilter, days: NavDays): Promise<{ total: number; totals: UserListTotals }> {
    const { sql, parameters } = conditionsOf(filter);
    const valueParameters = { navs: parameters.length + 1, firstDay: parameters.length + 2 };
    const [firstDay] = [...days.values()].map(({ day }) => day).sort();
    const [row] = await this.dataSource.query<[StoredTotals]>(
      `with selected as materialized (select u.id, u.status, f.total_invested from ${FROM} where ${sql}),
       unselected as materialized (select u.id from ${FROM} where (${sql}) is not true)
       select count(*)::int as total,
              count(*) filter (where status = 'active')::int as active,
              count(*) filter (where status = 'suspended')::int as suspended,
              count(*) filter (where status = 'inactive')::int as inactive,
              coalesce(sum(total_invested), 0) as "everInvested",
              case when (select count(*) from unselected) < count(*)
                   then ${valueOfAll(valueParameters)} - ${valueOf('unselected', valueParameters)}
                   else ${valueOf('selected', valueParameters)} end as value,
              ${asOfSql('investment')} as "asOf"
         from selected`,
      [...parameters, navTableParameter(days), firstDay],
    );
    const { total } = row;
    const everInvested = Money.of(row.everInvested);
    const average = total === 0 ? Money.ZERO : everInvested.dividedBy(Money.of(String(total)));
    return {
      total,
      totals: {
        active: row.active,
        suspended: row.suspended,
        inactive: row.inactive,
        asOf: row.asOf,
        value: Money.of(row.value).roundHalfEven(MICRO_SCALE),
        averageInvested: average.roundHalfEven(MICRO_SCALE),
      },
    };
  }
}

export function toUserWithFigures(row: StoredUser): UserWithFigures {
  return {
    ...row,
    totalInvested: Money.of(row.totalInvested),
    totalWithdrawn: Money.of(row.totalWithdrawn),
    totalEarnings: Money.of(row.totalEarnings),
    holdings: row.holdings.map((holding) => ({ ...holding, amount: Money.of(holding.amount) })),
  };
}

/**
 * The SQL conditions of a filter; they read `wallet` of the module wallets. Only given values become conditions, so that each
 * can use its index.
 */
function conditionsOf(filter: UserFilter): Conditions {
  const parameters: unknown[] = [];
  const conditions: string[] = [];
  const addCondition = (value: unknown, condition: (parameter: string) => string): void => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition(`$${parameters.length}`));
  };
  addCondition(filter.status, (status) => `u.status = ${status}`);
  addCondition(filter.userId, (id) => `u.id = ${id}::uuid`);
  addCondition(filter.minInvestment, (amount) => `f.total_invested >= ${amount}::numeric`);
  addCondition(filter.registeredAfter, (instant) => `u.created_at >= ${instant}::timestamptz`);
  addCondition(filter.search ? containing(filter.search) : undefined, (pattern) =>
    filter.searchIn === 'email'
      ? `u.email ilike ${pattern}`
      : `u.id in (select id from platform_user where email ilike ${pattern}
                  union all select id from platform_user where full_name ilike ${pattern}
                  union all select user_id from wallet where address ilike ${pattern})`,
  );
  return { sql: conditions.length > 0 ? conditions.join(' and ') : 'true', parameters };
}

/** A LIKE pattern for texts that contain this one; its special characters are escaped. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

// The current value of open investments: for all users from the sums of investments, for some users from their accounts in the ledger,
// since a user may have many investments but has one account of units per strategy. If most users are selected, the value of
// the remaining ones is subtracted from the value of all.

/** The numbers of the query's parameters. */
interface ValueParameters {
  /** NAVs, for `navTable`. */
  readonly navs: number;
  /** The earliest day of the NAVs. */
  readonly firstDay: number;
}

const VALUE_OF_UNITS = 'coalesce(sum(units * navs.nav), 0)';

/** In the sums of investments facet 1 is the status, facet 2 the strategy; `value` is the principal of pending ones. */
function valueOfAll(parameters: ValueParameters): string {
  return `(select ${VALUE_OF_UNITS} + coalesce(sum(value), 0)
             from (${listTotals({ list: 'investment', facets: [] }, [])}) as totals join ${navTable(parameters.navs)} on navs.strategy_id = totals.facets[2]
            where totals.facets[1] in ('active', 'pending')) + ${principalAboveUnits('true', parameters)}`;
}

function valueOf(users: 'selected' | 'unselected', parameters: ValueParameters): string {
  const isOfUsers = (column: string) => `${column} = any(array(select id from ${users}))`;
  return `((select ${VALUE_OF_UNITS}
              from (select asset, balance as units from ledger_account
                     where kind = 'user.units' and ${isOfUsers('owner_id')}) as account
              join ${navTable(parameters.navs)} on account.asset = 'UNIT:' || navs.strategy_id)
         + (select coalesce(sum(amount), 0) from investment where status = 'pending' and ${isOfUsers('user_id')})
         + ${principalAboveUnits(isOfUsers('investment.user_id'), parameters)})`;
}

/**
 * Until the second midnight after its units were issued an investment is worth its principal. For such investments: the
 * principal less the value of the units. `firstDay` lets the query use the index `investment_without_growth`.
 */
function principalAboveUnits(condition: string, { navs, firstDay }: ValueParameters): string {
  return `(select coalesce(sum(amount - units * navs.nav), 0)
             from investment join ${navTable(navs)} using (strategy_id)
            where status = 'active' and ${condition}
              and issued_on > $${firstDay}::date - 2 and issued_on > navs.day - 2)`;
}
