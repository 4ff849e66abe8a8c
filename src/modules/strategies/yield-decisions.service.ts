import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import type { Rows } from '../../http/request/pagination.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import {
  YIELD_REPORT_DECISIONS,
  type YieldReportState,
  type YieldReportVerb,
} from './domain/yield-report.state-machine.js';
import { effectOf, realisedPosting, realisedYield, usedRateOf } from './domain/yield-report.js';
import type { YieldReport } from './entities/yield-report.entity.js';
import { NavsService } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import type { NavDayLock } from './strategies.types.js';
import { YieldReportsRepository, type YieldReportFilter } from './yield-reports.repository.js';

/** Admins' decisions on reports that wait because they are beyond the tolerance. Each report is decided once. */
@Injectable()
export class YieldDecisionsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly audit: AuditService,
    private readonly repository: YieldReportsRepository,
  ) {}

  async list(filter: YieldReportFilter): Promise<Rows<YieldReport>> {
    return this.repository.findReportsPage(filter);
  }

  /**
   * Applies the report, with its realised yield, as if it had arrived now. Throws YIELD_REPORT_NOT_FOUND, and
   * INVALID_STATE for a report that does not wait.
   */
  async accept(id: string, admin: AdminPrincipal): Promise<YieldReport> {
    return this.decide(id, 'accept', admin, undefined, async (tx, report, today) => {
      const { strategyId, day } = report;
      const parsed = { ...report, strategy: this.strategies.getStrategy(strategyId) };
      const used = usedRateOf(parsed, await this.repository.getDayRates(tx, strategyId, day), today);
      const state = effectOf(parsed, used, today);
      const before = await this.repository.getRealisedAmount(tx, strategyId, day);
      const realised = realisedYield(report.realisedAmount, before);
      const changes = { state, usedApy: used.apy, realisedAmount: realised.total };
      await this.repository.applyAccepted(tx, id, changes);
      await this.ledger.post(tx, realisedPosting(parsed, realised, today.at));
      return state;
    });
  }

  /** The report never has an effect. Throws as `accept` does. */
  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<YieldReport> {
    return this.decide(id, 'reject', admin, reason, () => Promise.resolve('rejected'));
  }

  /** Reads the report again under the exclusive lock of the day, so that only one of two admins decides. */
  private async decide(
    id: string,
    verb: YieldReportVerb,
    admin: AdminPrincipal,
    reason: string | undefined,
    apply: (tx: Tx, report: YieldReport, today: NavDayLock) => Promise<YieldReportState>,
  ): Promise<YieldReport> {
    return this.navs.runOnPublishedDay(async (tx) => {
      const { strategyId } = await this.repository.getReport(tx, id);
      const today = await this.navs.lockDayExclusive(tx, strategyId);
      const report = await this.repository.getReport(tx, id);
      YIELD_REPORT_DECISIONS.requireAllowed(report.state, verb);
      const state = await apply(tx, report, today);
      await this.repository.updateDecision(tx, id, {
        state,
        decidedAt: today.at,
        decidedBy: admin.email,
        decisionReason: reason ?? null,
      });
      await this.audit.record(tx, admin, {
        action: `yield-report.${verb}`,
        subject: { type: 'yield-report', id },
        reason,
        before: { status: report.state },
        after: { status: state, strategyId, day: report.day, apy: report.apy.toString() },
      });
      return this.repository.getReport(tx, id);
    });
  }
}
