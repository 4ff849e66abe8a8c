import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  entityColumns,
  entityOf,
  findRows,
  insertRow,
  lockRow,
  readRow,
  updateRow,
} from '../../../database/entity-rows.js';
import { PREPARED, prepared } from '../../../database/prepared.js';
import { wasMoved } from '../../../lists/list-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { ListPage, type Page, type PageRequest, type SortKey } from '../../../lists/list-page.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import type { NavDays } from '../strategies/strategies.types.js';
import type { Closing } from './domain/closing.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import { Investment } from './entities/investment.entity.js';
import type { InvestmentsQuery } from './dto/investments.request.js';
import { navTable, navTableParameter, VALUE_SQL } from './investment-values.repository.js';

/** Conditions on the investments of a user, and the NAVs with which their values are computed. */
interface UserInvestmentsFilter {
  readonly userId: string;
  readonly days: NavDays;
  readonly suspendedIds: readonly string[];
  readonly status?: ShownStatus | undefined;
  readonly strategyId?: string | undefined;
}

/** Sums over a user's investments of one strategy and status. */
export interface InvestmentGroup {
  readonly strategyId: string;
  /** `moved`: another investment continues it. Only its closed parts count. */
  readonly status: ShownStatus | 'moved';
  readonly count: number;
  readonly amount: Money;
  /** First principals of chains of moves, from which growth counts. */
  readonly firstPrincipal: Money;
  readonly value: Money;
  readonly fees: Money;
  /** Sums over the partial closings. */
  readonly closedPrincipal: Money;
  readonly closedGrowth: Money;
  readonly closedFees: Money;
  readonly closedEarlierGrowth: Money;
}

type ClosedSum = 'closed_principal' | 'closed_growth' | 'closed_fees' | 'closed_earlier_growth';
type GroupSum = 'amount' | 'first_principal' | 'value' | 'fees' | ClosedSum;
type GroupRow = Record<GroupSum | 'strategy_id', string> & Pick<InvestmentGroup, 'status' | 'count'>;

const SORT_KEYS: Record<InvestmentsQuery['sortBy'], SortKey> = {
  createdAt: ['investment.created_at', 'timestamptz'],
  amount: ['investment.amount', 'numeric'],
  currentValue: [VALUE_SQL, 'numeric'],
};

// Parameters 1 to 5: user, NAVs, suspended strategies, status, strategy.
const SHOWN_STATUS = `case when investment.status = 'active' and investment.strategy_id = any($3) then 'paused'
  when ${wasMoved('investment')} then 'moved' else investment.status end`;
const MATCHING = `from investment join ${navTable(2)} using (strategy_id)
  where user_id = $1 and ($4::text is null or ${SHOWN_STATUS} = $4) and ($5::text is null or strategy_id = $5)`;

/** The table `investment`: its writes, and reads of one user's investments. */
@Injectable()
export class InvestmentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Throws DUPLICATE_INVESTMENT if an investment of the user has the idempotency key. The caller locks the user's available
   * balance before this read, so that concurrent requests with one idempotency key run one after the other.
   */
  async requireUnusedKey(tx: Tx, userId: string, idempotencyKey: string | null): Promise<void> {
    if (idempotencyKey === null) return;
    const withKey = 'where user_id = $1 and idempotency_key = $2';
    const investment = await readRow(tx, Investment, withKey, [userId, idempotencyKey]);
    if (investment) throwError('DUPLICATE_INVESTMENT', { investmentId: investment.id });
  }

  /** The row violates the constraint `investment_idempotency_key` if another investment of the user has its idempotency key. */
  insertInvestment(tx: Tx, investment: Investment): void {
    insertRow(tx, Investment, investment);
  }

  /** Locks the investment until the transaction ends. Throws INVESTMENT_NOT_FOUND. */
  async lockInvestment(tx: Tx, id: string): Promise<Investment> {
    return (await lockRow(tx, Investment, id)) ?? throwError('INVESTMENT_NOT_FOUND');
  }

  /** As `lockInvestment`. Also throws PERMISSION_DENIED for another user's investment. */
  async lockInvestmentOfUser(tx: Tx, userId: string, id: string): Promise<Investment> {
    const investment = await this.lockInvestment(tx, id);
    if (investment.userId !== userId) throwError('PERMISSION_DENIED');
    return investment;
  }

  /** Changes a locked investment. */
  updateInvestment(tx: Tx, id: string, changes: Partial<Investment>): void {
    updateRow(tx, Investment, id, changes);
  }

  /** Records a partial closing of a locked investment. Returns the number of the closing, from 1 for each investment. */
  async insertClosing(
    tx: Tx,
    investmentId: string,
    { price, principal, units, fees, forfeited }: Closing,
    { at, by }: { at: Date; by: string },
  ): Promise<number> {
    const [row] = await tx.query<[{ number: number }]>(
      `insert into investment_closing
         (investment_id, number, at, closed_by, value, principal, units, management_fee, performance_fee, carried_fee,
          carried_performance_fee, forfeited)
       select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
         from investment_closing where investment_id = $1
       returning number`,
      [
        investmentId,
        at,
        by,
        price.toString(),
        principal.toString(),
        units.toString(),
        fees.management.toString(),
        fees.performance.toString(),
        fees.carried.toString(),
        fees.carriedPerformance.toString(),
        forfeited.toString(),
      ],
    );
    return row.number;
  }

  async findInvestment(id: string): Promise<Investment | null> {
    return this.dataSource.manager.findOne(Investment, { comment: PREPARED, where: { id } });
  }

  async findInvestmentsPage(
    filter: UserInvestmentsFilter,
    { sortBy, orderBy, ...request }: Pick<InvestmentsQuery, 'sortBy' | 'orderBy'> & PageRequest,
  ): Promise<Page<Investment>> {
    const parameters = parametersOf(filter);
    const order = { keys: [SORT_KEYS[sortBy], ['id', 'uuid']], direction: orderBy } as const;
    const page = new ListPage(request, order, parameters);
    const rows = await this.dataSource.query<object[]>(
      prepared(`select ${entityColumns(this.dataSource, Investment, 'investment')}, ${page.key} ${MATCHING}
                   and not ${wasMoved('investment')} and ${page.condition} ${page.orderBy} ${page.limit}`),
      parameters,
    );
    return page.cut(rows, (row) => entityOf(this.dataSource, Investment, row));
  }

  async sumByStrategyAndStatus(
    filter: UserInvestmentsFilter,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<InvestmentGroup[]> {
    const rows = await manager.query<GroupRow[]>(
      prepared(`select strategy_id, ${SHOWN_STATUS} as status, count(*)::int as count, sum(amount) as amount,
                       sum(coalesce(first_principal, amount)) as first_principal,
                       sum(${VALUE_SQL}) as value, sum(fees) as fees, sum(closed_principal) as closed_principal,
                       sum(closed_growth) as closed_growth, sum(closed_fees) as closed_fees,
                       sum(closed_earlier_growth) as closed_earlier_growth
                  ${MATCHING} group by 1, 2`),
      parametersOf(filter),
    );
    return rows.map((row) => ({
      strategyId: row.strategy_id,
      status: row.status,
      count: row.count,
      amount: Money.of(row.amount),
      firstPrincipal: Money.of(row.first_principal),
      value: Money.of(row.value),
      fees: Money.of(row.fees),
      closedPrincipal: Money.of(row.closed_principal),
      closedGrowth: Money.of(row.closed_growth),
      closedFees: Money.of(row.closed_fees),
      closedEarlierGrowth: Money.of(row.closed_earlier_growth),
    }));
  }

  /** The newest pending and active investments, those of suspended strategies included. */
  findNewestOpen(userId: string, limit: number, manager: EntityManager): Promise<Investment[]> {
    const open = `where user_id = $1 and status in ('pending', 'active') order by created_at desc, id desc limit $2`;
    return findRows(manager, Investment, open, [userId, limit]);
  }

  async findStrategiesWithActive(userId: string, strategyIds: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ strategy_id: string }[]>(
      `select distinct strategy_id from investment
        where user_id = $1 and status = 'active' and strategy_id = any($2) order by 1`,
      [userId, strategyIds],
    );
    return rows.map((row) => row.strategy_id);
  }
}

function parametersOf({ userId, days, suspendedIds, status, strategyId }: UserInvestmentsFilter): unknown[] {
  return [userId, navTableParameter(days), suspendedIds, status ?? null, strategyId ?? null];
}
