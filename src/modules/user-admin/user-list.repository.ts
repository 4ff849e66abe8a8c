import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countRows } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { pricesOf, priceTable } from '../investments/domain/valuation.js';
import { NavsService } from '../strategies/navs.service.js';
import {
  asListedUser,
  HOLDINGS,
  LISTED_COLUMNS,
  type ListedUser,
  type StoredListed,
} from './user-admin.types.js';
import { conditionsOf, containing, type Conditions, type UserFilter } from './user-filter.js';

export interface UserListTotals {
  readonly active: number;
  readonly suspended: number;
  readonly inactive: number;
  /** Current value of open investments. */
  readonly value: Money;
  readonly averageInvested: Money;
}

type StoredTotals = Record<'total' | 'active' | 'suspended' | 'inactive', number> &
  Record<'everInvested' | 'value', string>;

export interface Suggestion {
  readonly id: string;
  readonly email: string;
  readonly similarity: number;
}

export interface UserOrder {
  readonly sortBy: keyof typeof ORDER;
  readonly orderBy: 'asc' | 'desc';
  readonly page: number;
  readonly limit: number;
}

// The id keeps the order stable; each line has an index of its own.
const ORDER = {
  createdAt: { asc: 'u.created_at, u.id', desc: 'u.created_at desc, u.id desc' },
  lastLoginAt: {
    asc: 'u.last_login_at nulls first, u.id',
    desc: 'u.last_login_at desc nulls last, u.id desc',
  },
  totalInvested: { asc: 'f.total_invested, f.user_id', desc: 'f.total_invested desc, f.user_id desc' },
} as const;

const FROM = 'platform_user as u join user_figures as f on f.user_id = u.id';
const SUGGESTIONS = 10;
/** Everybody's domain is like everybody else's: what stands before it tells them apart. */
const MAILBOX = "split_part(email, '@', 1)";

/** The lists of users. Each costs two statements, however long it is. */
@Injectable()
export class UserListRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: NavsService,
  ) {}

  async list(filter: UserFilter, order: UserOrder): Promise<Rows<ListedUser> & { totals: UserListTotals }> {
    const conditions = conditionsOf(filter);
    const rows = await this.page(conditions, order);
    return { rows, ...(await this.totals(conditions)) };
  }

  async shortList(filter: UserFilter, order: UserOrder): Promise<Rows<ListedUser>> {
    const conditions = conditionsOf(filter);
    const rows = await this.page(conditions, order);
    const total = await countRows(this.dataSource, `${FROM} where ${conditions.sql}`, conditions.parameters);
    return { rows, total };
  }

  /** The user of an e-mail address, however its letters are written; without one, whose address comes nearest. */
  async search(email: string): Promise<{ users: ListedUser[]; suggestions: Suggestion[] }> {
    const wanted = email.trim().toLowerCase();
    const rows = await this.dataSource.query<StoredListed[]>(
      `select ${LISTED_COLUMNS}, ${HOLDINGS} as holdings from ${FROM} where u.email = $1`,
      [wanted],
    );
    if (rows.length > 0) return { users: rows.map(asListedUser), suggestions: [] };
    const suggestions = await this.dataSource.query<Suggestion[]>(
      `select id, email, round(similarity(${MAILBOX}, $1)::numeric, 2)::float as similarity
         from platform_user where ${MAILBOX} % $1 or email ilike $2
        order by (email ilike $2) desc, similarity desc, email limit ${SUGGESTIONS}`,
      [wanted.split('@')[0], containing(wanted)],
    );
    return { users: [], suggestions };
  }

  private async page({ sql, parameters }: Conditions, order: UserOrder): Promise<ListedUser[]> {
    const [limit, offset] = [parameters.length + 1, parameters.length + 2];
    const sorted = ORDER[order.sortBy][order.orderBy];
    const rows = await this.dataSource.query<StoredListed[]>(
      `select ${LISTED_COLUMNS}, ${HOLDINGS} as holdings
         from (select u.id from ${FROM} where ${sql} order by ${sorted} limit $${limit} offset $${offset}) as page
         join platform_user as u using (id) join user_figures as f on f.user_id = u.id
        order by ${sorted}`,
      [...parameters, order.limit, offsetOf(order)],
    );
    return rows.map(asListedUser);
  }

  private async totals({ sql, parameters }: Conditions): Promise<{ total: number; totals: UserListTotals }> {
    const days = await this.navs.today();
    const [prices, firstDay] = [parameters.length + 1, parameters.length + 2];
    const [row] = await this.dataSource.query<StoredTotals[]>(
      `with chosen as materialized (select u.id, u.status, f.total_invested from ${FROM} where ${sql}),
       others as materialized (select id from platform_user where id not in (select id from chosen))
       select count(*)::int as total,
              count(*) filter (where status = 'active')::int as active,
              count(*) filter (where status = 'suspended')::int as suspended,
              count(*) filter (where status = 'inactive')::int as inactive,
              coalesce(sum(total_invested), 0) as "everInvested",
              case when (select count(*) from others) < count(*)
                   then ${worthOfAll(prices, firstDay)} - ${worthOf('others', prices, firstDay)}
                   else ${worthOf('chosen', prices, firstDay)} end as value
         from chosen`,
      [...parameters, pricesOf(days), [...days.values()].map(({ day }) => day).sort()[0]],
    );
    const total = row?.total ?? 0;
    const everInvested = Money.of(row?.everInvested ?? '0');
    const average = total === 0 ? Money.ZERO : everInvested.dividedBy(Money.of(String(total)));
    return {
      total,
      totals: {
        active: row?.active ?? 0,
        suspended: row?.suspended ?? 0,
        inactive: row?.inactive ?? 0,
        value: Money.of(row?.value ?? '0').roundHalfEven(MICRO_SCALE),
        averageInvested: average.roundHalfEven(MICRO_SCALE),
      },
    };
  }
}

// What all that is open is worth. Of everybody it is kept; of some it is added up, by their accounts: there may be many
// investments to each, and the ledger knows the units of each user and strategy in one number. Whichever are fewer are
// looked at, those who are asked for or the others.

const UNITS_WORTH = 'coalesce(sum(units * price.nav), 0)';

function worthOfAll(prices: number, firstDay: number): string {
  return `(select ${UNITS_WORTH} + coalesce(sum(value), 0)
             from list_totals('investment', '{}') as kept join ${priceTable(prices)} on price.strategy_id = kept.facets[2]
            where kept.facets[1] in ('active', 'pending')) + ${notGrownYet('true', prices, firstDay)}`;
}

function worthOf(users: 'chosen' | 'others', prices: number, firstDay: number): string {
  const theirs = (column: string) => `${column} = any(array(select id from ${users}))`;
  return `((select ${UNITS_WORTH}
              from (select asset, balance as units from ledger_account
                     where kind = 'user.units' and ${theirs('owner_id')}) as account
              join ${priceTable(prices)} on account.asset = 'UNIT:' || price.strategy_id)
         + (select coalesce(sum(amount), 0) from investment where status = 'pending' and ${theirs('user_id')})
         + ${notGrownYet(theirs('investment.user_id'), prices, firstDay)})`;
}

/** What principal is above the worth of units, where nothing has grown yet. */
function notGrownYet(theirs: string, prices: number, firstDay: number): string {
  return `(select coalesce(sum(amount - units * price.nav), 0)
             from investment join ${priceTable(prices)} using (strategy_id)
            where status = 'active' and ${theirs}
              and issued_on > $${firstDay}::date - 2 and issued_on > price.day - 2)`;
}
