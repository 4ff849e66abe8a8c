import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { createdWithin, creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import { findCountedPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import { SYSTEM } from '../audit/audit.service.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import type { AlertKind, AlertStatus } from './alerts.types.js';
import { Alert } from './entities/alert.entity.js';

const MAX_OPEN_ALERTS = 1000;

/** As the conditions of the partial indexes of the table, so that PostgreSQL uses them. */
const HAS_STATUS: Record<AlertStatus, string> = {
  open: 'resolved_at is null',
  resolved: 'resolved_at is not null',
};

/** SQL: whether an alert of the kind was raised about a subject, whose id is SQL, too. */
export function wasAlerted(kind: AlertKind, subjectId: string): string {
  return `exists (select from alert where kind = '${kind}' and subject_id = ${subjectId})`;
}

/** SQL: the alerts of some kinds that were open at a time, as JSON. The arguments, an array of kinds and a time, are SQL, too. */
export function alertsOpenAt(kinds: string, at: string): string {
  return `
  (select coalesce(json_agg(json_build_object(
            'id', id, 'kind', kind, 'message', message, 'nextStep', next_step, 'reason', reason,
            'subjectType', subject_type, 'subjectId', subject_id, 'userId', user_id, 'txHash', tx_hash,
            'createdAt', created_at, 'resolvedAt', resolved_at, 'resolvedBy', resolved_by) order by created_at, id), '[]')
     from alert
    where kind = any(${kinds}) and created_at <= ${at} and (resolved_at is null or resolved_at > ${at}))`;
}

type NewAlertRow = Omit<Alert, 'resolvedAt' | 'resolvedBy' | 'reason'>;
/** The fields of an alert that its events state. */
export type AlertEventFields = Omit<NewAlertRow, 'txHash' | 'createdAt'>;
type Resolution = { resolvedAt: Date; resolvedBy: string; reason: string };

@Injectable()
export class AlertsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  findAlerts(status: AlertStatus, request: PageRequest & CreationFilter): Promise<Rows<Alert>> {
    const { where, parameters } = listFilter(...createdWithin('created_at', creationPeriod(request)));
    const filter = { where: `${HAS_STATUS[status]} and ${where}`, parameters };
    return findCountedPage(this.dataSource.manager, Alert, filter, byTime('created_at', 'id'), request);
  }

  /** Oldest first. */
  findOpenAlerts(kinds: readonly AlertKind[]): Promise<Alert[]> {
    return this.dataSource.manager.find(Alert, {
      where: { resolvedAt: IsNull(), kind: In([...kinds]) },
      order: { createdAt: 'asc', id: 'asc' },
      take: MAX_OPEN_ALERTS,
    });
  }

  lockAlert(tx: Tx, id: string): Promise<Alert | null> {
    return tx.findOne(Alert, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Waits for a concurrent resolution of the open alert of this kind and subject. Must be a statement of its own: only a later
   * statement sees the resolution.
   */
  async waitForResolution(tx: Tx, { kind, subjectType, subjectId }: NewAlertRow): Promise<void> {
    await tx.findOne(Alert, {
      select: { id: true },
      where: { kind, subjectType, subjectId, resolvedAt: IsNull() },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /**
   * Inserts an alert unless an alert of the same kind and subject is open, or an admin has resolved an alert of the same kind, subject
   * and transaction hash. Returns whether it was inserted.
   */
  async insertAlertOnce(tx: Tx, alert: NewAlertRow): Promise<boolean> {
    const inserted = await tx.query<unknown[]>(
      `insert into alert (id, kind, subject_type, subject_id, user_id, tx_hash, message, next_step, created_at)
       select $1::uuid, $2, $3, $4, $5::uuid, $6, $7, $8, $9::timestamptz
        where not exists (
          select from alert
           where kind = $2 and subject_type = $3 and subject_id = $4 and tx_hash = any($10)
             and resolved_by <> '${SYSTEM.email}')
       on conflict (kind, subject_type, subject_id) where resolved_at is null do nothing
       returning id`,
      [
        ...[alert.id, alert.kind, alert.subjectType, alert.subjectId, alert.userId, alert.txHash],
        ...[alert.message, alert.nextStep, alert.createdAt, formsOf(alert)],
      ],
    );
    return inserted.length > 0;
  }

  /** True if the kind and subject has an alert, open or resolved; with `txHash`, an alert about this transaction. */
  hasAlert(tx: Tx, kind: AlertKind, subjectId: string, txHash: string | undefined): Promise<boolean> {
    return tx.existsBy(Alert, { kind, subjectId, ...(txHash ? { txHash: In(hashForms(txHash)) } : {}) });
  }

  /** True if an admin has resolved an alert of the kind and subject. */
  isResolvedByAdmin(tx: Tx, kind: AlertKind, subjectId: string): Promise<boolean> {
    return tx.existsBy(Alert, { kind, subjectId, resolvedBy: Not(SYSTEM.email) });
  }

  /** Resolves the open alert of the kind and subject; with `txHash`, if it reports this transaction. Returns the alerts that it resolved. */
  async resolveOpenAlert(
    tx: Tx,
    { kind, subjectId, txHash }: { kind: AlertKind; subjectId: string; txHash?: string },
    { resolvedAt, resolvedBy, reason }: Resolution,
  ): Promise<AlertEventFields[]> {
    const [resolved] = await tx.query<[AlertEventFields[], number]>(
      `update alert set resolved_at = $3, resolved_by = $4, reason = $5
        where kind = $1 and subject_id = $2 and resolved_at is null and ($6::text[] is null or tx_hash = any($6))
       returning id, kind, subject_type as "subjectType", subject_id as "subjectId", user_id as "userId", message,
                 next_step as "nextStep"`,
      [kind, subjectId, resolvedAt, resolvedBy, reason, txHash === undefined ? null : hashForms(txHash)],
    );
    return resolved;
  }

  /** Deletes the alerts about a user and about the user's records. */
  async deleteAlertsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Alert, [{ userId }, { subjectType: 'user', subjectId: userId }]);
  }

  async updateResolution(tx: Tx, id: string, resolution: Resolution): Promise<void> {
    await tx.update(Alert, id, resolution);
  }
}

/** The forms in which the database may hold the alert's transaction hash; none for an alert without one. */
function formsOf({ txHash }: NewAlertRow): string[] {
  return txHash === null ? [] : hashForms(txHash);
}
