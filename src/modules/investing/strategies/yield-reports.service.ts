import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isDay, isWithinCalendar, startOfDay } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { FieldProblem } from '../../../common/errors/error-details.js';
import { Money } from '../../../common/money.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { Rows } from '../../../http/request/pagination.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type {
  ChangeHandler,
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import {
  effectOf,
  expectedAmount,
  realisedPosting,
  realisedYield,
  usedRateOf,
  waitingReasons,
  YIELD_REPORT_DECISIONS,
  type ParsedReport,
  type YieldReportState,
  type YieldReportVerb,
  type YieldEvent,
  APY,
} from './domain/yield-report.js';
import type { YieldReport } from './entities/yield-report.entity.js';
import { NavsService } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import type { NavDayLock } from './strategies.types.js';
import {
  YieldReportsRepository,
  type YieldReportDecision,
  type YieldReportFilter,
} from './yield-reports.repository.js';

/** A report of the custody provider as received: decimals and the day are text. */
export interface YieldReportInput {
  /** The provider's id of the event; each event is recorded once. */
  readonly eventId: string;
  readonly strategyId: string;
  readonly day: string;
  /** Achieved, percent a year. */
  readonly apy: string;
  /** USDC received by the custody provider for the day; replaces the amount of an earlier report of the same day. */
  readonly realisedAmount?: string;
}

type DecidedColumns = Pick<YieldReportDecision, 'state' | 'usedApy' | 'realisedAmount'>;

const LOWEST_APY = Money.of('-100');
const EVENT_ID_LENGTH = 200;

/** Records the custody provider's reports of achieved yield, and admins' decisions on reports beyond the tolerance. */
@Injectable()
export class YieldReportsService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly ledger: LedgerService,
    private readonly config: AppConfig,
    private readonly audit: AuditService,
    private readonly repository: YieldReportsRepository,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Records each event once; a repeated event changes nothing, and `duplicate` is true. A later event of the same day is a
   * correction: it replaces rate and amount, and the difference of the amounts is posted. A report waits for an admin's decision
   * if its rate or its amount is beyond the tolerance, corrections included. Throws VALIDATION_ERROR for an
   * invalid report (see `parse` and `usedRateOf`), of which nothing is stored.
   */
  async record(input: YieldReportInput): Promise<{ state: YieldReportState; duplicate: boolean }> {
    const report = this.parse(input);
    const { eventId, strategy, day, apy } = report;
    return this.navs.runOnPublishedDay(async (tx) => {
      const today = await this.navs.lockDayExclusive(tx, strategy.id);
      const recordedState = await this.repository.findStateOfEvent(tx, eventId);
      if (recordedState) return { state: recordedState, duplicate: true };
      const rates = await this.repository.getDayRates(tx, strategy.id, day);
      const used = usedRateOf(report, rates, today);
      const expected = await this.expectedAmountOf(tx, report, today);
      const waitingFor = waitingReasons(report, expected, this.config);
      const state: YieldReportState = waitingFor.length > 0 ? 'waiting' : effectOf(report, used, today);
      const before = await this.repository.findRealisedAmount(tx, strategy.id, day);
      const realised = realisedYield(report.realisedAmount, before);
      const reportId = await this.repository.insertReport(tx, {
        eventId,
        strategyId: strategy.id,
        day,
        apy,
        usedApy: used.apy,
        state,
        // A waiting report keeps the amount that it states: accepting it considers the earlier amount of the day.
        realisedAmount: state === 'waiting' ? report.realisedAmount : realised.total,
        waitingFor,
        expectedAmount: expected,
        reportedAt: today.at,
      });
      const { realisedAmount } = report;
      const event = { reportId, strategyId: strategy.id, day, apy, realisedAmount, state };
      await this.domainEvents.emit<YieldEvent>(tx, { name: 'yield.reported', at: today.at, ...event });
      if (state !== 'waiting') await this.ledger.post(tx, realisedPosting(report, realised, today.at));
      return { state, duplicate: false };
    });
  }

  async listReports(filter: YieldReportFilter): Promise<Rows<YieldReport>> {
    return this.repository.findReportsPage(filter);
  }

  /**
   * Applies a waiting report, with its realised yield, as if it had arrived now. The caller has published the missing days. Throws
   * YIELD_REPORT_NOT_FOUND, and INVALID_STATE for a report that does not wait.
   */
  accept(tx: Tx, id: string, by: AuditActor): Promise<YieldReport> {
    return this.decide(tx, id, { verb: 'accept', by }, async (report, today) => {
      const { strategyId, day } = report;
      const parsed = { ...report, strategy: this.strategies.getStrategy(strategyId) };
      const used = usedRateOf(parsed, await this.repository.getDayRates(tx, strategyId, day), today);
      const state = effectOf(parsed, used, today);
      const before = await this.repository.findRealisedAmount(tx, strategyId, day);
      const realised = realisedYield(report.realisedAmount, before);
      await this.ledger.post(tx, realisedPosting(parsed, realised, today.at));
      return { state, usedApy: used.apy, realisedAmount: realised.total };
    });
  }

  /** A rejected report never has an effect. Throws as `accept` does. */
  reject(id: string, reason: string, by: AuditActor): Promise<YieldReport> {
    return this.navs.runOnPublishedDay((tx) =>
      this.decide(tx, id, { verb: 'reject', by, reason }, () => Promise.resolve({ state: 'rejected' })),
    );
  }

  /** Throws YIELD_REPORT_NOT_FOUND, and INVALID_STATE for a report that does not wait. */
  async getWaitingReport(tx: Tx, id: string): Promise<YieldReport> {
    const report = await this.repository.getReport(tx, id);
    YIELD_REPORT_DECISIONS.requireAllowed(report.state, 'accept');
    return report;
  }

  /** Throws INVALID_STATE if a report of the same strategy and day has taken effect since `since`. */
  async requireNoNewerReport(tx: Tx, id: string, since: Date): Promise<void> {
    const { strategyId, day, state } = await this.repository.getReport(tx, id);
    if (!(await this.repository.hasReportSince(tx, { strategyId, day }, since))) return;
    const message = 'Another report of this day has taken effect since the request. Compare both.';
    throwError('INVALID_STATE', { status: state, action: 'accept', allowedFrom: ['waiting'] }, { message });
  }

  /** Reads the report again under the exclusive lock of the day, so that only one of two admins decides. */
  private async decide(
    tx: Tx,
    id: string,
    { verb, by, reason }: { verb: YieldReportVerb; by: AuditActor; reason?: string },
    apply: (report: YieldReport, today: NavDayLock) => Promise<DecidedColumns>,
  ): Promise<YieldReport> {
    const { strategyId } = await this.repository.getReport(tx, id);
    const today = await this.navs.lockDayExclusive(tx, strategyId);
    const report = await this.repository.getReport(tx, id);
    YIELD_REPORT_DECISIONS.requireAllowed(report.state, verb);
    const changes = await apply(report, today);
    const { state } = changes;
    await this.repository.updateDecision(tx, report, {
      ...changes,
      decidedAt: today.at,
      decidedBy: by.approvedBy ?? by.email,
      decisionReason: reason ?? null,
    });
    const { day, apy, realisedAmount } = report;
    await this.audit.record(tx, by, {
      action: `yield-report.${verb}`,
      subject: { type: 'yield-report', id },
      reason,
      before: { status: report.state },
      after: {
        status: state,
        strategyId,
        day,
        apy: apy.toExact(),
        realisedAmount: realisedAmount?.toWire() ?? null,
      },
    });
    const event = { reportId: id, strategyId, day, apy, realisedAmount, state };
    await this.domainEvents.emit<YieldEvent>(tx, { name: 'yield.decided', at: today.at, ...event });
    return this.repository.getReport(tx, id);
  }

  private parse({ eventId, strategyId, day, apy, realisedAmount }: YieldReportInput): ParsedReport {
    const strategy = this.strategies.findListedStrategy(strategyId);
    const rate = APY.test(apy) ? Money.of(apy) : undefined;
    const realised = realisedAmount === undefined ? null : Money.parse(realisedAmount);
    const problems: FieldProblem[] = [];
    if (!eventId || eventId.length > EVENT_ID_LENGTH)
      problems.push({ field: 'eventId', message: 'must be 1 to 200 characters' });
    if (!strategy) problems.push({ field: 'strategyId', message: 'is not a known strategy' });
    if (!isDay(day) || !isWithinCalendar(startOfDay(day)))
      problems.push({ field: 'day', message: 'must be a day such as 2026-01-31' });
    if (!rate?.isMoreThan(LOWEST_APY))
      problems.push({ field: 'apy', message: 'must be a decimal string above -100' });
    if (realised === undefined)
      problems.push({ field: 'realisedAmount', message: 'must be a decimal string such as "10.00"' });
    if (!strategy || !rate || realised === undefined || problems.length > 0)
      throwError('VALIDATION_ERROR', problems);
    return { eventId, strategy, day, apy: rate, realisedAmount: realised };
  }

  private async expectedAmountOf(tx: Tx, report: ParsedReport, today: NavDayLock): Promise<Money | null> {
    if (report.realisedAmount === null) return null;
    const invested = await this.navs.getInvestedValue(tx, today, report.day);
    return expectedAmount(report.realisedAmount, invested, report.apy);
  }
}

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
