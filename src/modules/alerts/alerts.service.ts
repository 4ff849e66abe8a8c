import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { StateMachine } from '../../common/state-machine.js';
import { AuditService, SYSTEM } from '../audit/audit.service.js';
import type { AlertKind, AlertStatus } from './alerts.types.js';
import { AlertsRepository, type Alert } from './alerts.repository.js';

/** The record that an alert concerns. */
export interface AlertSubject {
  /** Kind of record, such as `deposit`. */
  readonly type: string;
  readonly id: string;
  readonly userId?: string;
  readonly txHash?: string;
}

export interface NewAlert {
  readonly kind: AlertKind;
  readonly subject: AlertSubject;
  /** The condition or event, as a sentence. */
  readonly message: string;
  /** The action that an operator has to take, as a sentence. */
  readonly nextStep: string;
}

const STATES = new StateMachine<AlertStatus, 'resolve'>([
  { verb: 'resolve', from: ['open'], to: 'resolved' },
]);

const SETTLED_REASON = 'The condition ended.';

// An alert about a transaction reports one event: once an admin has resolved it, finding the same event again raises
// nothing. An alert without a transaction reports a condition: it is raised again when the condition is found again.
const RAISE = `
  insert into alert (id, kind, subject_type, subject_id, user_id, tx_hash, message, next_step, created_at)
  select $1::uuid, $2, $3, $4, $5::uuid, $6, $7, $8, $9::timestamptz
   where not exists (
     select from alert
      where kind = $2 and subject_type = $3 and subject_id = $4 and tx_hash = $6 and resolved_by <> '${SYSTEM.email}')
  on conflict (kind, subject_type, subject_id) where resolved_at is null do nothing
  returning id`;

// A statement of its own: while an admin resolves the open alert it waits, and the statement after it sees the resolution.
const LOCK_OPEN = `
  select from alert where kind = $1 and subject_type = $2 and subject_id = $3 and resolved_at is null for share`;

/** Conditions that need a person. Any module raises them; admins read and resolve them. */
@Injectable()
export class AlertsService {
  private readonly log = new Logger('Alerts');

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly queries: AlertsRepository,
    private readonly audit: AuditService,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /**
   * Raises an alert; does nothing while one of the same kind and subject is open. With `manager` it is written in the
   * caller's transaction.
   */
  async raise(alert: NewAlert, manager: EntityManager = this.dataSource.manager): Promise<void> {
    const { kind, subject, message, nextStep } = alert;
    if (subject.txHash) await manager.query(LOCK_OPEN, [kind, subject.type, subject.id]);
    const raised = await manager.query<unknown[]>(RAISE, [
      newId(),
      kind,
      subject.type,
      subject.id,
      subject.userId ?? null,
      subject.txHash ?? null,
      message,
      nextStep,
      this.now(),
    ]);
    if (raised.length > 0) this.log.error({ msg: message, alert: kind, subject });
  }

  /** Resolves the open alert of a kind and subject, because its condition has ended. */
  async settle(
    kind: AlertKind,
    subjectId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await manager.query(
      `update alert set resolved_at = $3, resolved_by = $4, reason = $5
        where kind = $1 and subject_id = $2 and resolved_at is null`,
      [kind, subjectId, this.now(), SYSTEM.email, SETTLED_REASON],
    );
  }

  /** An admin has dealt with it. Throws ALERT_NOT_FOUND, and INVALID_STATE when it is resolved already. */
  async resolve(id: string, reason: string, admin: AdminPrincipal): Promise<Alert> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const alert = (await this.queries.lock(tx, id)) ?? fail('ALERT_NOT_FOUND');
      const status = alert.resolvedAt === null ? 'open' : 'resolved';
      const next = STATES.next(status, 'resolve');
      const resolved = { resolvedAt: this.clock.now(), resolvedBy: admin.email, reason };
      await tx.query('update alert set resolved_at = $2, resolved_by = $3, reason = $4 where id = $1', [
        id,
        resolved.resolvedAt,
        resolved.resolvedBy,
        resolved.reason,
      ]);
      await this.audit.record(tx, admin, {
        action: 'alert.resolve',
        subject: { type: 'alert', id },
        reason,
        before: { status },
        after: { status: next, kind: alert.kind, subject: `${alert.subject.type}:${alert.subject.id}` },
      });
      return { ...alert, ...resolved };
    });
  }

  /** A process whose clock is wrong raises alerts, too: they carry the time of the database's clock. */
  private now(): Date {
    const { isRight, aheadMs } = this.databaseClock;
    return new Date(this.clock.now().getTime() - (isRight ? 0 : aheadMs));
  }
}
