import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { HOUR_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AuditService, SYSTEM } from '../../core/audit/audit.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { ApprovalHandlersService } from './approval-handlers.service.js';
import { ApprovalsRepository, toApproval, type StoredApproval } from './approvals.repository.js';
import {
  APPROVAL_HOURS,
  type Approval,
  type ChangeRequest,
  APPROVAL_STATES,
  type ApprovalVerb,
  type ApprovalEvent,
} from './approvals.types.js';
import type { ApprovalRecord } from './entities/approval.entity.js';

interface Actor {
  readonly email: string;
}

/** Writes the steps of an approval: the request and the decision, each with its audit entry and its event. */
@Injectable()
export class ApprovalStepsService {
  constructor(
    private readonly repository: ApprovalsRepository,
    private readonly handlers: ApprovalHandlersService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly seals: CredentialSealsService,
  ) {}

  async storeRequest(tx: Tx, request: ChangeRequest, { email }: Actor): Promise<Approval> {
    const { kind, subject, before, after, input, reason } = request;
    const requestedAt = this.clock.now();
    const record: ApprovalRecord = {
      id: newId(),
      kind,
      subjectType: subject.type,
      subjectId: subject.id,
      subjectLabel: subject.label,
      before,
      after,
      input,
      reason,
      status: 'pending',
      failureCode: null,
      failureMessage: null,
      requestedBy: email,
      requestedAt,
      expiresAt: new Date(requestedAt.getTime() + APPROVAL_HOURS * HOUR_MS),
      decidedBy: null,
      decidedAt: null,
      note: null,
      seal: null,
    };
    const seal = this.seals.sealRow('approval', asStored(record));
    await this.repository.insertApproval(tx, { ...record, seal });
    return this.recordStep(tx, record, 'request', { email });
  }

  /** Throws APPROVAL_NOT_FOUND, and INVALID_STATE unless the approval is pending. */
  async lockPending(tx: Tx, id: string, verb: ApprovalVerb): Promise<StoredApproval> {
    const approval = (await this.repository.lockApproval(tx, id)) ?? throwError('APPROVAL_NOT_FOUND');
    // The job that settles overdue approvals may not have run yet.
    const isOverdue = approval.status === 'pending' && approval.expiresAt <= this.clock.now();
    APPROVAL_STATES.requireAllowed(isOverdue && verb !== 'expire' ? 'expired' : approval.status, verb);
    return approval;
  }

  /** Stores the decision about a pending approval, which the caller has locked. */
  async settle(
    tx: Tx,
    approval: ApprovalRecord,
    verb: ApprovalVerb,
    by: Actor,
    outcome: Partial<Pick<ApprovalRecord, 'note' | 'failureCode' | 'failureMessage'>> = {},
  ): Promise<Approval> {
    const decision = {
      ...outcome,
      status: APPROVAL_STATES.next(approval.status, verb),
      decidedAt: this.clock.now(),
      decidedBy: by === SYSTEM ? null : by.email,
    };
    await this.repository.updateDecision(tx, approval.id, decision);
    return this.recordStep(tx, { ...approval, ...decision }, verb, by);
  }

  /** The audit entry names the record that the change concerns, so that the record's history shows both admins. */
  private async recordStep(
    tx: Tx,
    record: ApprovalRecord,
    verb: ApprovalVerb | 'request',
    by: Actor,
  ): Promise<Approval> {
    const { id, kind, subjectType, subjectId, status, failureCode, after, reason, note } = record;
    const isRequest = verb === 'request';
    await this.audit.record(tx, by, {
      action: `approval.${verb}`,
      subject: { type: subjectType, id: subjectId },
      reason: (isRequest ? reason : note) ?? undefined,
      before: isRequest ? undefined : { status: 'pending' },
      after: {
        approvalId: id,
        kind,
        status,
        change: isRequest ? after : undefined,
        failure: failureCode ?? undefined,
      },
    });
    const approval = toApproval(record);
    await this.domainEvents.emit<ApprovalEvent>(tx, {
      name: isRequest ? 'approval.requested' : 'approval.decided',
      at: this.clock.now(),
      approval,
      permission: this.handlers.permissionOf(kind),
    });
    return approval;
  }
}

/** The fields as the database returns them: JSON has no members that are undefined. */
function asStored(record: ApprovalRecord): ApprovalRecord {
  const { before, after, input } = record;
  return { ...record, ...(JSON.parse(JSON.stringify({ before, after, input })) as typeof record) };
}
