import { Injectable } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { AuditService } from '../audit/audit.service.js';
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

/** A restored database may be older than a published checkpoint. Sealing stops until an admin continues the log. */
@Injectable()
export class LogRestoresService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: LogRepository,
    private readonly proofs: LogProofsService,
    private readonly alerts: AlertsService,
    private readonly audit: AuditService,
  ) {}

  /** Opens the alert `log-restored`, unless it is open, if the log is marked as restored. `continueLog` resolves the alert. */
  async raiseAlertIfRestored(): Promise<void> {
    if (!(await this.repository.findState())?.restoredAt) return;
    await this.unitOfWork.runInTransaction(async (tx) => {
      const { restoredAt } = await this.repository.lockState(tx); // an admin may be continuing the log
      if (restoredAt) await this.alerts.raise(RESTORED_ALERT, tx);
    });
  }

  /**
   * Resumes sealing, after a comparison of the log with the checkpoint if one is given. Throws VALIDATION_ERROR if the
   * checkpoint is not one of this log, and INVALID_STATE if the log is not marked as restored, is shorter than the checkpoint
   * or has another root at its size.
   */
  async continueLog(
    { checkpoint: note, reason }: { readonly checkpoint?: string; readonly reason: string },
    admin: AdminPrincipal,
  ): Promise<SignedCheckpoint> {
    const published = note === undefined ? undefined : await this.openPublishedCheckpoint(note);
    const newest = await this.proofs.getNewestCheckpoint();
    const root = published && (await this.computeRoot(published.size));
    await this.unitOfWork.runInTransaction(async (tx) => {
      const state = await this.repository.lockState(tx);
      if (!state.restoredAt) fail('INVALID_STATE', { ...CONTINUE_REFUSED, status: 'sealing' });
      if (published) requireContinuation(state, published, root);
      await this.repository.clearRestored(tx);
      await this.alerts.resolveBySystem(RESTORED_ALERT.kind, LOG.id, tx);
      await this.audit.record(tx, admin, {
        action: 'log.continue',
        subject: LOG,
        reason,
        before: { status: 'restored', restoredAt: state.restoredAt.toISOString() },
        after: { status: 'sealing', size: state.size, checkpointSize: published?.size ?? null },
      });
    });
    return newest;
  }

  private async openPublishedCheckpoint(note: string): Promise<Checkpoint> {
    const message = 'must be a checkpoint that this log has signed';
    return (
      openCheckpoint(note, await this.proofs.listVerifiers()) ??
      fail('VALIDATION_ERROR', [{ field: 'checkpoint', message }])
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
    fail('INVALID_STATE', details, {
      message: `The checkpoint has ${published.size} leaves and the restored log ${size}. Restore a newer backup.`,
    });
  if (!root?.equals(published.root))
    fail('INVALID_STATE', details, {
      message: 'The restored log does not continue the checkpoint. Restore another backup.',
    });
}
