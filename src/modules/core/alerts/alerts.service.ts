import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId, newId } from '../../../common/ids.js';
import { StateMachine } from '../../../common/state-machine.js';
import { AuditService, SYSTEM } from '../audit/audit.service.js';
import { AlertsRepository, type AlertEventFields } from './alerts.repository.js';
import {
  UninvolvedAdmins,
  type AlertKind,
  type AlertStatus,
  type NewAlert,
  type AlertEvent,
} from './alerts.types.js';
import type { AlertsQuery } from './dto/alerts.request.js';
import type { Alert } from './entities/alert.entity.js';

const STATES = new StateMachine<AlertStatus, 'resolve'>([
  { verb: 'resolve', from: ['open'], to: 'resolved' },
]);

const CONDITION_ENDED = 'The condition ended.';

/** Alerts for operators. Any module raises them; admins read and resolve them. */
@Injectable()
export class AlertsService {
  private readonly log = new Logger('Alerts');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly alerts: AlertsRepository,
    private readonly audit: AuditService,
    private readonly databaseClock: DatabaseClock,
    private readonly config: AppConfig,
    private readonly uninvolved: UninvolvedAdmins,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Raises an alert, in the caller's transaction if `tx` is given. Does nothing while an alert of the same kind and subject is open. An
   * alert with a `txHash` reports one event and is not raised again after an admin has resolved it; other alerts report a condition and
   * are raised again if the condition returns. Returns false if an open alert about another transaction has prevented an alert about the
   * transaction `txHash`.
   */
  async raise(alert: NewAlert, tx?: Tx): Promise<boolean> {
    if (tx) return this.raiseInTransaction(tx, alert);
    // A wrong clock of this process prevents other transactions, but not alerts: one of them, `clock-apart`, reports the clock.
    return this.unitOfWork.runDespiteWrongClock((newTx) => this.raiseInTransaction(newTx, alert));
  }

  /** Resolves the open alert of a kind and subject, because its condition has ended. */
  async resolveBySystem(kind: AlertKind, subjectId: string, tx?: Tx): Promise<void> {
    const resolveIn = (anyTx: Tx) => this.resolveInTransaction(anyTx, { kind, subjectId });
    await (tx ? resolveIn(tx) : this.unitOfWork.runDespiteWrongClock(resolveIn));
  }

  /** As `resolveBySystem`, but only an alert that reports this transaction. */
  async resolveEventBySystem(tx: Tx, kind: AlertKind, subjectId: string, txHash: string): Promise<void> {
    await this.resolveInTransaction(tx, { kind, subjectId, txHash });
  }

  /** True if the kind and subject has an alert, open or resolved; with `txHash`, an alert about this transaction. */
  hasAlert(tx: Tx, kind: AlertKind, subjectId: string, txHash?: string): Promise<boolean> {
    return this.alerts.hasAlert(tx, kind, subjectId, txHash);
  }

  /** True if an admin has resolved an alert of the kind and subject. */
  isResolvedByAdmin(tx: Tx, kind: AlertKind, subjectId: string): Promise<boolean> {
    return this.alerts.isResolvedByAdmin(tx, kind, subjectId);
  }

  /** Newest first. */
  listAlerts({ status, ...page }: AlertsQuery): Promise<Rows<Alert>> {
    return this.alerts.findAlerts(status, page);
  }

  /** Open alerts of these kinds, oldest first. */
  listOpenAlerts(kinds: readonly AlertKind[]): Promise<Alert[]> {
    return this.alerts.findOpenAlerts(kinds);
  }

  /**
   * Resolves an alert for an admin. Throws ALERT_NOT_FOUND, INVALID_STATE if it is resolved already, and FOUR_EYES_REQUIRED for
   * an admin who has acted on the record that the alert concerns.
   */
  async resolve(id: string, reason: string, admin: AdminPrincipal): Promise<Alert> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const alert = (await this.alerts.lockAlert(tx, id)) ?? throwError('ALERT_NOT_FOUND');
      const status = alert.resolvedAt === null ? 'open' : 'resolved';
      const next = STATES.next(status, 'resolve');
      await this.requireUninvolved(tx, alert, admin);
      const resolution = { resolvedAt: this.clock.now(), resolvedBy: admin.email, reason };
      await this.alerts.updateResolution(tx, id, resolution);
      await this.audit.record(tx, admin, {
        action: 'alert.resolve',
        subject: { type: 'alert', id },
        reason,
        before: { status },
        after: { status: next, kind: alert.kind, subject: `${alert.subjectType}:${alert.subjectId}` },
      });
      await this.emit(tx, 'alert.resolved', { ...alert, ...resolution }, resolution.resolvedAt);
      return { ...alert, ...resolution };
    });
  }

  /** For the erasure of a user. */
  async deleteAlertsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.alerts.deleteAlertsOfUser(tx, userId);
  }

  private async raiseInTransaction(tx: Tx, { kind, subject, message, nextStep }: NewAlert): Promise<boolean> {
    const alert = {
      id: newId(),
      kind,
      subjectType: subject.type,
      subjectId: subject.id,
      userId: subject.userId ?? null,
      txHash: subject.txHash ?? null,
      message,
      nextStep,
      createdAt: this.databaseNow(),
    };
    // Only an alert with a transaction hash depends on whether an earlier one was resolved.
    if (subject.txHash) await this.alerts.waitForResolution(tx, alert);
    if (await this.alerts.insertAlertOnce(tx, alert)) {
      await this.emit(tx, 'alert.raised', alert, alert.createdAt);
      this.log.error({ msg: message, alert: kind, subject });
      return true;
    }
    return !subject.txHash || this.alerts.hasAlert(tx, kind, subject.id, subject.txHash);
  }

  private async requireUninvolved(tx: Tx, alert: Alert, { email }: AdminPrincipal): Promise<void> {
    if (this.config.FOUR_EYES === 'off') return;
    const subject = { type: alert.subjectType, id: alert.subjectId };
    const involved = await this.audit.listActors(tx, subject);
    await this.uninvolved.requireUninvolved(tx, email, involved);
  }

  private async resolveInTransaction(
    tx: Tx,
    about: { kind: AlertKind; subjectId: string; txHash?: string },
  ): Promise<void> {
    const resolvedAt = this.databaseNow();
    const resolution = { resolvedAt, resolvedBy: SYSTEM.email, reason: CONDITION_ENDED };
    for (const alert of await this.alerts.resolveOpenAlert(tx, about, resolution))
      await this.emit(tx, 'alert.resolved', { ...alert, ...resolution }, resolvedAt);
  }

  private async emit(
    tx: Tx,
    name: AlertEvent['name'],
    alert: AlertEventFields & Partial<Pick<Alert, 'resolvedBy'>>,
    at: Date,
  ): Promise<void> {
    const { id: alertId, kind, subjectType, subjectId, message, nextStep, resolvedBy = null } = alert;
    // Events about a user are deleted with the user, as the alerts about the user are.
    const userId = alert.userId ?? (subjectType === 'user' && isId(subjectId) ? subjectId : null);
    await this.domainEvents.emit<AlertEvent>(tx, {
      ...{ name, at, alertId, kind, subjectType, subjectId, message, nextStep },
      ...(userId === null ? {} : { userId }),
      resolvedBy: resolvedBy === null ? null : resolvedBy === SYSTEM.email ? 'system' : 'admin',
    });
  }

  /** The domain time. While this process's clock is wrong, it is corrected by the database's clock. */
  private databaseNow(): Date {
    const { isInSync, skewMs } = this.databaseClock;
    return new Date(this.clock.now().getTime() - (isInSync ? 0 : skewMs));
  }
}
