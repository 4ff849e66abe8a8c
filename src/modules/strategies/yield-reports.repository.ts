import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countFromTotals } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import type { YieldReportState } from './domain/yield-report.state-machine.js';

/** A report as it is stored. */
export interface StoredYieldReport {
  readonly id: string;
  /** The provider's own. */
  readonly eventId: string;
  readonly strategyId: string;
  readonly day: Day;
  readonly state: YieldReportState;
  /** Achieved, percent a year. */
  readonly apy: Money;
  /** What the day had when the report was taken in. */
  readonly usedApy: Money;
  /** Null where a report that waits does not state it. */
  readonly realised: Money | null;
  readonly reportedAt: Date;
  /** Day of the value that took it in; null until then. */
  readonly appliedOn: Day | null;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  readonly decisionReason: string | null;
}

type Decimal = 'apy' | 'usedApy' | 'realised';
type Row = Omit<StoredYieldReport, Decimal> &
  Record<Exclude<Decimal, 'realised'>, string> & { realised: string | null };

const SELECT = `
  select id, event_id as "eventId", strategy_id as "strategyId", day, state, apy, used_apy as "usedApy",
         realised_amount as realised, reported_at as "reportedAt", applied_on as "appliedOn",
         decided_at as "decidedAt", decided_by as "decidedBy", decision_reason as "decisionReason"
    from yield_report`;

export async function readYieldReport(
  manager: EntityManager,
  id: string,
): Promise<StoredYieldReport | undefined> {
  const [row] = await manager.query<Row[]>(`${SELECT} where id = $1`, [id]);
  return row && asReport(row);
}

export interface YieldReportFilter {
  status?: YieldReportState | undefined;
  page: number;
  limit: number;
}

@Injectable()
export class YieldReportQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async list(filter: YieldReportFilter): Promise<Rows<StoredYieldReport>> {
    const chosen = '($1::text is null or state = $1)';
    const status = filter.status ?? null;
    const rows = await this.dataSource.query<Row[]>(
      `${SELECT} where ${chosen} order by reported_at desc, id desc limit $2 offset $3`,
      [status, filter.limit, offsetOf(filter)],
    );
    const total = await countFromTotals(this.dataSource, {
      list: 'yield_report',
      facets: [status],
    });
    return { rows: rows.map(asReport), total };
  }
}

function asReport(row: Row): StoredYieldReport {
  return {
    ...row,
    apy: Money.of(row.apy),
    usedApy: Money.of(row.usedApy),
    realised: row.realised === null ? null : Money.of(row.realised),
  };
}
