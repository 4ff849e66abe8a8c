import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThanOrEqual } from 'typeorm';
import { countFromTotals } from '../../../lists/count-rows.js';
import { markHours, markRecord } from '../../../lists/total-marks.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { SummedRows } from '../../../http/request/pagination.js';
import { createdWithin, creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import { findEntityPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import { addDays, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { YieldReportState } from './domain/yield-report.js';
import { YieldReport } from './entities/yield-report.entity.js';
import type { DayRates } from './strategies.types.js';

export interface YieldReportFilter extends PageRequest, CreationFilter {
  readonly status?: YieldReportState | undefined;
}

export type NewYieldReport = Omit<
  YieldReport,
  'id' | 'sequence' | 'appliedOn' | 'decidedAt' | 'decidedBy' | 'decisionReason' | 'seal'
>;

/** A decision, with the columns that an acceptance replaces. */
export type YieldReportDecision = Pick<YieldReport, 'state' | 'decidedAt' | 'decidedBy' | 'decisionReason'> &
  Partial<Pick<YieldReport, 'usedApy' | 'realisedAmount'>>;

/** Reports are sealed when they are stored and decided about. A report without a valid seal is ignored, except in the admins' list. */
@Injectable()
export class YieldReportsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  /** A page of reports, the newest first. */
  async findReportsPage(request: YieldReportFilter): Promise<SummedRows<YieldReport>> {
    const { status } = request;
    const period = creationPeriod(request);
    const filter = listFilter(['state = ?', status], ...createdWithin('reported_at', period));
    const order = byTime('reported_at', 'id');
    const page = await findEntityPage(this.dataSource.manager, YieldReport, filter, order, request);
    const listed = {
      list: 'yield_report' as const,
      facets: [status ?? null],
      rows: { table: 'yield_report', name: 'yield_report', where: filter.where },
      time: { column: 'reported_at', ...period },
    };
    const counted = await countFromTotals(this.dataSource, listed, filter.parameters);
    return { ...page, ...counted };
  }

  /** Throws YIELD_REPORT_NOT_FOUND. */
  async getReport(tx: Tx, id: string): Promise<YieldReport> {
    const report = await tx.findOneBy(YieldReport, { id });
    return report && this.isAuthentic(report) ? report : throwError('YIELD_REPORT_NOT_FOUND');
  }

  async findStateOfEvent(tx: Tx, eventId: string): Promise<YieldReportState | undefined> {
    const report = await tx.findOne(YieldReport, {
      select: { eventId: true, state: true },
      where: { eventId },
    });
    return report?.state;
  }

  /** Returns the id of the report. */
  async insertReport(tx: Tx, report: NewYieldReport): Promise<string> {
    const stored = { ...report, id: newId() };
    await tx.insert(YieldReport, { ...stored, seal: this.seals.sealRow('yield_report', stored) });
    markHours(tx, 'yield_report', report.reportedAt);
    return stored.id;
  }

  /** An accepted report moves behind all reports that were applied while it waited. */
  async updateDecision(tx: Tx, report: YieldReport, decision: YieldReportDecision): Promise<void> {
    const seal = this.seals.sealRow('yield_report', { ...report, ...decision });
    const place = decision.state === 'rejected' ? {} : { sequence: () => 'default' };
    await tx.update(YieldReport, { id: report.id }, { ...decision, seal, ...place });
    markRecord(tx, 'yield_report', report.id);
  }

  /** True if a report of the strategy and day was applied at this time or later. */
  async hasReportSince(
    tx: Tx,
    { strategyId, day }: { strategyId: string; day: Day },
    since: Date,
  ): Promise<boolean> {
    const applied = { strategyId, day, state: In<YieldReportState>(['rate', 'fold', 'ignored']) };
    const where = [
      { ...applied, decidedAt: MoreThanOrEqual(since) },
      { ...applied, decidedAt: IsNull(), reportedAt: MoreThanOrEqual(since) },
    ];
    return tx.exists(YieldReport, { where });
  }

  /** The rates of a day. `from (select)` gives a row even if the value after the day is not published. */
  async getDayRates(tx: Tx, strategyId: string, day: Day): Promise<DayRates> {
    const [row] = await tx.query<[{ first: Day; source: string | null; published: string | null }]>(
      `select (select min(day) from strategy_nav where strategy_id = $1) as first,
              published.source, published.apy as published
         from (select) as always
         left join strategy_nav as published on published.strategy_id = $1 and published.day = $2`,
      [strategyId, addDays(day, 1)],
    );
    const reported = await this.findLastReport(tx, strategyId, day, ['rate', 'fold']);
    return {
      first: row.first,
      suspended: row.source === 'suspended',
      published: row.published === null ? null : Money.of(row.published),
      reported: reported?.apy ?? null,
    };
  }

  /** The realised amount of the day's report that was applied last; null if no applied report has stated an amount. */
  async findRealisedAmount(tx: Tx, strategyId: string, day: Day): Promise<Money | null> {
    const report = await this.findLastReport(tx, strategyId, day, ['rate', 'fold', 'ignored']);
    return report?.realisedAmount ?? null;
  }

  /** Marks the reports that the value published on `day` includes, and returns them in the order in which they were applied. */
  async claimOpenReports(tx: Tx, strategyId: string, day: Day): Promise<YieldReport[]> {
    const isOpen = { strategyId, appliedOn: IsNull() };
    const open = await tx.find(YieldReport, {
      where: [
        { ...isOpen, state: 'fold' },
        { ...isOpen, state: 'rate', day },
      ],
      order: { sequence: 'asc' },
    });
    const reports = open.filter((report) => this.isAuthentic(report));
    const ids = reports.map(({ id }) => id);
    if (ids.length > 0) await tx.update(YieldReport, { id: In(ids) }, { appliedOn: addDays(day, 1) });
    return reports;
  }

  private async findLastReport(
    tx: Tx,
    strategyId: string,
    day: Day,
    states: YieldReportState[],
  ): Promise<YieldReport | undefined> {
    const where = { strategyId, day, state: In(states) };
    const reports = await tx.find(YieldReport, { where, order: { sequence: 'desc' } });
    return reports.find((report) => this.isAuthentic(report));
  }

  private isAuthentic(report: YieldReport): boolean {
    return this.seals.isAuthentic('yield_report', { ...report, isSealEnded: false });
  }
}
