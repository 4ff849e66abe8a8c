import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual } from 'typeorm';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import type { CreationPeriod } from '../../../lists/creation-period.js';
import { countListed, findPage, type ListSource } from '../../../lists/find-page.js';
import type { ListOrder, PageRequest } from '../../../lists/list-page.js';
import type { QueueCount } from '../../../lists/queue-totals.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSeals, findOneSealed } from '../../core/seals/seals.repository.js';
import type { ApprovalThresholds } from '../users/domain/limit-tier.js';
import { userColumn } from '../users/users.repository.js';
import type {
  Approval,
  ApprovalKind,
  ChangedFields,
  ChangeRequest,
  ApprovalStatus,
} from './approvals.types.js';
import { ApprovalRecord } from './entities/approval.entity.js';

/** A field that is null does not restrict the list. */
interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  readonly kinds: readonly ApprovalKind[];
  readonly requestedBy: string | null;
  readonly notRequestedBy: string | null;
  readonly thresholds: ApprovalThresholds;
  readonly requested: CreationPeriod;
}

/** A row of the table `approval`, or a record of another module, which does not expire. */
type ListedRow = Omit<ApprovalRecord, 'kind' | 'expiresAt' | 'input' | 'seal'> & {
  readonly kind: ApprovalKind;
  readonly expiresAt: Date | null;
};

export type StoredApproval = ApprovalRecord & Seal;

type Decision = Pick<ApprovalRecord, 'status' | 'decidedAt' | 'decidedBy'> &
  Partial<Pick<ApprovalRecord, 'note' | 'failureCode' | 'failureMessage'>>;

const COLUMNS = `id, kind, subject_type as "subjectType", subject_id as "subjectId", subject_label as "subjectLabel",
  change_before as before, change_after as after, reason, status, failure_code as "failureCode",
  failure_message as "failureMessage", requested_by as "requestedBy", requested_at as "requestedAt",
  expires_at as "expiresAt", decided_by as "decidedBy", decided_at as "decidedAt", note`;

/** SQL: the amount from which a withdrawal of a user of the tier in `column` needs a second admin. `$5`: `ApprovalThresholds`. */
const thresholdOf = (column: string) => `
  (case when ${column} is null then $5::jsonb ->> 'first' when $5::jsonb -> 'tiers' ? ${column} then $5::jsonb -> 'tiers' ->> ${column}
        else $5::jsonb ->> 'other' end)::numeric`;

/** SQL: the field `userEmail`, which is added to the changed fields of a record that names a user; no field for other records. */
const USER_EMAIL = `case when change_after ? 'userId' then jsonb_build_object(
           'userEmail', ${userColumn(`(change_after ->> 'userId')::uuid`, 'email')})
         else '{}' end`;

/**
 * The records of other modules in the same columns. If `tier` and `recorded_tier` of a user differ, the lower threshold applies (`tierOf`). `other` is
 * the lowest threshold: the comparison with it is redundant, and lets an index leave out smaller withdrawals.
 */
const RECORDS = `select id, kind, subject_type, id::text as subject_id, subject_label, '{}'::jsonb as change_before,
         change_after || ${USER_EMAIL} as change_after,
         reason, 'pending' as status, null::text as failure_code, null::text as failure_message, requested_by, requested_at,
         null::timestamptz as expires_at, null::text as decided_by, null::timestamptz as decided_at, null::text as note
    from record_waiting_for_approval
   where (kind <> 'withdrawal' or amount >= ($5::jsonb ->> 'other')::numeric and amount >= least(${thresholdOf('tier')}, ${thresholdOf('recorded_tier')}))`;

const ITEMS = `(select id, kind, subject_type, subject_id, subject_label, change_before, change_after, reason, status, failure_code,
         failure_message, requested_by, requested_at, expires_at, decided_by, decided_at, note from approval
   union all ${RECORDS}) as item`;

const CONDITION = `($1::text is null or status = $1) and kind = any($2) and ($3::text is null or requested_by = $3)
   and ($4::text is null or requested_by <> $4)
   and ($6::timestamptz is null or requested_at >= $6) and ($7::timestamptz is null or requested_at < $7)`;

/** Pending ones first, then the newest first. */
const ORDER: ListOrder = {
  keys: [
    [`(status = 'pending')`, 'boolean'],
    ['requested_at', 'timestamptz'],
    ['id', 'uuid'],
  ],
  direction: 'desc',
};

/**
 * Approvals, and the records of the modules treasury, reconciliation and withdrawals that wait for a second admin, which the
 * view `record_waiting_for_approval` reads.
 */
@Injectable()
export class ApprovalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pending ones first, then the newest first. */
  async findPage(filter: ApprovalFilter, request: PageRequest): Promise<Rows<Approval>> {
    const source: ListSource = {
      columns: COLUMNS,
      from: ITEMS,
      where: CONDITION,
      parameters: parametersOf(filter),
      hasLargeRows: true,
    };
    const { manager } = this.dataSource;
    const page = await findPage(manager, source, ORDER, request, toApproval);
    return { ...page, total: await countListed(manager, source) };
  }

  async countApprovals(filter: ApprovalFilter): Promise<QueueCount> {
    const [count] = await this.dataSource.query<[QueueCount]>(
      `select count(*)::int as count, min(requested_at) as oldest from ${ITEMS} where ${CONDITION}`,
      parametersOf(filter),
    );
    return count;
  }

  async findApproval(id: string): Promise<Approval | undefined> {
    const record = await this.dataSource.manager.findOneBy(ApprovalRecord, { id });
    return record ? toApproval(record) : undefined;
  }

  /** A record of another module that waits for a second admin. */
  async findRecord(id: string, thresholds: ApprovalThresholds): Promise<Approval | undefined> {
    // Without the parameters of the list the thresholds are the second one.
    const [record] = await this.dataSource.query<ListedRow[]>(
      `select ${COLUMNS} from (${RECORDS.replaceAll('$5', '$2')} and id = $1) as item`,
      [id, thresholds],
    );
    return record && toApproval(record);
  }

  /** With the input and the seal. */
  findStored(id: string): Promise<StoredApproval | undefined> {
    return findOneSealed(this.dataSource.manager, ApprovalRecord, 'id = $1', [id]);
  }

  lockApproval(tx: Tx, id: string): Promise<StoredApproval | undefined> {
    return findOneSealed(tx, ApprovalRecord, 'id = $1 for update', [id]);
  }

  /**
   * The pending approval of the kind and subject. Concurrent requests for the same change wait at an advisory lock. The row is not
   * locked: the caller has locked the subject, and an approval locks its row before the subject.
   */
  async findPending(tx: Tx, { kind, subject }: ChangeRequest): Promise<ApprovalRecord | null> {
    await lockName(tx, `approval:${kind} ${subject.type} ${subject.id}`);
    return tx.findOne(ApprovalRecord, {
      where: { kind, subjectType: subject.type, subjectId: subject.id, status: 'pending' },
    });
  }

  async insertApproval(tx: Tx, approval: ApprovalRecord): Promise<void> {
    await tx.insert(ApprovalRecord, approval);
  }

  /** Stores a decision, removes the input, which may be a password hash, and ends the seal of the request. */
  async updateDecision(tx: Tx, id: string, decision: Decision): Promise<void> {
    await endSeals(tx, {
      table: 'approval',
      condition: 'id = $1',
      parameters: [id],
      expiresAt: 'expires_at',
    });
    await tx.update(ApprovalRecord, id, { ...decision, input: null, seal: null });
  }

  /** Ids of pending approvals whose time is over. */
  async findOverdue(now: Date, limit: number): Promise<string[]> {
    const overdue = await this.dataSource.manager.find(ApprovalRecord, {
      select: { id: true },
      where: { status: 'pending', expiresAt: LessThanOrEqual(now) },
      order: { expiresAt: 'ASC' },
      take: limit,
    });
    return overdue.map(({ id }) => id);
  }
}

function parametersOf(filter: ApprovalFilter): unknown[] {
  const { status, kinds, requestedBy, notRequestedBy, thresholds, requested } = filter;
  return [status, kinds, requestedBy, notRequestedBy, thresholds, requested.from, requested.until];
}

export function toApproval(row: ListedRow): Approval {
  return {
    id: row.id,
    kind: row.kind,
    subject: { type: row.subjectType, id: row.subjectId, label: row.subjectLabel },
    before: row.before as ChangedFields,
    after: row.after as ChangedFields,
    reason: row.reason,
    status: row.status,
    failure: row.failureCode && { code: row.failureCode, message: row.failureMessage ?? '' },
    requestedBy: row.requestedBy,
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt,
    note: row.note,
  };
}
