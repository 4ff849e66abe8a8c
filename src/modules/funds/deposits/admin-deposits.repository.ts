import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { asOfSql, listTotals } from '../../../lists/list-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import {
  ListPage,
  orderSql,
  type ListOrder,
  type Page,
  type PageRequest,
  type SortKey,
} from '../../../lists/list-page.js';
import type { DepositSort } from './dto/deposits.request.js';
import { Deposit, type HoldReason } from './entities/deposit.entity.js';
import type { DepositSums } from './deposit-lists.repository.js';
import type { DepositStatus } from './domain/deposit.state-machine.js';
import type { DepositCurrency, Network } from './domain/networks.js';

export interface AdminDepositFilter extends CreationFilter {
  readonly status?: DepositStatus | undefined;
  readonly currency?: DepositCurrency | undefined;
  readonly network?: Network | undefined;
  readonly userId?: string | undefined;
  readonly holdReason?: HoldReason | undefined;
}

export interface AdminDepositOrder {
  readonly sortBy: DepositSort;
  readonly orderBy: 'asc' | 'desc';
}

export interface AdminDepositPage extends AdminDepositOrder, PageRequest {}

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

/** The condition of a filter, whose values `parametersOf` returns as the parameters $1 to $7. */
const FILTER = `
  ($1::text is null or d.status = $1) and ($2::text is null or d.currency = $2) and ($3::text is null or d.network = $3)
  and ($4::text is null or d.hold_reason = $4) and ($5::uuid is null or d.user_id = $5)
  and ($6::timestamptz is null or d.created_at >= $6) and ($7::timestamptz is null or d.created_at < $7)`;

// Conditions over the facets of `src/lists/list-rows.ts`: status, currency, network, hold reason or '', and 'claim' or ''.
const IS_COMPLETED = `facets[1] = 'completed'`;
const IS_PENDING = `facets[1] in ('pending', 'confirming') and facets[4] <> 'BOOKED_BY_HAND' and facets[5] = ''`;
const IS_HELD = `facets[4] <> ''`;

/** Joins the user of a deposit; the module users owns the table. */
const OWNER = 'join platform_user as owner on owner.id = d.user_id';

type OwnedRow = object & { readonly user_email: string };

interface StoredTotals {
  total: number;
  completed: string;
  pending: string;
  heldCount: number;
  held: string;
  asOf: Date;
}

/** Deposits of all users. One statement reads a page, and another one the totals. */
@Injectable()
export class AdminDepositsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findPage(filter: AdminDepositFilter & AdminDepositPage): Promise<Page<OwnedDeposit>> {
    const parameters: unknown[] = parametersOf(filter);
    const page = new ListPage(filter, orderOf(filter), parameters);
    const rows = await this.dataSource.query<OwnedRow[]>(
      `${this.selectOwned()}, ${page.key}
         from (select d.id from deposit as d where ${FILTER} and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join deposit as d using (id) ${OWNER} ${page.orderBy}`,
      parameters,
    );
    return page.cut(rows, (row) => this.toOwnedDeposit(row));
  }

  /** All deposits that the filter selects, in batches. */
  async *streamDeposits(
    snapshot: Snapshot,
    filter: AdminDepositFilter & AdminDepositOrder,
  ): AsyncGenerator<OwnedDeposit[], void> {
    const sql = `${this.selectOwned()} from deposit as d ${OWNER} where ${FILTER} ${orderSql(orderOf(filter))}`;
    for await (const rows of snapshot.batches<OwnedRow>(sql, parametersOf(filter), EXPORT_BATCH_ROWS))
      yield rows.map((row) => this.toOwnedDeposit(row));
  }

  /**
   * If the filter has a currency, sums the received amounts; otherwise sums the values in USDC, without ETH. USDT that is
   * not credited is valued at `usdtRate`.
   */
  async sumDeposits(filter: AdminDepositFilter, usdtRate: Money): Promise<AdminDepositTotals> {
    const [status, currency, network, holdReason, userId, from, until] = parametersOf(filter);
    const parameters: unknown[] = [...parametersOf(filter), usdtRate.toString()];
    const totals = listTotals(
      {
        list: 'deposit',
        facets: [status, currency, network, holdReason],
        rows: { table: 'deposit as d', name: 'd', where: FILTER },
        time: { column: 'd.created_at', from, until },
        hasOtherConditions: userId !== null,
      },
      parameters,
    );
    // The sums of lists hold the amount and the value in USDC; uncredited USDT is missing in the value.
    const column = currency === null ? 'value' : 'amount';
    const uncreditedCondition = currency === null ? 'true' : 'false';
    const [row] = await this.dataSource.query<[StoredTotals]>(
      `with uncredited as (
         select coalesce(sum(usdc) filter (where not d.only_claimed and d.hold_reason is distinct from 'BOOKED_BY_HAND'), 0)
                  as pending,
                coalesce(sum(usdc) filter (where d.hold_reason is not null), 0) as held
           from deposit as d, lateral (select trunc(trunc(d.amount, 6) * $8::numeric, 6) as usdc) as valued
          where d.currency = 'USDT' and d.status in ('pending', 'confirming') and ${uncreditedCondition} and ${FILTER}
       )
       select coalesce(sum(rows), 0)::int as total,
              coalesce(sum(${column}) filter (where ${IS_COMPLETED}), 0) as completed,
              coalesce(sum(${column}) filter (where ${IS_PENDING}), 0) + (select pending from uncredited) as pending,
              coalesce(sum(rows) filter (where ${IS_HELD}), 0)::int as "heldCount",
              coalesce(sum(${column}) filter (where ${IS_HELD}), 0) + (select held from uncredited) as held,
              ${asOfSql('deposit')} as "asOf"
         from (${totals}) as totals`,
      parameters,
    );
    const toMoney = (text: string): Money => Money.of(text).roundDown(MICRO_SCALE);
    return {
      total: row.total,
      completedAmount: toMoney(row.completed),
      pendingAmount: toMoney(row.pending),
      heldCount: row.heldCount,
      heldAmount: toMoney(row.held),
      asOf: row.asOf,
    };
  }

  private selectOwned(): string {
    return `select ${entityColumns(this.dataSource, Deposit, 'd')}, owner.email as user_email`;
  }

  private toOwnedDeposit(row: OwnedRow): OwnedDeposit {
    return { deposit: entityOf(this.dataSource, Deposit, row), userEmail: row.user_email };
  }
}

function orderOf({ sortBy, orderBy }: AdminDepositOrder): ListOrder {
  return { keys: [SORT_KEYS[sortBy], ['d.id', 'uuid']], direction: orderBy };
}

/** The parameters of `FILTER`. */
type FilterParameters = [
  status: string | null,
  currency: string | null,
  network: string | null,
  holdReason: string | null,
  userId: string | null,
  from: Date | null,
  until: Date | null,
];

function parametersOf(filter: AdminDepositFilter): FilterParameters {
  const { status, currency, network, holdReason, userId } = filter;
  const { from, until } = creationPeriod(filter);
  return [status ?? null, currency ?? null, network ?? null, holdReason ?? null, userId ?? null, from, until];
}
