import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { instantRange } from '../../../http/request/date-range.js';
import type { Rows } from '../../../http/request/pagination.js';
import { currentTrace } from '../../../observability/tracing/trace.js';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import {
  AuditRepository,
  type ActionOfAdmin,
  type AuditFilter,
  type ListedAuditEntry,
} from './audit.repository.js';
import type { AuditQuery } from './dto/audit.request.js';

interface AuditEntryInput {
  /** `subject.verb`, for example `withdrawal.take`. */
  readonly action: `${string}.${string}`;
  readonly subject: { readonly type: string; readonly id: string };
  readonly reason?: string | undefined;
  /** The changed fields with their former values; `after` has the new ones. Money is text. Never a password, token or key. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The admin of an entry. Of a change that was approved, the admin who has requested it. */
export interface AuditActor {
  readonly email: string;
  /** The second admin of an approved change. */
  readonly approvedBy?: string;
}

/** The actor of entries about automatic actions, in place of an admin. */
export const SYSTEM: AuditActor = { email: 'system' };

/** The append-only log of the actions of admins, and of automatic actions that replace an action of an admin. */
@Injectable()
export class AuditService {
  constructor(
    private readonly entries: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Records an action in the transaction that performs it. */
  async record(tx: Tx, actor: AuditActor, input: AuditEntryInput): Promise<void> {
    const { email, approvedBy } = actor;
    this.entries.insertEntry(tx, {
      id: newId(),
      at: this.clock.now(),
      actor: email,
      action: input.action,
      subjectType: input.subject.type,
      subjectId: input.subject.id,
      reason: input.reason ?? null,
      before: input.before ?? null,
      after: approvedBy ? { ...input.after, approvedBy } : (input.after ?? null),
      traceId: currentTrace()?.traceId ?? null,
    });
  }

  /** The admins who have acted on the record. */
  listActors(tx: Tx, { type, id }: { type: string; id: string }): Promise<string[]> {
    return this.entries.findActors(tx, type, id);
  }

  /** The actors and subjects of the entries with an action since `from`. */
  listActionsSince(
    action: AuditEntryInput['action'],
    from: Date,
    manager?: EntityManager,
  ): Promise<ActionOfAdmin[]> {
    return this.entries.findActionsSince(action, from, manager);
  }

  /** True if the admin has requested the approval: the audit log has the request. */
  hasRequested(
    tx: Tx,
    actor: string,
    subject: { type: string; id: string },
    approvalId: string,
  ): Promise<boolean> {
    return this.entries.hasEntry(tx, actor, subject, { approvalId, status: 'pending' });
  }

  /** Newest first. Throws INVALID_DATE_RANGE. */
  listEntries(query: AuditQuery): Promise<Rows<ListedAuditEntry>> {
    return this.entries.findEntries(this.filterOf(query), query);
  }

  /** All selected entries in batches, newest first. Throws INVALID_DATE_RANGE and SERVICE_UNAVAILABLE. */
  streamEntries(query: AuditQuery, readerId: string): AsyncGenerator<ListedAuditEntry[], void> {
    return this.entries.streamEntries(this.filterOf(query), readerId);
  }

  private filterOf({ admin, action, subject, subjectType, subjectId, ...query }: AuditQuery): AuditFilter {
    const range = instantRange(query, this.clock.now());
    // `subject` is `<type>:<id>`, in place of `subjectType` and `subjectId`.
    const [, type, id] = /^([^:]+):(.+)$/.exec(subject ?? '') ?? [];
    return {
      actor: admin?.toLowerCase() ?? null,
      action: action ?? null,
      subjectType: type ?? subjectType ?? null,
      subjectId: id ?? subjectId ?? null,
      from: range.from ?? null,
      until: range.to ?? null,
    };
  }
}
