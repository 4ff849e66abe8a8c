import { Injectable, type OnModuleInit } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
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
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { type Checkpoint, openCheckpoint } from './domain/checkpoint.js';
import { LogProofsService } from './log-proofs.service.js';
import { LogRepository } from './log.repository.js';
import type { LogState, SignedCheckpoint } from './proofs.types.js';

const LOG = { type: 'log', id: 'ledger' };
const RESTORED_ALERT = {
  kind: 'log-restored',
  subject: LOG,
  message: 'The database was restored from a backup. No transactions enter the transparency log.',
  nextStep:
    'Find the newest checkpoint that was published before the restore, in the log output or at a webhook receiver, and send it to POST /api/admin/proofs/continue.',
} as const;
const CONTINUE_REFUSED = { action: 'continue', allowedFrom: ['restored'] };

/** Throws unless the log is marked as restored and continues the published checkpoint. */
type CompareLog = (state: LogState) => {
  readonly restoredAt: string;
  readonly size: number;
  readonly checkpointSize: number | null;
};

/** A restored database may be older than a published checkpoint. Sealing stops until an admin continues the log. */
@Injectable()
export class LogRestoresService implements ChangeHandler, OnModuleInit {
  readonly kind = 'log.continue';
  readonly permission = '*';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: LogRepository,
    private readonly proofs: LogProofsService,
    private readonly alerts: AlertsService,
    private readonly audit: AuditService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /** Opens the alert `log-restored`, unless it is open, if the log is marked as restored. `continueLog` resolves the alert. */
  async raiseAlertIfRestored(): Promise<void> {
    if (!(await this.repository.findState())?.restoredAt) return;
    await this.unitOfWork.runInTransaction(async (tx) => {
      const { restoredAt } = await this.repository.lockState(tx); // an admin may be continuing the log
      if (restoredAt) await this.alerts.raise(RESTORED_ALERT, tx);
    });
  }

  /**
   * Compares the log with the checkpoint, if one is given, and resumes sealing. With FOUR_EYES it compares, and requests the rest.
   * Throws VALIDATION_ERROR if the checkpoint is not one of this log, and INVALID_STATE if the log is not marked as restored, is
   * shorter than the checkpoint or has another root at the size of the checkpoint.
   */
  async continueLog(
    { checkpoint: note, reason }: { readonly checkpoint?: string; readonly reason: string },
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<SignedCheckpoint | RequestedApproval> {
    const compare = await this.prepareComparison(note);
    const newest = await this.proofs.getNewestCheckpoint();
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, {});
      if (!this.fourEyes.isOn) {
        await this.clearRestored(tx, compare, reason, admin);
        return newest;
      }
      const { restoredAt, size } = compare(await this.repository.lockState(tx));
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { ...LOG, label: 'the transparency log' },
        before: { status: 'restored', restoredAt, size },
        after: { status: 'sealing', checkpoint: note ?? null },
        input: { checkpoint: note ?? null },
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  async prepareChange({ input, reason }: PendingChange): Promise<MakeChange> {
    const compare = await this.prepareComparison((input.checkpoint as string | null) ?? undefined);
    return (tx, by) => this.clearRestored(tx, compare, reason ?? '', by);
  }

  private async clearRestored(tx: Tx, compare: CompareLog, reason: string, by: AuditActor): Promise<void> {
    const { restoredAt, size, checkpointSize } = compare(await this.repository.lockState(tx));
    this.repository.clearRestored(tx);
    await this.alerts.resolveBySystem(RESTORED_ALERT.kind, LOG.id, tx);
    await this.audit.record(tx, by, {
      action: 'log.continue',
      subject: LOG,
      reason,
      before: { status: 'restored', restoredAt },
      after: { status: 'sealing', size, checkpointSize },
    });
  }

  /** The comparison of the locked log with a published checkpoint, if one is given. It throws as `continueLog` does. */
  private async prepareComparison(note: string | undefined): Promise<CompareLog> {
    const published = note === undefined ? undefined : await this.openPublishedCheckpoint(note);
    const root = published && (await this.computeRoot(published.size));
    return (state) => {
      if (!state.restoredAt) throwError('INVALID_STATE', { ...CONTINUE_REFUSED, status: 'sealing' });
      if (published) requireContinuation(state, published, root);
      return {
        restoredAt: state.restoredAt.toISOString(),
        size: state.size,
        checkpointSize: published?.size ?? null,
      };
    };
  }

  private async openPublishedCheckpoint(note: string): Promise<Checkpoint> {
    const message = 'must be a checkpoint that this log has signed';
    return (
      openCheckpoint(note, await this.proofs.listVerifiers()) ??
      throwError('VALIDATION_ERROR', [{ field: 'checkpoint', message }])
    );
  }

  /** Undefined if the log has fewer leaves. Needs no lock, since the leaves of the log never change. */
  private async computeRoot(size: number): Promise<Buffer | undefined> {
    const state = await this.repository.findState();
    return state && size <= state.size ? this.proofs.computeRoot(size) : undefined;
  }
}

/** Throws unless the log continues the published checkpoint. `root`: the log's root at the size of that checkpoint. */
function requireContinuation({ size }: LogState, published: Checkpoint, root: Buffer | undefined): void {
  const details = { ...CONTINUE_REFUSED, status: 'restored' };
  if (published.size > size)
    throwError('INVALID_STATE', details, {
      message: `The checkpoint has ${published.size} leaves and the restored log ${size}. Restore a newer backup.`,
    });
  if (!root?.equals(published.root))
    throwError('INVALID_STATE', details, {
      message: 'The restored log does not continue the checkpoint. Restore another backup.',
    });
}
