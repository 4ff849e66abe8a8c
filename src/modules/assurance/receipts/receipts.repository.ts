import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { prepared } from '../../../database/prepared.js';
import type { PostingType } from '../../core/ledger/domain/chart-of-accounts.js';
import type { EarlierLeg, ReceiptNav } from './domain/investment-receipt.js';

/** The types of the postings that a record can have, by the kind of the record, which is also the type of their reference. */
const POSTING_TYPES = {
  deposit: ['deposit-held', 'deposit-reversed', 'deposit'],
  investment: ['investment', 'units-issued', 'divestment', 'earning', 'forfeit', 'fee'],
  withdrawal: ['withdrawal-requested', 'withdrawal-completed', 'withdrawal-released'],
} as const satisfies Record<string, readonly PostingType[]>;

export type ReceiptKind = keyof typeof POSTING_TYPES;

/** A ledger transaction that belongs to the record of a receipt. */
export interface PostedTransaction {
  readonly id: string;
  readonly type: string;
  readonly effectiveAt: Date;
}

/** The ledger transactions of a record, and the version of its row with which they were committed. */
interface PostedRecord {
  /** Changes with each change of the row. Null if there is no such record. */
  readonly version: string | null;
  readonly posted: readonly PostedTransaction[];
}

/** A receipt lists at most this number of earlier legs, the newest ones. The fees of older legs are part of its line `partial-closings`. */
const MAX_EARLIER_LEGS = 1000;

// Reads tables of the modules deposits, investments and withdrawals. $1: the id of a record, whose kind is the name of its table. The version of a
// row is the id of the database transaction that wrote it.
const versionSql = (kind: ReceiptKind) => `(select xmin::text from ${kind} where id = $1::uuid)`;

// $1: the id of a record. An investment also has the postings of its partial closings.
const REFERENCES: Record<ReceiptKind, string> = {
  deposit: 'array[$1::text]',
  investment: `array(select $1::text union all
                    select concat($1::text, ':', number) from investment_closing where investment_id = $1::uuid)`,
  withdrawal: 'array[$1::text]',
};

// Reads a table of the module ledger. $2: types. Uses the unique index of type and reference. One statement reads the version and the postings:
// they belong together because a posting commits with the change of its record.
const postedSql = (kind: ReceiptKind) => `
  select record.version, posted.id, posted.type, posted.effective_at as "effectiveAt"
    from (select ${versionSql(kind)} as version) as record
    left join ledger_transaction as posted
      on posted.type = any($2::text[]) and posted.reference_type = '${kind}'
     and posted.reference_id = any(${REFERENCES[kind]})`;

// Reads tables of the module strategies. A later report of the same day replaces an earlier one. State `rate`: the report has set the rate of its day.
const FIND_NAVS = prepared(`
  select day, nav, apy, correction, source,
         case when source = 'reported' then
           (select id from yield_report
             where yield_report.strategy_id = strategy_nav.strategy_id and yield_report.day = strategy_nav.day - 1
               and applied_on = strategy_nav.day and state = 'rate'
             order by sequence desc limit 1) end as "reportId"
    from strategy_nav where strategy_id = $1 and day between $2 and $3 order by day`);

// Reads a table of the module investments. $1: the id of the leg before the present one.
const FIND_LEGS = prepared(`
  with recursive leg as (
    select 1 as leg_number, investment.* from investment where id = $1
    union all
    select leg_number + 1, previous.* from leg join investment as previous on previous.id = leg.moved_from
     where leg_number < ${MAX_EARLIER_LEGS}
  )
  select amount, created_at as "createdAt", ended_at as "endedAt", final_value as "finalValue",
         management_fee_percent as "managementFeePercent", performance_fee_percent as "performanceFeePercent"
    from leg order by leg_number`);

/** An item as the database returns it, with text in place of `Money`. */
type Row<Item, Amounts extends keyof Item> = Omit<Item, Amounts> & Record<Amounts, string>;
type LegRow = Row<EarlierLeg, 'amount' | 'finalValue'> &
  Record<'managementFeePercent' | 'performanceFeePercent', string | null>;

/** The ledger's columns are null if the record has no postings. */
type PostedRow = { readonly version: string | null } & (PostedTransaction | { readonly id: null });

function isPosted(row: PostedRow): row is PostedRow & PostedTransaction {
  return row.id !== null;
}

/** Reads the input of receipts. Its tables belong to deposits, investments, ledger, strategies and withdrawals. */
@Injectable()
export class ReceiptsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The version of the record's row. Null if there is no such record. */
  async findVersion(kind: ReceiptKind, id: string): Promise<string | null> {
    const sql = prepared(`select ${versionSql(kind)} as version`);
    const [row] = await this.dataSource.query<[{ version: string | null }]>(sql, [id]);
    return row.version;
  }

  /** The ledger transactions of the record, including those of an investment's partial closings. */
  async getPostedRecord(kind: ReceiptKind, id: string): Promise<PostedRecord> {
    const parameters = [id, POSTING_TYPES[kind]];
    const rows = await this.dataSource.query<[PostedRow, ...PostedRow[]]>(
      prepared(postedSql(kind)),
      parameters,
    );
    return { version: rows[0].version, posted: rows.filter(isPosted) };
  }

  /** The net asset values of the days, in their order. The age of the platform bounds their number. */
  async findNavs(strategyId: string, { from, to }: { from: Day; to: Day }): Promise<ReceiptNav[]> {
    const rows = await this.dataSource.query<Row<ReceiptNav, 'nav' | 'apy' | 'correction'>[]>(FIND_NAVS, [
      strategyId,
      from,
      to,
    ]);
    return rows.map((row) => ({
      ...row,
      nav: Money.of(row.nav),
      apy: Money.of(row.apy),
      correction: Money.of(row.correction),
    }));
  }

  /** The legs of a chain of moves from the leg `id` back to the first one, at most `MAX_EARLIER_LEGS`. */
  async findEarlierLegs(id: string): Promise<EarlierLeg[]> {
    const rows = await this.dataSource.query<LegRow[]>(FIND_LEGS, [id]);
    return rows.map(({ managementFeePercent, performanceFeePercent, ...row }) => ({
      ...row,
      amount: Money.of(row.amount),
      finalValue: Money.of(row.finalValue),
      managementFeePercent: managementFeePercent === null ? null : Money.of(managementFeePercent),
      performanceFeePercent: performanceFeePercent === null ? null : Money.of(performanceFeePercent),
    }));
  }
}
