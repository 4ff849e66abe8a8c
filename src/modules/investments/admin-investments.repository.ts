import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { entityColumns, entityOf } from '../../database/entity-rows.js';
import { asOfSql, listTotals } from '../../lists/list-totals.js';
import { queueTotals, type QueueTotals } from '../../lists/queue-totals.js';
import type { Snapshot } from '../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../lists/streaming-reads.js';
import type { Tx } from '../../database/unit-of-work.js';
import { cutPage, offsetOf } from '../../http/request/pagination.js';
import type { QueueQuery } from '../../http/request/queue.query.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import type { NavDays } from '../strategies/strategies.types.js';
import { STORED_STATUS, type AdminStatus, type InvestmentStatus } from './domain/investment.state-machine.js';
import { InvestmentClosing } from './entities/investment-closing.entity.js';
import { Investment } from './entities/investment.entity.js';
import {
  FILTER_NAVS,
  INVESTMENT_FILTER,
  navTableParameter,
  PAID_VALUE,
  rankedByValue,
  VALUE_SQL,
  type Direction,
} from './investment-values.repository.js';

interface InvestmentFilter {
  readonly status?: AdminStatus | undefined;
  readonly strategyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly minAmount?: string | undefined;
  readonly createdAfter?: string | undefined;
}

interface InvestmentOrder {
  readonly sortBy: 'createdAt' | 'amount' | 'currentValue';
  readonly orderBy: Direction;
}

interface PageRequest extends InvestmentOrder {
  readonly page: number;
  readonly limit: number;
}

/** Sums over the selected investments of one strategy and status. */
export interface InvestmentTotals {
  readonly strategyId: string;
  readonly status: InvestmentStatus;
  readonly count: number;
  readonly amount: Money;
  readonly value: Money;
  /** Growth so far, including growth that partial closings have realised. */
  readonly earnings: Money;
}

/** The user of an investment. */
export interface Owner {
  readonly email: string;
  /** The first linked wallet that is not suspended. */
  readonly walletAddress: string | null;
  readonly accountCreatedAt: Date;
}

export interface OwnedInvestmentRow {
  readonly investment: Investment;
  readonly owner: Owner;
}

type OwnerRow = { owner_email: string; owner_wallet: string | null; owner_since: Date };
type TotalsRow = Record<'strategy_id' | 'amount' | 'value' | 'earnings', string> & {
  status: InvestmentStatus;
  count: number | null; // null in the row of a filter without investments
  asOf: Date;
};

// Reads tables of the modules users and wallets (`first_wallet`). Sub-selects instead of a join keep column names unambiguous.
const OWNER_COLUMNS = `
  (select email from platform_user where id = investment.user_id) as owner_email,
  (select created_at from platform_user where id = investment.user_id) as owner_since,
  first_wallet(investment.user_id) as owner_wallet`;

/** Selects investments without growth yet, whose value is the principal. The first bound is one value, for an index scan. */
const NOT_GROWN = `investment.issued_on > (select min(navs.day) from ${FILTER_NAVS}) - 2
  and investment.issued_on > navs.day - 2`;

/** Strategies whose units the user holds or has held. */
const HELD_STRATEGIES = `array(
  select distinct held.strategy_id from investment as held
   where held.user_id = investment.user_id and held.issued_on is not null)`;

const MOST_CLOSINGS = 100;

/** Reads the investments of all users. A page and its totals cost one statement each, however long the list is. */
@Injectable()
export class AdminInvestmentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Sums by strategy and status over all investments that the filter selects; each sum of values is rounded once. The value of
   * an active investment is units × NAV; `young` corrects it to the principal for investments without growth yet.
   */
  async sumInvestments(
    filter: InvestmentFilter,
    days: NavDays,
  ): Promise<{ totals: InvestmentTotals[]; asOf: Date }> {
    const [status, strategyId, userId, minAmount, createdAfter] = parametersOf(filter);
    const parameters: unknown[] = [...parametersOf(filter), navTableParameter(days)];
    const sums = listTotals(
      {
        list: 'investment',
        facets: [status, strategyId],
        rows: { table: 'investment', name: 'investment', where: INVESTMENT_FILTER },
        time: { column: 'investment.created_at', from: createdAfter, until: null },
        hasOtherConditions: userId !== null || minAmount !== null,
      },
      parameters,
    );
    const rows = await this.dataSource.query<TotalsRow[]>(
      `with total as (
         select facets[2] as strategy_id, facets[1] as status, sum(rows)::int as count, sum(amount) as amount,
                sum(units) as units, sum(value) as value, sum(growth) as growth
           from (${sums}) as part group by 1, 2 having sum(rows) > 0
       ), young as (
         select strategy_id, sum(amount - units * navs.nav) as difference
           from investment join ${FILTER_NAVS} using (strategy_id)
          where investment.status = 'active' and ${NOT_GROWN} and ${INVESTMENT_FILTER} group by 1
       )
       select ${asOfSql('investment')} as "asOf", valued.*
         from (select) as always left join (
           select strategy_id, total.status, count, amount, rounded.value, rounded.value - amount + growth as earnings
         from total join ${FILTER_NAVS} using (strategy_id) left join young using (strategy_id),
              lateral (select round_half_even(total.value + case when total.status = 'active'
                         then units * navs.nav + coalesce(difference, 0) else 0 end, ${MICRO_SCALE}) as value) as rounded) as valued on true`,
      parameters,
    );
    const totals = rows
      .filter(({ count }) => count !== null)
      .map((row) => ({
        strategyId: row.strategy_id,
        status: row.status,
        count: row.count ?? 0,
        amount: Money.of(row.amount),
        value: Money.of(row.value),
        earnings: Money.of(row.earnings),
      }));
    return { totals, asOf: (rows[0] as TotalsRow).asOf };
  }

  async findInvestmentsPage(
    query: InvestmentFilter & PageRequest,
    days: NavDays,
  ): Promise<{ rows: OwnedInvestmentRow[]; hasNext: boolean }> {
    return cutPage(await this.findRows(query, query.limit + 1, days), query.limit);
  }

  private async findRows(
    query: InvestmentFilter & PageRequest,
    limit: number,
    days: NavDays,
  ): Promise<OwnedInvestmentRow[]> {
    const [offset, { orderBy }] = [offsetOf(query), query];
    const column = sortColumnOf(query);
    if (column) {
      return this.selectOwned(
        `from (select id from investment where ${INVESTMENT_FILTER}
                order by ${column} ${orderBy}, id ${orderBy} limit $6 offset $7) as page
         join investment using (id) order by ${column} ${orderBy}, id ${orderBy}`,
        [...parametersOf(query), limit, offset],
      );
    }
    if (query.userId !== undefined) {
      // One user has few investments, so sorting them by a computed value is cheap.
      return this.selectOwned(
        `from investment join ${FILTER_NAVS} using (strategy_id) where ${INVESTMENT_FILTER}
         order by ${VALUE_SQL} ${orderBy}, id ${orderBy} limit $7 offset $8`,
        [...parametersOf(query), navTableParameter(days), limit, offset],
      );
    }
    return this.selectOwned(
      `from (select id, value from ${rankedByValue(orderBy, { activeOnly: query.status === 'active' })}
              order by value ${orderBy}, id ${orderBy} limit $8 offset $9) as page
       join investment using (id) order by page.value ${orderBy}, id ${orderBy}`,
      [...parametersOf(query), navTableParameter(days), offset + limit, limit, offset],
    );
  }

  /** All investments that the filter selects, in batches. */
  async *streamInvestments(
    snapshot: Snapshot,
    query: InvestmentFilter & InvestmentOrder,
    days: NavDays,
  ): AsyncGenerator<OwnedInvestmentRow[], void> {
    const order = sortColumnOf(query) ?? VALUE_SQL;
    const sql = `${this.selectOwnedSql()} from investment join ${FILTER_NAVS} using (strategy_id) where ${INVESTMENT_FILTER}
                  order by ${order} ${query.orderBy}, id ${query.orderBy}`;
    const parameters = [...parametersOf(query), navTableParameter(days)];
    for await (const rows of snapshot.batches<OwnerRow>(sql, parameters, EXPORT_BATCH_ROWS))
      yield rows.map((row) => this.toOwnedRow(row));
  }

  /** `issueNav` is the NAV at which the units were issued, that of the day after the issue; null before the issue. */
  async findInvestment(
    id: string,
  ): Promise<(OwnedInvestmentRow & { issueNav: Money | null; movedTo: string | null }) | undefined> {
    const [row] = await this.selectOwned<{ issue_nav: string | null; moved_to: string | null }>(
      'from investment where id = $1',
      [id],
      `(select next.id from investment as next where next.moved_from = investment.id) as moved_to,
       (select nav from strategy_nav -- owned by the module strategies
         where strategy_nav.strategy_id = investment.strategy_id and day = issued_on + 1) as issue_nav`,
    );
    if (!row) return undefined;
    const { issue_nav: issueNav, moved_to: movedTo } = row.extra;
    return { ...row, issueNav: issueNav === null ? null : Money.of(issueNav), movedTo };
  }

  /** The newest 100 partial closings, the newest first. */
  async findClosings(investmentId: string): Promise<InvestmentClosing[]> {
    return this.dataSource.manager.find(InvestmentClosing, {
      where: { investmentId },
      order: { number: 'desc' },
      take: MOST_CLOSINGS,
    });
  }

  async findPending(
    query: QueueQuery,
  ): Promise<{ rows: (OwnedInvestmentRow & { heldStrategyIds: string[] })[]; hasNext: boolean }> {
    const column = query.sortBy === 'amount' ? 'amount' : 'created_at';
    const order = `order by ${column} ${query.orderBy}, id ${query.orderBy}`;
    const rows = await this.selectOwned<{ held: string[] }>(
      `from (select id from investment where status = 'pending' ${order} limit $1 offset $2) as page
       join investment using (id) ${order}`,
      [query.limit + 1, offsetOf(query)],
      `${HELD_STRATEGIES} as held`,
    );
    const pending = rows.map(({ extra, ...row }) => ({ ...row, heldStrategyIds: extra.held }));
    return cutPage(pending, query.limit);
  }

  async sumPending(now: Date): Promise<QueueTotals> {
    return queueTotals(this.dataSource, 'investment', now);
  }

  async getOwner(tx: Tx, userId: string): Promise<Owner> {
    const [row] = await tx.query<[OwnerRow]>(
      // OWNER_COLUMNS read `investment.user_id`.
      `select ${OWNER_COLUMNS} from (select $1::uuid as user_id) as investment`,
      [userId],
    );
    return toOwner(row);
  }

  private async selectOwned<Extra extends object = object>(
    from: string,
    parameters: unknown[],
    extraColumns?: string,
  ): Promise<(OwnedInvestmentRow & { extra: Extra })[]> {
    const rows = await this.dataSource.query<(OwnerRow & Extra)[]>(
      `${this.selectOwnedSql(extraColumns)} ${from}`,
      parameters,
    );
    return rows.map((row) => ({ ...this.toOwnedRow(row), extra: row }));
  }

  private selectOwnedSql(extraColumns?: string): string {
    const columns = [entityColumns(this.dataSource, Investment, 'investment'), OWNER_COLUMNS];
    if (extraColumns) columns.push(extraColumns);
    return `select ${columns.join(', ')}`;
  }

  private toOwnedRow(row: OwnerRow): OwnedInvestmentRow {
    return { investment: entityOf(this.dataSource, Investment, row), owner: toOwner(row) };
  }
}

function toOwner(row: OwnerRow): Owner {
  return { email: row.owner_email, walletAddress: row.owner_wallet, accountCreatedAt: row.owner_since };
}

/** The column or expression to sort by; undefined if the order is by a value that grows and therefore is not stored. */
function sortColumnOf({ sortBy, status }: InvestmentFilter & InvestmentOrder): string | undefined {
  if (sortBy === 'createdAt') return 'created_at';
  if (sortBy === 'amount' || status === 'pending') return 'amount';
  if (status === 'cancelled') return PAID_VALUE;
  return status === 'completed' ? 'final_value' : undefined;
}

type Text = string | null;
type FilterParameters = [status: Text, strategyId: Text, userId: Text, minAmount: Text, after: Date | null];

function parametersOf(filter: InvestmentFilter): FilterParameters {
  const { status, strategyId, userId, minAmount, createdAfter } = filter;
  return [
    status ? STORED_STATUS[status] : null,
    strategyId ?? null,
    userId ?? null,
    minAmount ?? null,
    createdAfter === undefined ? null : new Date(createdAfter),
  ];
}
