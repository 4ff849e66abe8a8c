import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import { prepared } from '../../database/prepared.js';
import { investmentReference } from '../ledger/domain/postings.js';
import { MOST_EARLIER_LEGS, POSTING_TYPES, type ReceiptKind } from './receipts.constants.js';
import type { EarlierLeg, PostedTransaction, ReceiptNav } from './receipts.types.js';

// Tables: ledger. $1: types, $2: reference type, $3: reference ids. By the unique index of these three columns.
const FIND_POSTED = prepared(`
  select id, type, effective_at as "effectiveAt" from ledger_transaction
   where type = any($1::text[]) and reference_type = $2 and reference_id = any($3::text[])`);

// Tables: strategies. A later report of the same day replaces an earlier one.
const FIND_NAVS = prepared(`
  select day, nav, apy, correction, source,
         case when source = 'reported' then
           (select id from yield_report
             where yield_report.strategy_id = strategy_nav.strategy_id and yield_report.day = strategy_nav.day - 1
               and applied_on = strategy_nav.day and state = 'rate'
             order by sequence desc limit 1) end as "reportId"
    from strategy_nav where strategy_id = $1 and day between $2 and $3 order by day`);

// Tables: investments. $1: the id of the leg before the present one.
const FIND_LEGS = prepared(`
  with recursive leg as (
    select 1 as place, investment.* from investment where id = $1
    union all
    select place + 1, before.* from leg join investment as before on before.id = leg.moved_from
     where place < ${MOST_EARLIER_LEGS}
  )
  select amount, created_at as "createdAt", ended_at as "endedAt", final_value as "finalValue",
         management_fee_percent as "managementFeePercent", performance_fee_percent as "performanceFeePercent"
    from leg order by place`);

type Row<Item, Amounts extends keyof Item> = Omit<Item, Amounts> & Record<Amounts, string>;
type LegRow = Row<EarlierLeg, 'amount' | 'finalValue'> &
  Record<'managementFeePercent' | 'performanceFeePercent', string | null>;

/** Reads what receipts are computed from. Its tables belong to ledger, strategies and investments. */
@Injectable()
export class ReceiptsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findPostedTransactions(kind: ReceiptKind, id: string): Promise<PostedTransaction[]> {
    const references = kind === 'investment' ? await this.findInvestmentReferences(id) : [id];
    return this.dataSource.query(FIND_POSTED, [POSTING_TYPES[kind], kind, references]);
  }

  /** The values of the days, in their order. One row a day, so their number is bounded by the age of the platform. */
  async findNavs(strategyId: string, { from, to }: { from: Day; to: Day }): Promise<ReceiptNav[]> {
    const rows = await this.dataSource.query<Row<ReceiptNav, 'nav' | 'apy' | 'correction'>[]>(FIND_NAVS, [
      ...[strategyId, from, to],
    ]);
    return rows.map((row) => ({
      ...row,
      nav: Money.of(row.nav),
      apy: Money.of(row.apy),
      correction: Money.of(row.correction),
    }));
  }

  /** The legs of a chain of moves from the given one back to the first, at most `MOST_EARLIER_LEGS`. */
  async findLegs(id: string): Promise<EarlierLeg[]> {
    const rows = await this.dataSource.query<LegRow[]>(FIND_LEGS, [id]);
    return rows.map(({ managementFeePercent, performanceFeePercent, ...row }) => ({
      ...row,
      amount: Money.of(row.amount),
      finalValue: Money.of(row.finalValue),
      managementFeePercent: managementFeePercent === null ? null : Money.of(managementFeePercent),
      performanceFeePercent: performanceFeePercent === null ? null : Money.of(performanceFeePercent),
    }));
  }

  /** The investment itself and its partial closings, which only admins make. */
  private async findInvestmentReferences(investmentId: string): Promise<string[]> {
    const closings = await this.dataSource.query<{ number: number }[]>(
      prepared('select number from investment_closing where investment_id = $1 order by number'),
      [investmentId],
    );
    const parts = closings.map(({ number: closing }) => investmentReference({ investmentId, closing }));
    return [investmentReference({ investmentId }), ...parts];
  }
}
