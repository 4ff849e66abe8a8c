import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import type { DisabledReason } from './disabled-note.js';
import type { EventType } from './event-types.js';
import type { Failure } from './receiver-call.js';

/** Where a user's events go; its secret stays in the database. */
export interface Subscription {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly EventType[];
  readonly status: 'active' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly failingSince: Date | null;
  readonly previousUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

/** An event on its way to one receiver, or arrived. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly status: (typeof DELIVERY_STATUSES)[number];
  readonly attempts: number;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly attemptedAt: Date | null;
  readonly settledAt: Date | null;
  readonly responseStatus: number | null;
  readonly failure: Failure | null;
  readonly durationMs: number | null;
}

const SUBSCRIPTION = `
  select id, user_id as "userId", url, description, events, status, disabled_reason as "disabledReason",
         failing_since as "failingSince", previous_until as "previousUntil", created_at as "createdAt",
         updated_at as "updatedAt"
    from webhook_subscription`;
const DELIVERY = `
  select id, event, status, attempts, created_at as "createdAt", due_at as "dueAt", attempted_at as "attemptedAt",
         settled_at as "settledAt", response_status as "responseStatus", failure, duration_ms as "durationMs"
    from webhook_delivery`;

@Injectable()
export class SubscriptionsQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** The oldest first. */
  async list(userId: string): Promise<Subscription[]> {
    return this.dataSource.query<Subscription[]>(
      `${SUBSCRIPTION} where user_id = $1 order by created_at, id`,
      [userId],
    );
  }

  /** Throws WEBHOOK_NOT_FOUND, PERMISSION_DENIED when it is another user's. */
  async get(userId: string, id: string): Promise<Subscription> {
    return ownOf(this.dataSource.manager, userId, id, '');
  }

  /** As `get`, and nobody else changes it until the transaction ends; facts go on referring to it. */
  async lock(tx: EntityManager, userId: string, id: string): Promise<Subscription> {
    return ownOf(tx, userId, id, 'for no key update');
  }

  /** The newest first. Throws as `get`. */
  async deliveries(
    userId: string,
    id: string,
    filter: { status?: string; page: number; limit: number },
  ): Promise<Rows<Delivery>> {
    await this.get(userId, id);
    const chosen = [id, filter.status ?? null];
    const rows = await this.dataSource.query<Delivery[]>(
      `${DELIVERY} where subscription_id = $1 and ($2::text is null or status = $2)
        order by created_at desc, id desc limit $3 offset $4`,
      [...chosen, filter.limit, offsetOf(filter)],
    );
    const [counted] = await this.dataSource.query<{ total: number }[]>(
      `select count(*)::int as total from webhook_delivery
        where subscription_id = $1 and ($2::text is null or status = $2)`,
      chosen,
    );
    return { rows, total: counted?.total ?? 0 };
  }

  /** Throws WEBHOOK_DELIVERY_NOT_FOUND when the subscription has none with this id. */
  async delivery(tx: EntityManager, subscriptionId: string, id: string): Promise<Delivery> {
    const [row] = await tx.query<Delivery[]>(`${DELIVERY} where id = $1 and subscription_id = $2`, [
      id,
      subscriptionId,
    ]);
    return row ?? fail('WEBHOOK_DELIVERY_NOT_FOUND');
  }
}

async function ownOf(
  manager: EntityManager,
  userId: string,
  id: string,
  lock: string,
): Promise<Subscription> {
  const [row] = await manager.query<Subscription[]>(`${SUBSCRIPTION} where id = $1 ${lock}`, [id]);
  if (!row) return fail('WEBHOOK_NOT_FOUND');
  if (row.userId !== userId) fail('PERMISSION_DENIED');
  return row;
}
