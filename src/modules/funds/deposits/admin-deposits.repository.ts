import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Stored } from '../../../database/columns/money.column.js';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { asOfSql, listTotals } from '../../../lists/list-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { createdWithin, creationPeriod } from '../../../lists/creation-period.js';
import { listFilter, type ListFilter } from '../../../lists/find-page.js';
import { ListPage, orderSql, type ListOrder, type Page, type SortKey } from '../../../lists/list-page.js';
import { userColumn } from '../../identity/users/users.repository.js';
import type { AdminDepositsQuery, DepositSort } from './dto/deposits.request.js';
import { Deposit } from './entities/deposit.entity.js';
import type { DepositSums } from './deposit-lists.repository.js';

export interface OwnedDeposit {
  readonly deposit: Deposit;
  readonly userEmail: string;
}

/** Figures of all deposits that a filter selects, on all pages. */
export interface AdminDepositTotals extends DepositSums {
  readonly heldCount: number;
  readonly heldAmount: Money;
  /** The time up to which the totals include every change. */
  readonly asOf: Date;
}

// Each order has an index.
const SORT_KEYS: Record<DepositSort, SortKey> = {
  createdAt: ['d.created_at', 'timestamptz'],
  amount: ['d.amount', 'numeric'],
  confirmations: ['d.confirmations', 'integer'],
};

// Conditions over the facets of `src/lists/list-rows.ts`: status, currency, network, hold reason or '', and 'claim' or ''.
const IS_COMPLETED = `facets[1] = 'completed'`;
const IS_PENDING = `facets[1] in ('pending', 'confirming') and facets[4] <> 'BOOKED_BY_HAND' and facets[5] = ''`;
const IS_HELD = `facets[4] <> ''`;

type OwnedRow = object & { readonly user_email: string };

/** Deposits of all users. One statement reads a page, and another one the totals. */
@Injectable()
export class AdminDepositsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findPage(filter: AdminDepositsQuery): Promise<Page<OwnedDeposit>> {
    const { where, parameters: values } = conditionsOf(filter);
    const parameters = [...values];
    const page = new ListPage(filter, orderOf(filter), parameters);
    const rows = await this.dataSource.query<OwnedRow[]>(
      `${this.selectOwned()}, ${page.key}
         from (select d.id from deposit as d where ${where} and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join deposit as d using (id) ${page.orderBy}`,
      parameters,
    );
    return page.cut(rows, (row) => this.toOwnedDeposit(row));
  }

  /** All deposits that the filter selects, in batches. */
  async *streamDeposits(
    snapshot: Snapshot,
    filter: AdminDepositsQuery,
  ): AsyncGenerator<OwnedDeposit[], void> {
    const { where, parameters } = conditionsOf(filter);
    const sql = `${this.selectOwned()} from deposit as d where ${where} ${orderSql(orderOf(filter))}`;
    for await (const rows of snapshot.batches<OwnedRow>(sql, [...parameters], EXPORT_BATCH_ROWS))
      yield rows.map((row) => this.toOwnedDeposit(row));
  }

  /**
   * If the filter has a currency, sums the received amounts; otherwise sums the values in USDC, without ETH. USDT that is
   * not credited is valued at `usdtRate`.
   */
  async sumDeposits(filter: AdminDepositsQuery, usdtRate: Money): Promise<AdminDepositTotals> {
    const { status = null, currency = null, network = null, holdReason = null } = filter;
    const { where, parameters: values } = conditionsOf(filter);
    const parameters = [...values];
    const rate = `$${parameters.push(usdtRate.toString())}`;
    const totals = listTotals(
      {
        list: 'deposit',
        facets: [status, currency, network, holdReason],
        rows: { table: 'deposit as d', name: 'd', where },
        time: { column: 'd.created_at', ...creationPeriod(filter) },
        hasOtherConditions: filter.userId !== undefined,
      },
      parameters,
    );
    // The sums of lists hold the amount and the value in USDC. The value lacks USDT that is not credited yet, so `uncredited` adds it.
    const column = currency === null ? 'value' : 'amount';
    const uncreditedCondition = currency === null ? 'true' : 'false';
    const [row] = await this.dataSource.query<[Stored<AdminDepositTotals>]>(
      `with uncredited as (
         select coalesce(sum(usdc) filter (where not d.only_claimed and d.hold_reason is distinct from 'BOOKED_BY_HAND'), 0)
                  as pending,
                coalesce(sum(usdc) filter (where d.hold_reason is not null), 0) as held
           from deposit as d, lateral (select trunc(trunc(d.amount, 6) * ${rate}::numeric, 6) as usdc) as valued
          where d.currency = 'USDT' and d.status in ('pending', 'confirming') and ${uncreditedCondition} and ${where}
       )
       select coalesce(sum(rows), 0)::int as total,
              coalesce(sum(${column}) filter (where ${IS_COMPLETED}), 0) as "completedAmount",
              coalesce(sum(${column}) filter (where ${IS_PENDING}), 0) + (select pending from uncredited) as "pendingAmount",
              coalesce(sum(rows) filter (where ${IS_HELD}), 0)::int as "heldCount",
              coalesce(sum(${column}) filter (where ${IS_HELD}), 0) + (select held from uncredited) as "heldAmount",
              ${asOfSql('deposit')} as "asOf"
         from (${totals}) as totals`,
      parameters,
    );
    const toMoney = (text: string): Money => Money.of(text).roundDown(MICRO_SCALE);
    return {
      ...row,
      completedAmount: toMoney(row.completedAmount),
      pendingAmount: toMoney(row.pendingAmount),
      heldAmount: toMoney(row.heldAmount),
    };
  }

  private selectOwned(): string {
    return `select ${entityColumns(this.dataSource, Deposit, 'd')}, ${userColumn('d.user_id', 'email')} as user_email`;
  }

  private toOwnedDeposit(row: OwnedRow): OwnedDeposit {
    return { deposit: entityOf(this.dataSource, Deposit, row), userEmail: row.user_email };
  }
}

function orderOf({ sortBy, orderBy }: AdminDepositsQuery): ListOrder {
  return { keys: [SORT_KEYS[sortBy], ['d.id', 'uuid']], direction: orderBy };
}

/** SQL conditions over a deposit `d`. */
function conditionsOf(filter: AdminDepositsQuery): ListFilter {
  return listFilter(
    ['d.status = ?', filter.status],
    ['d.currency = ?', filter.currency],
    ['d.network = ?', filter.network],
    ['d.hold_reason = ?', filter.holdReason],
    ['d.user_id = ?', filter.userId],
    ...createdWithin('d.created_at', creationPeriod(filter)),
  );
}
