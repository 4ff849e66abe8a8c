import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { NavsService, type NavDayLock } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import { effectOf, realisedBy, realisedPosting, usedFor } from './domain/yield-report.js';
import { readYieldReport, type StoredYieldReport } from './yield-reports.repository.js';
import {
  YIELD_REPORT_DECISIONS,
  type YieldReportState,
  type YieldReportVerb,
} from './domain/yield-report.state-machine.js';

/** Operators' decisions on reports that wait because they are beyond the tolerance. Each is made once. */
@Injectable()
export class YieldDecisionsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Takes the report in as if it had come now, and its realised yield with it. Throws YIELD_REPORT_NOT_FOUND,
   * INVALID_STATE for one that does not wait.
   */
  async accept(id: string, admin: AdminPrincipal): Promise<StoredYieldReport> {
    return this.decide(id, 'accept', admin, undefined, async (tx, report, today) => {
      const told = { ...report, strategy: this.strategies.get(report.strategyId) };
      const used = await usedFor(tx, told, today);
      const state = effectOf(told, used, today);
      const realised = await realisedBy(tx, told);
      // A new place in the order: what is accepted now goes before what was taken in while it waited.
      await tx.query(
        `update yield_report set sequence = default, state = $2, used_apy = $3, realised_amount = $4 where id = $1`,
        [id, state, used.apy.toString(), realised.total.toString()],
      );
      await this.ledger.post(tx, realisedPosting(told, realised, today.at));
      return state;
    });
  }

  /** Leaves the report without any effect, for good. Throws as `accept`. */
  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<StoredYieldReport> {
    return this.decide(id, 'reject', admin, reason, () => Promise.resolve('rejected'));
  }

  /** Under the lock of the strategy's day: of two admins one decides, and the other is told of it. */
  private async decide(
    id: string,
    verb: YieldReportVerb,
    admin: AdminPrincipal,
    reason: string | undefined,
    apply: (tx: Tx, report: StoredYieldReport, today: NavDayLock) => Promise<YieldReportState>,
  ): Promise<StoredYieldReport> {
    return this.navs.write(async (tx) => {
      const { strategyId } = await required(tx, id);
      const today = await this.navs.lockDayAlone(tx, strategyId);
      const report = await required(tx, id);
      YIELD_REPORT_DECISIONS.next(report.state, verb);
      const state = await apply(tx, report, today);
      await tx.query(
        'update yield_report set state = $2, decided_at = $3, decided_by = $4, decision_reason = $5 where id = $1',
        [id, state, today.at, admin.email, reason ?? null],
      );
      await this.audit.record(tx, admin, {
        action: `yield-report.${verb}`,
        subject: { type: 'yield-report', id },
        reason,
        before: { status: report.state },
        after: { status: state, strategyId, day: report.day, apy: report.apy.toString() },
      });
      return required(tx, id);
    });
  }
}

async function required(tx: EntityManager, id: string): Promise<StoredYieldReport> {
  return (await readYieldReport(tx, id)) ?? fail('YIELD_REPORT_NOT_FOUND');
}
