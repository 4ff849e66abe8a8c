import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countRows } from '../../database/count-rows.js';
import type { Tx } from '../../database/unit-of-work.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { AlertKind, AlertStatus } from './alerts.types.js';

/** An alert as it is stored. */
export interface Alert {
  readonly id: string;
  readonly kind: AlertKind;
  readonly subject: {
    readonly type: string;
    readonly id: string;
    readonly userId: string | null;
    readonly txHash: string | null;
  };
  readonly message: string;
  readonly nextStep: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly reason: string | null;
}

const SELECTED = `
  select id, kind,
         json_build_object('type', subject_type, 'id', subject_id, 'userId', user_id, 'txHash', tx_hash) as subject,
         message, next_step as "nextStep", created_at as "createdAt", resolved_at as "resolvedAt",
         resolved_by as "resolvedBy", reason
    from alert`;

/** Conditions as the partial indexes have them. */
const IS: Record<AlertStatus, string> = {
  open: 'resolved_at is null',
  resolved: 'resolved_at is not null',
};

@Injectable()
export class AlertsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async list({
    status,
    ...page
  }: {
    status: AlertStatus;
    page: number;
    limit: number;
  }): Promise<Rows<Alert>> {
    const rows = await this.dataSource.query<Alert[]>(
      `${SELECTED} where ${IS[status]} order by created_at desc, id desc limit $1 offset $2`,
      [page.limit, offsetOf(page)],
    );
    return { rows, total: await countRows(this.dataSource, `alert where ${IS[status]}`) };
  }

  /** Every open alert of these kinds, the oldest first. */
  openOf(kinds: readonly AlertKind[]): Promise<Alert[]> {
    return this.dataSource.query(
      `${SELECTED} where ${IS.open} and kind = any($1::text[]) order by created_at, id limit 1000`,
      [kinds],
    );
  }

  /** Locks an alert for the rest of the transaction. */
  async lock(tx: Tx, id: string): Promise<Alert | undefined> {
    return (await tx.query<Alert[]>(`${SELECTED} where id = $1 for update`, [id]))[0];
  }
}
