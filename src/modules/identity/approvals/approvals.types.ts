import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { StateMachine } from '../../../common/state-machine.js';
import type { Tx } from '../../../database/tx.js';
import type { PlatformEvent } from '../../../events/domain-events.js';
import type { Permission } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { AuditActor } from '../../core/audit/audit.service.js';

export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'rejected',
  'withdrawn',
  'expired',
  'failed',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export type ApprovalVerb = 'approve' | 'reject' | 'withdraw' | 'expire' | 'fail';

/** `fail`: a second admin has approved the change, and it was refused. */
export const APPROVAL_STATES = new StateMachine<ApprovalStatus, ApprovalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'reject', from: ['pending'], to: 'rejected' },
  { verb: 'withdraw', from: ['pending'], to: 'withdrawn' },
  { verb: 'expire', from: ['pending'], to: 'expired' },
  { verb: 'fail', from: ['pending'], to: 'failed' },
]);

/** The kinds of changes that one admin requests and another approves; the constraint `approval_kind` lists them, too. */
export const CHANGE_KINDS = [
  'admin.factor-reset',
  'admin.password-set',
  'integrity.resume',
  'log.continue',
  'screening.accept',
  'user.email-change',
  'user.factor-reset',
  'user.hold-end',
  'user.tier-change',
  'user.unlock',
  'withdrawal.complete-mismatch',
  'withdrawal.reject-paid',
  'withdrawal.release',
  'yield-report.accept',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The kinds of records of other modules that wait for a second admin; the list shows them under their own ids. */
const RECORD_KINDS = ['break', 'transaction', 'withdrawal'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export const APPROVAL_KINDS = [...CHANGE_KINDS, ...RECORD_KINDS] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const APPROVAL_HOURS = 72;

/** The fields of a record that a change concerns: text, numbers and lists. Money is text; never a secret. */
export type ChangedFields = Readonly<Record<string, unknown>>;

export interface ApprovalSubject {
  /** A kind of record, as in the audit log. */
  readonly type: string;
  readonly id: string;
  /** Names the record for people. */
  readonly label: string;
}

/** A change or a record that waits, or has waited, for a second admin. Times are domain time. */
export interface Approval {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly subject: ApprovalSubject;
  readonly before: ChangedFields;
  readonly after: ChangedFields;
  /** Null for kinds that need no reason. */
  readonly reason: string | null;
  readonly status: ApprovalStatus;
  /** Null unless an approved change was refused. */
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
  /** The e-mail address of an admin or, for a withdrawal, of its user. */
  readonly requestedBy: string;
  readonly requestedAt: Date;
  /** Null for a record of another module. */
  readonly expiresAt: Date | null;
  /** The second admin or, for a withdrawn request, the requester; null before the decision, as `decidedAt`, and after an expiry. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  /** Of an approval, or the reason of a rejection; null without one. */
  readonly note: string | null;
}

export interface ChangeRequest {
  readonly kind: ChangeKind;
  readonly subject: ApprovalSubject;
  readonly before: ChangedFields;
  readonly after: ChangedFields;
  /** What the handler needs to make the change; stored until the decision. */
  readonly input: ChangedFields;
  readonly reason: string | null;
}

/** A change that waits for a second admin, in place of its result. */
export class RequestedApproval {
  constructor(readonly approval: Approval) {}
}

export interface PendingChange extends Approval {
  readonly kind: ChangeKind;
  readonly input: ChangedFields;
}

/** The admin who has requested a change, and the one who has approved it. */
type TwoAdmins = Required<AuditActor>;

/** Makes a change in the transaction of its approval, in the name of the requester. Throws to refuse it. */
export type MakeChange = (tx: Tx, by: TwoAdmins) => Promise<unknown>;

/** Makes the approved changes of one kind. Modules register their handlers, so that the module approvals does not depend on them. */
export interface ChangeHandler {
  readonly kind: ChangeKind;
  /** The permission that requesting and approving the change need. */
  readonly permission: Permission;
  /** Calls providers and the chain, which no transaction may wait for. Throws to refuse the change. */
  prepareChange(change: PendingChange): Promise<MakeChange>;
}

/** Approves and rejects the records of one kind as their own routes do. */
export interface RecordHandler {
  readonly kind: RecordKind;
  readonly permission: Permission;
  /** `requestedAt` is the time of the request that the admin has read; a record with another time is refused. */
  approveRecord(
    id: string,
    admin: AdminPrincipal,
    options: { readonly requestedAt?: string | undefined; readonly requireStepUp: StepUpCheck },
  ): Promise<unknown>;
  rejectRecord(id: string, reason: string, admin: AdminPrincipal): Promise<unknown>;
}

/** Topic `approval`: emitted in the transaction that stores the request or the decision. */
export interface ApprovalEvent extends PlatformEvent {
  readonly name: 'approval.requested' | 'approval.decided';
  readonly approval: Approval;
  /** The permission that requesting and approving the change need. */
  readonly permission: Permission;
}
