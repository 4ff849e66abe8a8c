import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { currentTrace } from '../../observability/tracing/trace.js';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';

/** What was done to what. */
export interface AuditEntryInput {
  /** `subject.verb`, as `withdrawal.take`. */
  readonly action: `${string}.${string}`;
  readonly subject: { readonly type: string; readonly id: string };
  readonly reason?: string | undefined;
  /** What it changed, field by field, as it was; money as strings. Never a password, token or key. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Whoever acts of its own accord. */
export const SYSTEM = { email: 'system' };

/** The append-only record of everything that admins do. */
@Injectable()
export class AuditService {
  constructor(private readonly clock: Clock) {}

  /** In the transaction of the deed: neither exists without the other. */
  async record(tx: Tx, actor: { readonly email: string }, deed: AuditEntryInput): Promise<void> {
    await tx.query(
      prepared(`insert into audit_entry (id, at, actor, action, subject_type, subject_id, reason, before, after, trace_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`),
      [
        newId(),
        this.clock.now(),
        actor.email,
        deed.action,
        deed.subject.type,
        deed.subject.id,
        deed.reason ?? null,
        deed.before ? JSON.stringify(deed.before) : null,
        deed.after ? JSON.stringify(deed.after) : null,
        currentTrace()?.traceId ?? null,
      ],
    );
  }
}
