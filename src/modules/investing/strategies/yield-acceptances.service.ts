import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type {
  ChangeHandler,
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import type { YieldReport } from './entities/yield-report.entity.js';
import { NavsService } from './navs.service.js';
import { YieldReportsService } from './yield-reports.service.js';

/** Acceptances of yield reports beyond the tolerances. An acceptance changes what users own, so that two admins decide. */
@Injectable()
export class YieldAcceptancesService implements ChangeHandler, OnModuleInit {
  readonly kind = 'yield-report.accept';
  readonly permission = '*';

  constructor(
    private readonly reports: YieldReportsService,
    private readonly navs: NavsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /** Throws STEP_UP_REQUIRED, YIELD_REPORT_NOT_FOUND, and INVALID_STATE for a report that does not wait. */
  async requestAcceptance(
    id: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<YieldReport | RequestedApproval> {
    return this.navs.runOnPublishedDay(async (tx) => {
      await requireStepUp(tx, { id });
      if (!this.fourEyes.isOn) return this.reports.accept(tx, id, admin);
      const report = await this.reports.getWaitingReport(tx, id);
      const { strategyId, day, apy, realisedAmount, waitingFor, expectedAmount } = report;
      const label = `${strategyId} on ${day}: ${apy.toWire()} % a year`;
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { type: 'yield-report', id, label },
        before: { status: 'waiting', waitingFor, expectedAmount: expectedAmount?.toWire() ?? null },
        after: {
          status: 'accepted',
          strategyId,
          day,
          apy: apy.toExact(),
          realisedAmount: realisedAmount?.toWire() ?? null,
        },
        input: {},
        reason: null,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  async prepareChange({ subject, requestedAt }: PendingChange): Promise<MakeChange> {
    await this.navs.publishMissingNavs();
    return async (tx, by) => {
      await this.reports.requireNoNewerReport(tx, subject.id, requestedAt);
      await this.reports.accept(tx, subject.id, by);
    };
  }
}
