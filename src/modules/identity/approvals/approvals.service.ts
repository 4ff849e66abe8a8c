import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { Rows } from '../../../http/request/pagination.js';
import type { QueueCount } from '../../../lists/queue-totals.js';
import { creationPeriod } from '../../../lists/creation-period.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService, SYSTEM } from '../../core/audit/audit.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { LimitTiersService } from '../users/limit-tiers.service.js';
import { ApprovalHandlersService, ChangeRefused, markRefusals } from './approval-handlers.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsRepository, toApproval, type StoredApproval } from './approvals.repository.js';
import {
  RequestedApproval,
  type Approval,
  type ChangedFields,
  type ChangeRequest,
  type MakeChange,
  type PendingChange,
  APPROVAL_STATES,
} from './approvals.types.js';
import type { ApprovalsQuery } from './dto/approvals.request.js';
import type { ApprovalRecord } from './entities/approval.entity.js';
import { FourEyesService } from './four-eyes.service.js';

const EXPIRED_PER_RUN = 500;

/** Changes that one admin requests and another approves. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: ApprovalsRepository,
    private readonly handlers: ApprovalHandlersService,
    private readonly steps: ApprovalStepsService,
    private readonly fourEyes: FourEyesService,
    private readonly admins: AdminDirectoryService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly tiers: LimitTiersService,
    private readonly seals: CredentialSealsService,
  ) {}

  /**
   * Stores a request for a change, in the caller's transaction. The same request of the same admin returns the pending
   * approval; throws INVALID_STATE while another request for a change of this kind and record is pending.
   */
  async requestChange(
    tx: Tx,
    request: ChangeRequest,
    admin: { readonly email: string },
  ): Promise<RequestedApproval> {
    const pending = await this.repository.findPending(tx, request);
    if (!pending) return new RequestedApproval(await this.steps.storeRequest(tx, request, admin));
    if (pending.expiresAt <= this.clock.now()) {
      await this.expire(tx, pending.id);
      return new RequestedApproval(await this.steps.storeRequest(tx, request, admin));
    }
    if (pending.requestedBy === admin.email && isSameRequest(pending, request))
      return new RequestedApproval(toApproval(pending));
    return throwError(
      'INVALID_STATE',
      { status: 'pending', action: 'request', allowedFrom: [], approvalId: pending.id },
      {
        message:
          'A request for this change is pending (details.approvalId). It has to be decided, or withdrawn by its requester, first.',
      },
    );
  }

  /** The approvals that the admin may decide or, with `mine`, has requested. */
  async listApprovals(
    { status, kind, mine, createdAfter, createdBefore, ...page }: ApprovalsQuery,
    { email, permissions }: AdminPrincipal,
  ): Promise<Rows<Approval>> {
    const kinds = this.handlers.listPermittedKinds(permissions);
    const filter = {
      status: status ?? null,
      kinds: kinds.filter((permitted) => kind === undefined || permitted === kind),
      requestedBy: mine ? email : null,
      notRequestedBy: mine ? null : email,
      thresholds: this.tiers.approvalThresholds,
      requested: creationPeriod({ createdAfter, createdBefore }),
    };
    return this.repository.findPage(filter, page);
  }

  /** The number of pending approvals that the admin may decide; null if the admin may decide no kind. */
  async countPending({ email, permissions }: AdminPrincipal): Promise<QueueCount | null> {
    const kinds = this.handlers.listPermittedKinds(permissions);
    if (kinds.length === 0) return null;
    return this.repository.countApprovals({
      status: 'pending',
      kinds,
      requestedBy: null,
      notRequestedBy: email,
      thresholds: this.tiers.approvalThresholds,
      requested: creationPeriod({}),
    });
  }

  /** Throws APPROVAL_NOT_FOUND, and PERMISSION_DENIED without the permission of its kind. */
  async getApproval(id: string, { permissions }: AdminPrincipal): Promise<Approval> {
    const approval = await this.loadApproval(id);
    requirePermission(permissions, this.handlers.permissionOf(approval.kind));
    return approval;
  }

  /**
   * Makes the change, in the transaction that stores the approval. If the change is refused, the approval has failed, which a
   * second transaction stores. Throws APPROVAL_NOT_FOUND, PERMISSION_DENIED, FOUR_EYES_REQUIRED, INVALID_STATE and
   * STEP_UP_REQUIRED; if a provider or the database does not answer, SERVICE_UNAVAILABLE, and the approval stays pending.
   */
  async approve(
    id: string,
    { note = null, requestedAt }: { note?: string | null; requestedAt?: string },
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<Approval> {
    const approval = await this.getApproval(id, admin);
    if (requestedAt !== undefined) requireSameRequest(approval, requestedAt);
    const record = this.handlers.findRecordHandler(approval.kind);
    if (record) {
      await record.approveRecord(id, admin, { requestedAt, requireStepUp });
      return this.asDecided(approval, 'approved', admin, note);
    }
    APPROVAL_STATES.requireAllowed(approval.status, 'approve');
    await this.fourEyes.requireSecondPerson(approval.requestedBy, admin.email);
    try {
      return await this.makeChange(id, note, admin, requireStepUp);
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
      const { code: failureCode, message: failureMessage } = error.refusal;
      return this.unitOfWork.runInTransaction(async (tx) => {
        await requireStepUp(tx, { id });
        const pending = await this.steps.lockPending(tx, id, 'fail');
        return this.steps.settle(tx, pending, 'fail', admin, { note, failureCode, failureMessage });
      });
    }
  }

  /** Throws as `approve` does. */
  async reject(id: string, reason: string, admin: AdminPrincipal): Promise<Approval> {
    const approval = await this.getApproval(id, admin);
    const record = this.handlers.findRecordHandler(approval.kind);
    if (record) {
      const result = await record.rejectRecord(id, reason, admin);
      // The rejection of a withdrawal that was paid already waits for another admin itself.
      if (result instanceof RequestedApproval) return result.approval;
      return this.asDecided(approval, 'rejected', admin, reason);
    }
    return this.unitOfWork.runInTransaction(async (tx) => {
      const pending = await this.steps.lockPending(tx, id, 'reject');
      await this.fourEyes.requireSecondPerson(pending.requestedBy, admin.email, tx);
      return this.steps.settle(tx, pending, 'reject', admin, { note: reason });
    });
  }

  /** Throws APPROVAL_NOT_FOUND, FORBIDDEN for another admin than the requester, and INVALID_STATE. */
  async withdraw(id: string, admin: AdminPrincipal): Promise<Approval> {
    const { kind, requestedBy } = await this.loadApproval(id);
    if (this.handlers.findRecordHandler(kind))
      throwError(
        'INVALID_STATE',
        { status: 'pending', action: 'withdraw', allowedFrom: [] },
        { message: 'This is a record of its own: reject it.' },
      );
    if (requestedBy !== admin.email)
      throwError('FORBIDDEN', undefined, { message: 'Only the admin who made the request can withdraw it.' });
    return this.unitOfWork.runInTransaction(async (tx) => {
      const pending = await this.steps.lockPending(tx, id, 'withdraw');
      return this.steps.settle(tx, pending, 'withdraw', admin);
    });
  }

  @Job({
    name: 'approval-expiry',
    purpose: 'Expires the requests for changes that no second admin has decided within 72 hours',
    everySeconds: 300,
  })
  async expireOverdue(stopping: AbortSignal): Promise<void> {
    for (const id of await this.repository.findOverdue(this.clock.now(), EXPIRED_PER_RUN)) {
      if (stopping.aborted) return;
      await this.unitOfWork.runInTransaction((tx) => this.expire(tx, id));
    }
  }

  /** Throws APPROVAL_NOT_FOUND. */
  private async loadApproval(id: string): Promise<Approval> {
    return (
      (await this.repository.findApproval(id)) ??
      (await this.repository.findRecord(id, this.tiers.approvalThresholds)) ??
      throwError('APPROVAL_NOT_FOUND')
    );
  }

  private async expire(tx: Tx, id: string): Promise<void> {
    const approval = await this.repository.lockApproval(tx, id);
    if (approval?.status === 'pending') await this.steps.settle(tx, approval, 'expire', SYSTEM);
  }

  private async makeChange(
    id: string,
    note: string | null,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<Approval> {
    const request = (await this.repository.findStored(id)) ?? throwError('APPROVAL_NOT_FOUND');
    const handler = this.handlers.getChangeHandler(request.kind);
    const apply = await markRefusals(() => {
      this.requireWrittenByService(request);
      return handler.prepareChange(toPendingChange(request));
    });
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id });
      const pending = await this.steps.lockPending(tx, id, 'approve');
      await this.fourEyes.requireSecondPerson(pending.requestedBy, admin.email, tx);
      await markRefusals(() => this.applyChange(tx, pending, handler.permission, apply, admin));
      return this.steps.settle(tx, pending, 'approve', admin, { note });
    });
  }

  /**
   * Throws PERMISSION_DENIED if the requester may not request the change any more, and INVALID_STATE if the seal of the request is not
   * valid or the audit log does not have the request: then somebody else has written the row.
   */
  private async applyChange(
    tx: Tx,
    pending: StoredApproval,
    permission: Permission,
    apply: MakeChange,
    { email }: AdminPrincipal,
  ): Promise<void> {
    const { id, requestedBy, subjectType, subjectId } = pending;
    this.requireWrittenByService(pending);
    const requester = this.admins.findAdminByEmail(requestedBy);
    requirePermission(requester?.status === 'active' ? requester.permissions : [], permission);
    const subject = { type: subjectType, id: subjectId };
    if (!(await this.audit.hasRequested(tx, requestedBy, subject, id))) failUnknownRequest();
    await apply(tx, { email: requestedBy, approvedBy: email });
  }

  /** A decided approval has no seal any more; its status refuses the change. */
  private requireWrittenByService(request: StoredApproval): void {
    if (request.status === 'pending' && !this.seals.isAuthentic('approval', request)) failUnknownRequest();
  }

  /** The approval of a record that its own module has just decided. */
  private asDecided(
    approval: Approval,
    status: 'approved' | 'rejected',
    { email }: AdminPrincipal,
    note: string | null,
  ): Approval {
    return { ...approval, status, decidedBy: email, decidedAt: this.clock.now(), note };
  }
}

function failUnknownRequest(): never {
  throwError(
    'INVALID_STATE',
    { status: 'pending', action: 'approve', allowedFrom: [] },
    { message: 'The audit log has no such request.' },
  );
}

function toPendingChange(record: ApprovalRecord): PendingChange {
  return { ...toApproval(record), kind: record.kind, input: (record.input ?? {}) as ChangedFields };
}

function requirePermission(held: readonly string[], required: Permission): void {
  if (!permits(held, required)) throwError('PERMISSION_DENIED', { required });
}

/** Throws INVALID_STATE if the caller has read another request: a record can be proposed anew under its id. */
function requireSameRequest(approval: Approval, requestedAt: string): void {
  if (new Date(requestedAt).getTime() === approval.requestedAt.getTime()) return;
  const message = 'The request has changed since you read it. Read it again.';
  throwError('INVALID_STATE', { status: approval.status, action: 'approve', allowedFrom: [] }, { message });
}

/** Compares in the form that the database stores: without fields that are undefined, in any order. */
function isSameRequest(pending: ApprovalRecord, { after, reason, input }: ChangeRequest): boolean {
  const stored = { after: pending.after, reason: pending.reason, input: pending.input };
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify({ after, reason, input })));
}
