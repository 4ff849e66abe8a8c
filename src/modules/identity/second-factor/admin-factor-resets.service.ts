import { Injectable, type OnModuleInit } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService, type Admin } from '../admins/admin-directory.service.js';
import { ApprovalHandlersService } from '../approvals/approval-handlers.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type {
  ChangeHandler,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../approvals/approvals.types.js';
import { failFourEyes } from '../approvals/domain/second-person.js';
import { FourEyesService } from '../approvals/four-eyes.service.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { FactorsRepository } from './factors.repository.js';
import type { FactorOwner } from './factors.types.js';

export interface AdminFactorReset {
  readonly email: string;
}

/** Removes the second factors of an admin who has lost them, by two other admins. */
@Injectable()
export class AdminFactorResetsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'admin.factor-reset';
  readonly permission = '*';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly factors: FactorsRepository,
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
    private readonly sessions: SessionsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * Requests the reset; with FOUR_EYES=off makes it. Throws VALIDATION_ERROR for an e-mail address that ADMINS_FILE does not list,
   * FOUR_EYES_REQUIRED for the caller's own, INVALID_STATE for an admin without a second factor, and STEP_UP_REQUIRED.
   */
  async resetFactors(
    { email, reason }: { email: string; reason: string },
    by: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminFactorReset | RequestedApproval> {
    const admin = this.getAdmin(email);
    if (admin.email === by.email) failFourEyes('same-person');
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id: admin.email });
      if (!this.fourEyes.isOn) return this.reset(tx, admin, { email: by.email }, reason);
      await this.requireFactors(tx, admin);
      const request = {
        kind: this.kind,
        subject: { type: 'admin', id: admin.email, label: admin.email },
        before: { hasSecondFactor: true },
        after: { hasSecondFactor: false },
        input: {},
        reason,
      } as const;
      return this.approvals.requestChange(tx, request, by);
    });
  }

  async prepareChange({ subject, reason }: PendingChange): Promise<MakeChange> {
    const admin = this.getAdmin(subject.id);
    return (tx, by) => {
      if (by.approvedBy === admin.email) failFourEyes('same-person');
      return this.reset(tx, admin, by, reason ?? '');
    };
  }

  private async reset(tx: Tx, admin: Admin, by: AuditActor, reason: string): Promise<AdminFactorReset> {
    const { id, email } = admin;
    await this.factors.lockAdmin(tx, id);
    await this.requireFactors(tx, admin);
    await this.factors.deleteAll(tx, ownerOf(admin));
    await this.sessions.revokeAdminFamilies(tx, id);
    afterCommit(tx, () => this.sessions.forgetSessionsOfUser(id));
    await this.audit.record(tx, by, {
      action: 'admin.factor-reset',
      subject: { type: 'admin', id: email },
      reason,
      before: { hasSecondFactor: true },
      after: { hasSecondFactor: false },
    });
    await this.accounts.emitEvent(tx, 'admin.factor-reset', email, by);
    return { email };
  }

  private getAdmin(email: string): Admin {
    return (
      this.admins.findAdminByEmail(email) ??
      throwError('VALIDATION_ERROR', [{ field: 'email', message: 'must be the address of an admin' }])
    );
  }

  private async requireFactors(tx: Tx, admin: Admin): Promise<void> {
    if (await this.factors.hasFactors(tx, ownerOf(admin))) return;
    const message = 'The admin has no second factor.';
    throwError('INVALID_STATE', { status: null, action: 'reset', allowedFrom: [] }, { message });
  }
}

function ownerOf({ id }: Admin): FactorOwner {
  return { type: 'admin', id };
}
