import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countRows } from '../../../lists/count-rows.js';
import { asOfSql, listTotals } from '../../../lists/list-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { createdWithin, creationPeriod } from '../../../lists/creation-period.js';
import { listFilter, type ListFilter } from '../../../lists/find-page.js';
import {
  ListPage,
  orBeforeAll,
  orderSql,
  type ListOrder,
  type Page,
  type SortKey,
} from '../../../lists/list-page.js';
import { searchedEmail } from '../../../common/email.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import {
  navTable,
  navTableParameter,
  VALUE_SQL,
} from '../../investing/investments/investment-values.repository.js';
import { tierColumns } from '../../identity/users/account-changes.repository.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';
import { USERS } from '../../identity/users/users.repository.js';
import { hasScreeningResult } from '../../identity/screening/screening.repository.js';
import { ownersOfWallets } from '../../identity/wallets/wallets.repository.js';
import { transactionCount } from '../../portfolio/transactions/transactions.repository.js';
import type {
  UserFilter,
  UserHolding,
  UserListTotals,
  UserOrder,
  UserSuggestion,
  UserWithFigures,
} from './user-admin.types.js';

type StoredHolding = Omit<UserHolding, 'amount' | 'growth'> & Record<'amount' | 'growth', string>;

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

type StoredTotals = Record<'total' | 'active' | 'suspended' | 'inactive' | 'holders', number> &
  Record<'tvl' | 'pending', string> & { asOf: Date };

/**
 * Columns of a `StoredUser` from `platform_user as u` and `user_figures as f`. `navs` is the number of the parameter with the NAVs at
 * which open investments are valued. Reads tables of the modules users, wallets (by `first_wallet`), transactions and investments.
 */
export const userColumns = (navs: number) => `
  u.id, u.email, u.email_verified as "emailVerified", u.status, first_wallet(u.id) as "walletAddress",
  u.created_at as "createdAt", u.updated_at as "updatedAt", u.last_login_at as "lastLoginAt",
  ${tierColumns('u')},
  f.investments, f.total_invested as "totalInvested", f.total_withdrawn as "totalWithdrawn",
  f.total_earnings as "totalEarnings",
  ${transactionCount('u.id')} as transactions,
  (select coalesce(jsonb_agg(jsonb_build_object('strategyId', strategy_id, 'amount', amount::text, 'growth', growth::text,
                                                'active', active)), '[]')
     from (select strategy_id, sum(amount) as amount, sum(${VALUE_SQL} - amount) as growth, count(*)::int as active
             from investment join ${navTable(navs)} using (strategy_id)
            where user_id = u.id and status = 'active' group by strategy_id) as held
  ) as holdings`;

const FROM = `${USERS} as u join user_figures as f on f.user_id = u.id`;

const ID: SortKey = ['u.id', 'uuid'];
// Every order has an index.
const SORT_KEYS: Record<UserOrder['sortBy'], readonly SortKey[]> = {
  createdAt: [['u.created_at', 'timestamptz'], ID],
  lastLoginAt: [[orBeforeAll('u.last_login_at'), 'timestamptz'], ID],
  totalInvested: [
    ['f.total_invested', 'numeric'],
    ['f.user_id', 'uuid'],
  ],
};

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

  async findUsersPage(filter: UserFilter, order: UserOrder, days: NavDays): Promise<Page<UserWithFigures>> {
    const conditions = conditionsOf(filter);
    const parameters: unknown[] = [...conditions.parameters, navTableParameter(days)];
    const columns = userColumns(parameters.length);
    const page = new ListPage(order, orderOf(order), parameters);
    const rows = await this.dataSource.query<StoredUser[]>(
      `select ${columns}, ${page.key}
         from (select u.id from ${FROM} where ${conditions.where} and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join platform_user as u using (id) join user_figures as f on f.user_id = u.id
        ${page.orderBy}`,
      parameters,
    );
    return page.cut(rows, toUserWithFigures);
  }

  /** All users that the filter selects, in batches. */
  async *streamUsers(
    snapshot: Snapshot,
    filter: UserFilter,
    order: Pick<UserOrder, 'sortBy' | 'orderBy'>,
    days: NavDays,
  ): AsyncGenerator<UserWithFigures[], void> {
    const conditions = conditionsOf(filter);
    const parameters = [...conditions.parameters, navTableParameter(days)];
    const sql = `select ${userColumns(parameters.length)} from ${FROM} where ${conditions.where} ${orderSql(orderOf(order))}`;
    const batches = snapshot.batches<StoredUser>(sql, parameters, EXPORT_BATCH_ROWS);
    for await (const rows of batches) yield rows.map(toUserWithFigures);
  }

  async countUsers(filter: UserFilter): Promise<number> {
    const { where, parameters } = conditionsOf(filter);
    return countRows(this.dataSource, `${FROM} where ${where}`, parameters);
  }

  async findUserByEmail(email: string, days: NavDays): Promise<UserWithFigures | undefined> {
    const rows = await this.dataSource.query<StoredUser[]>(
      `select ${userColumns(2)} from ${FROM} where u.email = $1`,
      [email, navTableParameter(days)],
    );
    return rows.map(toUserWithFigures)[0];
  }

  /** Users whose addresses contain `email` first, then those with the most similar addresses. */
  findSuggestions(email: string): Promise<UserSuggestion[]> {
    return this.dataSource.query<UserSuggestion[]>(
      `select id, email, round(similarity(${MAILBOX}, $1)::numeric, 2)::float as similarity
         from ${USERS} as account where ${MAILBOX} % $1 or email ilike $2
        order by (email ilike $2) desc, similarity desc, email limit ${SUGGESTIONS}`,
      [email.split('@')[0], containing(email)],
    );
  }

  /** The number of the users that the filter selects, and their totals, with investments valued at the NAVs of `days`. */
  async sumUsers(filter: UserFilter, days: NavDays): Promise<{ total: number; totals: UserListTotals }> {
    const { where, parameters } = conditionsOf(filter);
    const valueParameters = { navs: parameters.length + 1, firstDay: parameters.length + 2 };
    // PostgreSQL can plan `not exists` as a join, but not the negation of the filter by screening, which contains subqueries.
    const isUnselected = filter.screening
      ? 'not exists (select from selected where selected.id = u.id)'
      : `(${where}) is not true`;
    const [firstDay] = [...days.values()].map(({ day }) => day).sort();
    const sumOf = (part: ValuePart) => `
      case when (select count(*) from unselected) < (select count(*) from selected)
           then ${part.ofAll(valueParameters)} - ${part.of('unselected', valueParameters)}
           else ${part.of('selected', valueParameters)} end`;
    const [row] = await this.dataSource.query<[StoredTotals]>(
      `with selected as materialized (select u.id, u.status, f.invested from ${FROM} where ${where}),
       unselected as materialized (select u.id from ${FROM} where ${isUnselected})
       select count(*)::int as total,
              count(*) filter (where status = 'active')::int as active,
              count(*) filter (where status = 'suspended')::int as suspended,
              count(*) filter (where status = 'inactive')::int as inactive,
              count(*) filter (where invested > 0)::int as holders, ${sumOf(TVL)} as tvl, ${sumOf(PENDING)} as pending,
              ${asOfSql('investment')} as "asOf"
         from selected`,
      [...parameters, navTableParameter(days), firstDay],
    );
    const { total, holders } = row;
    const tvl = Money.of(row.tvl);
    const value = tvl.plus(Money.of(row.pending));
    const average = holders === 0 ? Money.ZERO : value.dividedBy(Money.of(String(holders)));
    return {
      total,
      totals: {
        active: row.active,
        suspended: row.suspended,
        inactive: row.inactive,
        asOf: row.asOf,
        tvl: tvl.roundHalfEven(MICRO_SCALE),
        averageInvestment: average.roundHalfEven(MICRO_SCALE),
      },
    };
  }
}

function orderOf({ sortBy, orderBy }: Pick<UserOrder, 'sortBy' | 'orderBy'>): ListOrder {
  return { keys: SORT_KEYS[sortBy], direction: orderBy };
}

export function toUserWithFigures(row: StoredUser): UserWithFigures {
  const holdings = row.holdings.map(({ amount, growth, ...holding }) => ({
    ...holding,
    amount: Money.of(amount),
    growth: Money.of(growth),
  }));
  const unrealised = Money.sum(holdings.map(({ growth }) => growth));
  return {
    ...row,
    totalInvested: Money.of(row.totalInvested),
    totalWithdrawn: Money.of(row.totalWithdrawn),
    totalEarnings: Money.of(row.totalEarnings).plus(unrealised),
    holdings,
  };
}

function conditionsOf(filter: UserFilter): ListFilter {
  const { registeredAfter: createdAfter, createdBefore, search = '', screening } = filter;
  const text = searchedEmail(search);
  return listFilter(
    ['u.status = ?', filter.status],
    [screening ? hasScreeningResult('u.id', screening, filter.isScreeningConfigured) : '', screening],
    ['u.id = ?::uuid', filter.userId],
    ['f.total_invested >= ?::numeric', filter.minInvestment],
    ...createdWithin('u.created_at', creationPeriod({ createdAfter, createdBefore })),
    [SEARCHES[filter.searchIn], text === '' ? undefined : containing(text)],
  );
}

const SEARCHES: Record<UserFilter['searchIn'], string> = {
  email: 'u.email ilike ?',
  everything: `u.id in (select id from platform_user where email ilike ?
                  union all select id from platform_user where full_name ilike ?
                  union all ${ownersOfWallets('?')})`,
};

/** A pattern of LIKE for texts that contain `text`, in which special characters are escaped. */
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

/** A part of the value of open investments, as SQL: of all users, and of some. */
interface ValuePart {
  readonly ofAll: (parameters: ValueParameters) => string;
  readonly of: (users: 'selected' | 'unselected', parameters: ValueParameters) => string;
}

const VALUE_OF_UNITS = 'coalesce(sum(units * navs.nav), 0)';
const isOf = (users: string, column: string) => `${column} = any(array(select id from ${users}))`;
// In the sums of investments facet 1 is the status, facet 2 the strategy; `value` is the principal of pending ones.
const ALL_INVESTMENTS = listTotals({ list: 'investment', facets: [] }, []);

/** The value of active and paused investments. */
const TVL: ValuePart = {
  ofAll: (parameters) => `((select ${VALUE_OF_UNITS}
             from (${ALL_INVESTMENTS}) as totals join ${navTable(parameters.navs)} on navs.strategy_id = totals.facets[2]
            where totals.facets[1] = 'active') + ${principalAboveUnits('true', parameters)})`,
  of: (users, parameters) => `((select ${VALUE_OF_UNITS}
              from (select asset, balance as units from ledger_account
                     where kind = 'user.units' and ${isOf(users, 'owner_id')}) as account
              join ${navTable(parameters.navs)} on account.asset = 'UNIT:' || navs.strategy_id)
         + ${principalAboveUnits(isOf(users, 'investment.user_id'), parameters)})`,
};

const PENDING: ValuePart = {
  ofAll: () =>
    `(select coalesce(sum(value), 0) from (${ALL_INVESTMENTS}) as totals where totals.facets[1] = 'pending')`,
  of: (users) =>
    `(select coalesce(sum(amount), 0) from investment where status = 'pending' and ${isOf(users, 'user_id')})`,
};

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
