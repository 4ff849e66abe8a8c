import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { queueTotals, type QueueTotals } from '../../../lists/queue-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { ListPage, type ListOrder, type Page, type PageRequest } from '../../../lists/list-page.js';
import type { QueueQuery } from '../../../http/request/page.query.js';
import { Money } from '../../../common/money.js';
import { userColumn } from '../../identity/users/users.repository.js';
import type { NavDays } from '../strategies/strategies.types.js';
import { Investment, InvestmentClosing } from './entities/investment.entity.js';
import {
  FILTER_NAVS,
  filterParameters,
  INVESTMENT_FILTER,
  navTableParameter,
  PAID_VALUE,
  rankedByValue,
  VALUE_SQL,
  type Direction,
  type InvestmentFilter,
} from './investment-values.repository.js';

interface InvestmentOrder {
  readonly sortBy: 'createdAt' | 'amount' | 'currentValue';
  readonly orderBy: Direction;
}

/** The user of an investment. */
export interface Owner {
  readonly email: string;
  /** The first linked wallet that is not suspended; null without one. */
  readonly walletAddress: string | null;
  readonly accountCreatedAt: Date;
}

export interface OwnedInvestmentRow {
  readonly investment: Investment;
  readonly owner: Owner;
}

type OwnerRow = { owner_email: string; owner_wallet: string | null; owner_since: Date };
// Columns of the modules users and wallets (`first_wallet`).
const OWNER_COLUMNS = `
  ${userColumn('investment.user_id', 'email')} as owner_email,
  ${userColumn('investment.user_id', 'created_at')} as owner_since,
  first_wallet(investment.user_id) as owner_wallet`;

// Reads a table of the module strategies.
const ISSUE_NAV = `
  (select nav from strategy_nav
    where strategy_nav.strategy_id = investment.strategy_id and day = issued_on + 1) as issue_nav`;

/** The principal of the user's active and paused investments, which are stored as active, by strategy. */
const HOLDINGS = `(
  select coalesce(jsonb_object_agg(strategy_id, amount::text), '{}')
    from (select held.strategy_id, sum(held.amount) as amount from investment as held
           where held.user_id = investment.user_id and held.status = 'active' group by 1) as holding)`;

const MOST_CLOSINGS = 100;

/** Reads the investments of all users. */
@Injectable()
export class AdminInvestmentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findInvestmentsPage(
    query: InvestmentFilter & InvestmentOrder & PageRequest,
    days: NavDays,
  ): Promise<Page<OwnedInvestmentRow>> {
    const parameters: unknown[] = filterParameters(query);
    const column = sortColumnOf(query);
    if (!column) parameters.push(navTableParameter(days));
    // `pageOf` names the value of ranked ids `value`; for one user it computes the value of each row.
    const valueKey = query.userId === undefined ? 'value' : VALUE_SQL;
    const page = new ListPage(query, orderBy(column ?? valueKey, query.orderBy), parameters);
    const rows = await this.dataSource.query<OwnerRow[]>(
      `${this.selectOwnedSql(page.key)} from ${pageOf(page, query, column)}`,
      parameters,
    );
    return page.cut(rows, (row) => this.toOwnedRow(row));
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
    const parameters = [...filterParameters(query), navTableParameter(days)];
    for await (const rows of snapshot.batches<OwnerRow>(sql, parameters, EXPORT_BATCH_ROWS))
      yield rows.map((row) => this.toOwnedRow(row));
  }

  /** `issueNav` is the NAV at which the units were issued, that of the day after the issue; null before the issue. */
  async findInvestment(id: string): Promise<(OwnedInvestmentRow & { issueNav: Money | null }) | undefined> {
    const [row] = await this.dataSource.query<(OwnerRow & { issue_nav: string | null })[]>(
      `${this.selectOwnedSql(ISSUE_NAV)} from investment where id = $1`,
      [id],
    );
    if (!row) return undefined;
    const { issue_nav: issueNav } = row;
    return { ...this.toOwnedRow(row), issueNav: issueNav === null ? null : Money.of(issueNav) };
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
  ): Promise<Page<OwnedInvestmentRow & { holdings: ReadonlyMap<string, Money> }>> {
    const parameters: unknown[] = [];
    const order = orderBy(query.sortBy === 'amount' ? 'amount' : 'created_at', query.orderBy);
    const page = new ListPage(query, order, parameters);
    const rows = await this.dataSource.query<(OwnerRow & { holdings: Record<string, string> })[]>(
      `${this.selectOwnedSql(`${HOLDINGS} as holdings, ${page.key}`)}
         from (select id from investment where status = 'pending' and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join investment using (id) ${page.orderBy}`,
      parameters,
    );
    return page.cut(rows, (row) => ({
      ...this.toOwnedRow(row),
      holdings: new Map(Object.entries(row.holdings).map(([id, amount]) => [id, Money.of(amount)])),
    }));
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

/**
 * SQL: the investments of a page, by `column` or, without it, by value. The ids of the page are found first. Only for a list of one user
 * by value all rows are sorted by the computed value, because one user has few investments.
 */
function pageOf(page: ListPage, { status, userId }: InvestmentFilter, column: string | undefined): string {
  const matching = `where ${INVESTMENT_FILTER} and ${page.condition} ${page.orderBy} ${page.limit}`;
  if (!column && userId !== undefined)
    return `investment join ${FILTER_NAVS} using (strategy_id) ${matching}`;
  const ids = column
    ? `select id from investment ${matching}`
    : `select id, value from ${rankedByValue(page, { activeOnly: status === 'active' })} ${page.orderBy} ${page.limit}`;
  return `(${ids}) as page join investment using (id) ${page.orderBy}`;
}

function orderBy(sortKey: string, direction: Direction): ListOrder {
  const type = sortKey === 'created_at' ? 'timestamptz' : 'numeric';
  return {
    keys: [
      [sortKey, type],
      ['id', 'uuid'],
    ],
    direction,
  };
}

/** The column or expression to sort by; undefined if the order is by a value that grows and therefore is not stored. */
function sortColumnOf({ sortBy, status }: InvestmentFilter & InvestmentOrder): string | undefined {
  if (sortBy === 'createdAt') return 'created_at';
  if (sortBy === 'amount' || status === 'pending') return 'amount';
  if (status === 'cancelled') return PAID_VALUE;
  return status === 'completed' ? 'final_value' : undefined;
}
