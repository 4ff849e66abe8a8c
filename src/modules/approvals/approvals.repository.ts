import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { Money } from '../../common/money.js';
import { fail } from '../../common/errors/domain-error.js';
import type {
  Approval,
  ApprovalKind,
  ChangedFields,
  ChangeRequest,
  PendingChange,
} from './approvals.types.js';
import type { ApprovalStatus } from './domain/approval.state-machine.js';
import { ApprovalRecord } from './entities/approval.entity.js';

export interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  /** Kinds whose approvals are listed. */
  readonly kinds: readonly ApprovalKind[];
  readonly requestedBy: string | null;
  readonly notRequestedBy: string | null;
  /** From this amount on a pending withdrawal needs a second admin; null: none does. */
  readonly withdrawalsFrom: Money | null;
}

/** A row of the table `approval`, or a record of another module, which does not expire. */
type ListedRow = Omit<ApprovalRecord, 'kind' | 'expiresAt' | 'input'> & {
  readonly kind: ApprovalKind;
  readonly expiresAt: Date | null;
};

const COLUMNS = `id, kind, subject_type as "subjectType", subject_id as "subjectId", subject_label as "subjectLabel",
  change_before as before, change_after as after, reason, status, failure_code as "failureCode",
  failure_message as "failureMessage", requested_by as "requestedBy", requested_at as "requestedAt",
  expires_at as "expiresAt", decided_by as "decidedBy", decided_at as "decidedAt", note`;

/** The records of other modules in the same columns. `$5` is the amount from which a withdrawal needs a second admin. */
const RECORDS = `select id, kind, subject_type, id::text as subject_id, subject_label, '{}'::jsonb as change_before, change_after,
         reason, 'pending' as status, null::text as failure_code, null::text as failure_message, requested_by, requested_at,
         null::timestamptz as expires_at, null::text as decided_by, null::timestamptz as decided_at, null::text as note
    from record_waiting_for_approval
   where (kind <> 'withdrawal' or amount >= $5)`;

const ITEMS = `(select id, kind, subject_type, subject_id, subject_label, change_before, change_after, reason, status, failure_code,
         failure_message, requested_by, requested_at, expires_at, decided_by, decided_at, note from approval
   union all ${RECORDS}) as item
 where ($1::text is null or status = $1) and kind = any($2) and ($3::text is null or requested_by = $3)
   and ($4::text is null or requested_by <> $4)`;

/**
 * Approvals, and the records of the modules treasury, reconciliation and withdrawals that wait for a second admin, which the
 * view `record_waiting_for_approval` reads.
 */
@Injectable()
export class ApprovalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pending ones first, then the newest first. */
  async findPage(filter: ApprovalFilter, page: { page: number; limit: number }): Promise<Rows<Approval>> {
    const rows = await this.dataSource.query<ListedRow[]>(
      `select ${COLUMNS} from ${ITEMS} order by (status = 'pending') desc, requested_at desc, id desc limit $6 offset $7`,
      [...parametersOf(filter), page.limit, offsetOf(page)],
    );
    const [count] = await this.dataSource.query<[{ total: number }]>(
      `select count(*)::int as total from ${ITEMS}`,
      parametersOf(filter),
    );
    return { rows: rows.map(toApproval), total: count.total };
  }

  async findApproval(id: string): Promise<Approval | undefined> {
    const record = await this.dataSource.manager.findOneBy(ApprovalRecord, { id });
    return record ? toApproval(record) : undefined;
  }

  /** A record of another module that waits for a second admin. */
  async findRecord(id: string, withdrawalsFrom: Money | null): Promise<Approval | undefined> {
    const [record] = await this.dataSource.query<ListedRow[]>(
      `select ${COLUMNS} from (${RECORDS.replace('$5', '$2')} and id = $1) as item`,
      [id, withdrawalsFrom?.toString() ?? null],
    );
    return record && toApproval(record);
  }

  /** Throws APPROVAL_NOT_FOUND. */
  async getPendingChange(id: string): Promise<PendingChange> {
    const record = await this.dataSource.manager.findOneBy(ApprovalRecord, { id });
    if (!record) fail('APPROVAL_NOT_FOUND');
    return { ...toApproval(record), kind: record.kind, input: (record.input ?? {}) as ChangedFields };
  }

  lockApproval(tx: Tx, id: string): Promise<ApprovalRecord | null> {
    return tx.findOne(ApprovalRecord, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * The pending approval of the kind and subject. A concurrent request for the same waits at the lock. The row is not locked: the
   * caller has locked the subject, and an approval locks its row before the subject.
   */
  async lockPending(tx: Tx, { kind, subject }: ChangeRequest): Promise<ApprovalRecord | null> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('approval:' || $1, 0))`, [
      `${kind} ${subject.type} ${subject.id}`,
    ]);
    return tx.findOne(ApprovalRecord, {
      where: { kind, subjectType: subject.type, subjectId: subject.id, status: 'pending' },
    });
  }

  async insertApproval(tx: Tx, approval: ApprovalRecord): Promise<void> {
    await tx.insert(ApprovalRecord, approval);
  }

  /** Stores a decision and removes the input, which may be a password hash. */
  async updateDecision(
    tx: Tx,
    id: string,
    decision: Pick<ApprovalRecord, 'status' | 'decidedAt'> &
      Partial<Pick<ApprovalRecord, 'decidedBy' | 'note' | 'failureCode' | 'failureMessage'>>,
  ): Promise<void> {
    await tx.update(ApprovalRecord, id, { ...decision, input: null });
  }

  /** Ids of pending approvals whose time is over. */
  async findOverdue(now: Date, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from approval where status = 'pending' and expires_at <= $1 order by expires_at limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }
}

function parametersOf(filter: ApprovalFilter): unknown[] {
  const { status, kinds, requestedBy, notRequestedBy, withdrawalsFrom } = filter;
  return [status, kinds, requestedBy, notRequestedBy, withdrawalsFrom?.toString() ?? null];
}

export function toApproval(row: ListedRow): Approval {
  const { id, kind, subjectType, subjectId, subjectLabel, before, after, reason, status } = row;
  const { failureCode, failureMessage, requestedBy, requestedAt, expiresAt, decidedBy, decidedAt, note } =
    row;
  return {
    id,
    kind,
    subject: { type: subjectType, id: subjectId, label: subjectLabel },
    before: before as ChangedFields,
    after: after as ChangedFields,
    reason,
    status,
    failure: failureCode && { code: failureCode, message: failureMessage ?? '' },
    requestedBy,
    requestedAt,
    expiresAt,
    decidedBy,
    decidedAt,
    note,
  };
}
