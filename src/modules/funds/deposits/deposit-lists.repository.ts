import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { languageOf, type Language } from '../../../common/message-texts.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import type { Stored } from '../../../database/columns/money.column.js';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { boundedCount } from '../../../lists/count-rows.js';
import { findPage, listFilter, type ListFilter } from '../../../lists/find-page.js';
import type { Page, SortKey } from '../../../lists/list-page.js';
import { wasAlerted } from '../../core/alerts/alerts.repository.js';
import { languageColumn } from '../../identity/users/users.repository.js';
import type { DepositListQuery, DepositSort } from './dto/deposits.request.js';
import { Deposit } from './entities/deposit.entity.js';
import type { ProviderReport } from './domain/deposit-reports.js';

const SORT_KEYS: Record<DepositSort, SortKey> = {
  createdAt: ['created_at', 'timestamptz'],
  amount: ['amount', 'numeric'],
  confirmations: ['confirmations', 'integer'],
};

const RECHECKS_PER_POLL = 20; // each costs up to four requests to the node

const IS_OPEN = `status in ('pending', 'confirming') and hold_reason is null`;

/** SQL: status and number of the deposits that wait for confirmations, and of the held ones, as JSON. */
export const UNFINISHED_DEPOSITS = `jsonb_build_array(
  jsonb_build_object('status', 'unconfirmed', 'count',
    ${boundedCount(`deposit where ${IS_OPEN} and not only_claimed`)}),
  jsonb_build_object('status', 'held', 'count', ${boundedCount('deposit where hold_reason is not null')}))`;

export interface DepositFilter extends DepositListQuery {
  readonly userId: string;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** USDC per USDT. */
  readonly usdtRate: Money;
}

/** Figures of all deposits that match a filter, on all pages; in the currency of the filter, or in USDC if it has none. */
export interface DepositSums {
  readonly total: number;
  readonly completedAmount: Money;
  readonly pendingAmount: Money;
}

/** A deposit with the language of its user. */
export type OwnDeposit = Deposit & { readonly language: Language };

type OwnRow = object & { readonly language: string | null };

export interface DepositPage extends DepositSums, Page<OwnDeposit> {}

/** A deposit that the poll job looks up. */
export interface OpenDeposit {
  readonly hash: string;
  readonly isDecidedByChain: boolean;
  readonly providerDepositId: string | null;
}

/** Reads deposits outside a transaction: a page of a user's deposits, a deposit by id, and those that the poll job looks up, which it marks. */
@Injectable()
export class DepositListsRepository {
  constructor(@InjectRepository(Deposit) private readonly deposits: Repository<Deposit>) {}

  async findPage(filter: DepositFilter): Promise<DepositPage> {
    const { userId, status, currency, from, to, sortBy, orderBy } = filter;
    const matching = listFilter(
      ['user_id = ?', userId],
      ['status = ?', status],
      ['currency = ?', currency],
      ['created_at >= ?', from],
      ['created_at < ?', to],
    );
    const order = { keys: [SORT_KEYS[sortBy], ['id', 'uuid']], direction: orderBy } as const;
    const [page, totals] = await Promise.all([
      findPage(
        this.deposits.manager,
        { ...matching, columns: this.ownColumns, from: 'deposit', isPrepared: true },
        order,
        filter,
        (row: OwnRow) => this.toOwnDeposit(row),
      ),
      this.sumMatching(matching, filter),
    ]);
    return {
      ...page,
      total: totals.total,
      completedAmount: Money.of(totals.completedAmount).roundDown(MICRO_SCALE),
      pendingAmount: Money.of(totals.pendingAmount).roundDown(MICRO_SCALE),
    };
  }

  async findDeposit(id: string): Promise<OwnDeposit | undefined> {
    const [row] = await this.deposits.query<OwnRow[]>(
      prepared(`select ${this.ownColumns} from deposit where id = $1`),
      [id],
    );
    return row && this.toOwnDeposit(row);
  }

  private get ownColumns(): string {
    const columns = entityColumns(this.deposits.manager.connection, Deposit, 'deposit');
    return `${columns}, ${languageColumn('deposit.user_id')}`;
  }

  private toOwnDeposit(row: OwnRow): OwnDeposit {
    const deposit = entityOf<Deposit>(this.deposits.manager.connection, Deposit, row);
    return { ...deposit, language: languageOf(row.language ?? '') };
  }

  /**
   * If the filter has a currency, sums the received amounts; otherwise the values in USDC, without ETH. USDT that is not credited is
   * valued at the present rate.
   */
  private async sumMatching(
    { where, parameters }: ListFilter,
    { currency, usdtRate }: DepositFilter,
  ): Promise<Stored<DepositSums>> {
    const values = currency ? parameters : [...parameters, usdtRate.toString()];
    const amountSql = currency
      ? 'trunc(amount, 6)'
      : `case currency when 'ETH' then 0 when 'USDC' then trunc(amount, 6)
           else coalesce(credited, trunc(trunc(amount, 6) * $${values.length}::numeric, 6)) end`;
    const [totals] = await this.deposits.query<[Stored<DepositSums>]>(
      prepared(`select count(*)::int as total,
              coalesce(sum(${amountSql}) filter (where status = 'completed'), 0) as "completedAmount",
              coalesce(sum(${amountSql}) filter (
                where not only_claimed and status in ('pending', 'confirming')
                  and hold_reason is distinct from 'BOOKED_BY_HAND'), 0) as "pendingAmount"
         from deposit where ${where}`),
      [...values],
    );
    return totals;
  }

  /** Numbers of USDC deposits on ERC20 of all users that wait for their credit, without claims and those booked by hand. */
  async countWatchedDeposits(): Promise<{ pending: number; confirming: number }> {
    const [counts] = await this.deposits.query<{ pending: number; confirming: number }[]>(
      `select count(*) filter (where status = 'pending')::int as pending,
              count(*) filter (where status = 'confirming')::int as confirming
         from deposit where network = 'ERC20' and currency = 'USDC' and status in ('pending', 'confirming')
            and not only_claimed and hold_reason is distinct from 'BOOKED_BY_HAND'`,
    );
    return counts ?? { pending: 0, confirming: 0 };
  }

  /**
   * The provider's ids of the reports that concern an address of the platform and have an effect. The `case` is true for a report
   * without effect on its recorded deposit. Its lines, in their order: any report can change an open deposit; only success records a
   * vanished one anew; none changes USDC over ERC20, about which the chain decides; only failure ends one that is held below the
   * minimum; a report that contradicts the final state of any other raises one alert, and has no effect after that; no other report
   * has an effect.
   */
  async findReportsToRecord(reports: readonly ProviderReport[]): Promise<ReadonlySet<string>> {
    const rows = await this.deposits.query<{ id: string }[]>(
      `select reported.id
         from jsonb_to_recordset($1) as reported(id text, network text, address text, outcome text)
        where exists (select from deposit_address as stored
                       where stored.network = reported.network and stored.address = reported.address)
          and not exists (
            select from deposit as recorded
             where recorded.provider_deposit_id = reported.id
               and case
                 when recorded.status in ('pending', 'confirming') and recorded.hold_reason is null then false
                 when recorded.failure = 'vanished' then reported.outcome <> 'succeeded'
                 when recorded.network = 'ERC20' and recorded.currency = 'USDC' then true
                 when recorded.hold_reason = 'BELOW_MINIMUM' then reported.outcome <> 'failed'
                 when reported.outcome = case recorded.status when 'failed' then 'succeeded' else 'failed' end
                   then ${wasAlerted('deposit-reorganised', 'recorded.id::text')}
                 else true
               end)`,
      [
        JSON.stringify(
          reports.map(({ id, network, address, outcome }) => ({ id, network, address, outcome })),
        ),
      ],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The `limit` open deposits, claims excepted, that were looked up longest ago. Marks them as looked up. */
  takeOpenDeposits(limit: number): Promise<OpenDeposit[]> {
    return this.takeDue(`${IS_OPEN} and not only_claimed`, limit);
  }

  /** The `limit` open claims that were looked up longest ago. Marks them as looked up. */
  takeOpenClaims(limit: number): Promise<OpenDeposit[]> {
    return this.takeDue(`${IS_OPEN} and only_claimed`, limit);
  }

  /**
   * `condition` is SQL with `parameters` from $2 on. `is_decided_by_chain` is the condition of `isDecidedByChain` in SQL; false on networks
   * other than ERC20.
   */
  private takeDue(condition: string, limit: number, ...parameters: unknown[]): Promise<OpenDeposit[]> {
    return this.deposits.query<OpenDeposit[]>(
      `with due as (
         select id from deposit where ${condition}
          order by checked_at nulls first, id limit $1 for update skip locked
       ), checked as (
         update deposit set checked_at = clock_timestamp() from due where deposit.id = due.id
         returning deposit.tx_hash, deposit.provider_deposit_id,
                   network = 'ERC20' and (currency = 'USDC' or (currency = 'ETH' and provider_deposit_id is null))
                     as is_decided_by_chain
       )
       select tx_hash as hash, provider_deposit_id as "providerDepositId", is_decided_by_chain as "isDecidedByChain"
         from checked`,
      [limit, ...parameters],
    );
  }

  /**
   * The transaction hashes of the USDC deposits over ERC20 that were credited or held after `since`, or that are held and
   * not `succeeded`, because a reorganisation has removed the transfer: of the `RECHECKS_PER_POLL` deposits that were looked up longest
   * ago. Marks them as looked up.
   */
  async takeHashesToRecheck(since: Date): Promise<string[]> {
    const deposits = await this.takeDue(
      `network = 'ERC20' and currency = 'USDC'
         and (status = 'completed' and confirmed_at > $2
              or hold_reason = 'BELOW_MINIMUM' and (succeeded and updated_at > $2 or not succeeded))`,
      RECHECKS_PER_POLL,
      since,
    );
    return [...new Set(deposits.map(({ hash }) => hash))];
  }
}
