import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { Rows } from '../../../http/request/pagination.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { SerialQueue } from '../../../common/serial-queue.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type {
  ChangeHandler,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { SYSTEM, type AuditActor } from '../../core/audit/audit.service.js';
import {
  WithdrawalPausesService,
  type CurrentPause,
} from '../../funds/withdrawals/withdrawal-pauses.service.js';
import {
  containsViolations,
  type IntegrityViolationEvent,
  type ViolatedInvariant,
  violatedInvariants,
} from './domain/invariant.js';
import type { IntegrityRun } from './entities/integrity-run.entity.js';
import { IntegrityRunsRepository } from './integrity-runs.repository.js';
import { InvariantsRepository, type IntegrityCheck } from './invariants.repository.js';
import type { CreationFilter } from '../../../lists/creation-period.js';
import type { PageRequest } from '../../../lists/list-page.js';

/** The results of a check and the id of the stored run. */
interface StoredIntegrityCheck extends IntegrityCheck {
  readonly runId: string;
}

interface ResumedWithdrawals {
  readonly ended: CurrentPause;
  /** Invariants that are still violated. Their present violations are acknowledged and do not pause withdrawals again. */
  readonly stillBroken: readonly ViolatedInvariant[];
}

/** Checks the invariants of all money and pauses withdrawals on a new violation of severity `owed`. */
@Injectable()
export class IntegrityService implements ChangeHandler, OnModuleInit {
  readonly kind = 'integrity.resume';
  readonly permission = '*';
  private readonly log = new Logger('Integrity');
  private readonly checks = new SerialQueue(async () => {
    this.latest = await this.runCheck();
  });
  private latest: StoredIntegrityCheck | undefined;
  private stopping: AbortSignal | undefined;

  constructor(
    private readonly invariants: InvariantsRepository,
    private readonly runs: IntegrityRunsRepository,
    private readonly pauses: WithdrawalPausesService,
    private readonly unitOfWork: UnitOfWork,
    private readonly domainEvents: DomainEvents,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * Each process runs one check at a time; requests that arrive during a check share the next one. The first `stopping` that is
   * given applies to all later checks of this process. When it is aborted, which happens at shutdown after the last request,
   * a running check is rejected and its result is not stored.
   */
  async check(stopping?: AbortSignal): Promise<StoredIntegrityCheck> {
    this.stopping ??= stopping;
    await this.checks.enqueue();
    return this.latest as StoredIntegrityCheck;
  }

  listRuns(request: PageRequest & CreationFilter): Promise<Rows<IntegrityRun>> {
    return this.runs.findPage(request);
  }

  /** Throws INVALID_STATE while withdrawals are paused. */
  async pause(reason: string, admin: AdminPrincipal): Promise<CurrentPause> {
    return this.unitOfWork.runInTransaction((tx) => this.pauses.pauseWithdrawals(tx, admin, reason));
  }

  /**
   * Checks once more, then resumes withdrawals even if violations remain, and acknowledges these: only other violations pause
   * withdrawals again. With FOUR_EYES it checks, and requests the rest. Throws INVALID_STATE while withdrawals are not paused.
   */
  async resume(
    reason: string,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<ResumedWithdrawals | RequestedApproval> {
    const { pause, ...checked } = await this.checkForResumption();
    const stillBroken = checked.stillBroken.map(asText);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, {});
      if (!this.fourEyes.isOn) return this.endPause(tx, checked, reason, admin);
      return this.approvals.requestChange(
        tx,
        {
          kind: this.kind,
          subject: {
            type: 'withdrawal-pause',
            id: pause.id,
            label: `the pause of withdrawals: ${pause.reason}`,
          },
          before: { status: 'paused', since: pause.since, pausedBy: pause.pausedBy },
          after: { status: 'open', stillBroken },
          input: { runId: checked.runId },
          reason,
        },
        admin,
      );
    });
  }

  /** Throws INVALID_STATE if another pause has begun, or if there are violations that the check of the request has not found. */
  async prepareChange({ subject, input, reason }: PendingChange): Promise<MakeChange> {
    const details = { status: 'paused', action: 'resume', allowedFrom: [] };
    const checked = await this.checkForResumption();
    const listed = await this.runs.getRun(input.runId as string);
    const unlisted = checked.stillBroken.filter((violated) => !containsViolations(listed, violated));
    if (unlisted.length > 0) {
      const message = `There are violations that the request does not list: ${unlisted.map(asText).join(', ')}.`;
      throwError('INVALID_STATE', details, { message });
    }
    return async (tx, by) => {
      const { ended } = await this.endPause(tx, checked, reason ?? '', by);
      if (ended.id !== subject.id)
        throwError('INVALID_STATE', details, { message: 'Another pause has begun since the request.' });
    };
  }

  private async checkForResumption() {
    // Without a pause no admin has examined a violation, and the check below would acknowledge new ones unseen.
    const pause = await this.pauses.getCurrentPause();
    const { runId, findings } = await this.check();
    return { pause, runId, stillBroken: violatedInvariants(findings) };
  }

  private async endPause(
    tx: Tx,
    { runId, stillBroken }: { runId: string; stillBroken: ViolatedInvariant[] },
    reason: string,
    by: AuditActor,
  ): Promise<ResumedWithdrawals> {
    const ended = await this.pauses.resumeWithdrawals(tx, by, reason, stillBroken.map(asText));
    await this.runs.acknowledgeRun(tx, runId, by.approvedBy ?? by.email);
    return { ended, stillBroken };
  }

  private async runCheck(): Promise<StoredIntegrityCheck> {
    const check = await this.invariants.checkInvariants(this.stopping);
    // A run is kept even if the request that asked for it fails.
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const isPaused = (await this.pauses.lockPause(tx)) !== null;
      const violated = violatedInvariants(check.findings);
      const newlyViolated = await this.listNewlyViolated(tx, violated);
      const mustPause = newlyViolated.length > 0 && !isPaused;
      if (mustPause)
        await this.pauses.pauseWithdrawals(tx, SYSTEM, `Broken: ${newlyViolated.map(asText).join(', ')}.`);
      const runId = await this.runs.insertRun(tx, check, mustPause);
      if (violated.length > 0) {
        const event: IntegrityViolationEvent = { name: 'integrity.violation', at: check.checkedAt, runId };
        await this.domainEvents.emit(tx, event);
      }
      if (newlyViolated.length > 0)
        this.log.error({ msg: 'invariants have new violations', laws: newlyViolated.map(asText) });
      return { ...check, runId };
    });
  }

  /**
   * The violated invariants of severity `owed`, except those whose violations are all in both the newest acknowledged run and
   * the newest run. A violation that was acknowledged and repaired is therefore new if it occurs again.
   */
  private async listNewlyViolated(tx: Tx, violated: ViolatedInvariant[]): Promise<ViolatedInvariant[]> {
    const earlierRuns = [await this.runs.findNewestAcknowledged(tx), await this.runs.findNewest(tx)];
    return violated.filter(
      (invariant) =>
        invariant.severity === 'owed' && !earlierRuns.every((run) => containsViolations(run, invariant)),
    );
  }
}

const asText = ({ name, breakCount }: ViolatedInvariant) => `${name} (${breakCount})`;
