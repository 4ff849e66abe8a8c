import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countFromTotals } from '../../lists/count-rows.js';
import { markHours, markRecord } from '../../lists/total-marks.js';
import type { Tx } from '../../database/unit-of-work.js';
import { cutPage, offsetOf, type SummedRows } from '../../http/request/pagination.js';
import { addDays, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { YieldReportState } from './domain/yield-report.state-machine.js';
import { YieldReport } from './entities/yield-report.entity.js';
import type { DayRates } from './strategies.types.js';

export interface YieldReportFilter {
  readonly status?: YieldReportState | undefined;
  readonly page: number;
  readonly limit: number;
}

/** A report that takes part in the next published value. */
interface AppliedReport {
  readonly state: 'rate' | 'fold';
  readonly apy: Money;
  readonly usedApy: Money;
}

@Injectable()
export class YieldReportsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A page of reports, the newest first. */
  async findReportsPage({ status, page, limit }: YieldReportFilter): Promise<SummedRows<YieldReport>> {
    const rows = await this.dataSource.manager.find(YieldReport, {
      where: status === undefined ? {} : { state: status },
      order: { reportedAt: 'desc', id: 'desc' },
      take: limit + 1,
      skip: offsetOf({ page, limit }),
    });
    const counted = await countFromTotals(this.dataSource, {
      list: 'yield_report',
      facets: [status ?? null],
    });
    return { ...cutPage(rows, limit), ...counted };
  }

  /** Throws YIELD_REPORT_NOT_FOUND. */
  async getReport(tx: Tx, id: string): Promise<YieldReport> {
    return (await tx.findOneBy(YieldReport, { id })) ?? fail('YIELD_REPORT_NOT_FOUND');
  }

  async findStateOfEvent(tx: Tx, eventId: string): Promise<YieldReportState | undefined> {
    const report = await tx.findOne(YieldReport, {
      select: { eventId: true, state: true },
      where: { eventId },
    });
    return report?.state;
  }

  /** Returns the id of the report. */
  async insertReport(
    tx: Tx,
    report: Omit<YieldReport, 'id' | 'sequence' | 'appliedOn' | 'decidedAt' | 'decidedBy' | 'decisionReason'>,
  ): Promise<string> {
    await tx.insert(YieldReport, report);
    markHours(tx, 'yield_report', report.reportedAt);
    const { eventId } = report;
    const { id } = await tx.findOneOrFail(YieldReport, {
      select: { eventId: true, id: true },
      where: { eventId },
    });
    return id;
  }

  /** Stores the effect of an accepted report, and moves it behind all reports that were applied while it waited. */
  async applyAccepted(
    tx: Tx,
    id: string,
    changes: Pick<YieldReport, 'state' | 'usedApy' | 'realisedAmount'>,
  ): Promise<void> {
    await tx.update(YieldReport, { id }, { ...changes, sequence: () => 'default' });
    markRecord(tx, 'yield_report', id);
  }

  async updateDecision(
    tx: Tx,
    id: string,
    decision: Pick<YieldReport, 'state' | 'decidedAt' | 'decidedBy' | 'decisionReason'>,
  ): Promise<void> {
    await tx.update(YieldReport, { id }, decision);
    markRecord(tx, 'yield_report', id);
  }

  /** True if a report of the strategy and day was applied at this time or later. */
  async hasReportSince(
    tx: Tx,
    { strategyId, day }: { strategyId: string; day: Day },
    since: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `select from yield_report
        where strategy_id = $1 and day = $2 and state in ('rate', 'fold', 'ignored')
          and coalesce(decided_at, reported_at) >= $3 limit 1`,
      [strategyId, day, since],
    );
    return rows.length > 0;
  }

  /** The rates of a day. `from (select)` gives a row even if the value after the day is not published. */
  async getDayRates(tx: Tx, strategyId: string, day: Day): Promise<DayRates> {
    const [row] = await tx.query<
      [{ first: Day; source: string | null; published: string | null; reported: string | null }]
    >(
      `select (select min(day) from strategy_nav where strategy_id = $1) as first,
              published.source, published.apy as published,
              (select apy from yield_report
                where strategy_id = $1 and day = $2 and state in ('rate', 'fold')
                order by sequence desc limit 1) as reported
         from (select) as always
         left join strategy_nav as published on published.strategy_id = $1 and published.day = $3`,
      [strategyId, day, addDays(day, 1)],
    );
    return {
      first: row.first,
      suspended: row.source === 'suspended',
      published: row.published === null ? null : Money.of(row.published),
      reported: row.reported === null ? null : Money.of(row.reported),
    };
  }

  /** The realised amount of the day's report that was applied last; zero if no report was applied. */
  async getRealisedAmount(tx: Tx, strategyId: string, day: Day): Promise<Money> {
    const [row] = await tx.query<{ realised_amount: string }[]>(
      `select realised_amount from yield_report
        where strategy_id = $1 and day = $2 and state in ('rate', 'fold', 'ignored')
        order by sequence desc limit 1`,
      [strategyId, day],
    );
    return Money.of(row?.realised_amount ?? '0');
  }

  /** Marks the reports that the value published on `day` includes, and returns them in the order in which they were applied. */
  async claimOpenReports(tx: Tx, strategyId: string, day: Day): Promise<AppliedReport[]> {
    const [reports] = await tx.query<
      [{ sequence: string; state: 'rate' | 'fold'; apy: string; used_apy: string }[], number]
    >(
      `update yield_report set applied_on = $3
        where strategy_id = $1 and applied_on is null and (state = 'fold' or (state = 'rate' and day = $2))
       returning sequence, state, apy, used_apy`,
      [strategyId, day, addDays(day, 1)],
    );
    return reports
      .sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? -1 : 1))
      .map(({ state, apy, used_apy }) => ({ state, apy: Money.of(apy), usedApy: Money.of(used_apy) }));
  }
}
