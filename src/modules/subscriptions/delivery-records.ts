import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { waitAfter } from './delivery-schedule.js';
import { disabledNote } from './disabled-note.js';
import type { Attempt } from './receiver-call.js';

const LEASE_MS = 60_000; // what is not settled by then, its sender being dead, is somebody else's turn
const FAILING_MS = 3 * 24 * 3_600_000;
const GONE = 410;

/** What is to be sent now. */
export interface DueDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly body: string;
  /** This one included. */
  readonly attempts: number;
  readonly url: string;
  readonly secret: Buffer;
  /** Signs too, while it is not forgotten. */
  readonly previousSecret: Buffer | null;
}

/**
 * Deliveries on their way. Nothing is locked while one is sent: whoever takes one has a minute for it. The number of
 * attempts says whose it is, so that whoever comes late changes nothing.
 */
@Injectable()
export class DeliveryRecords {
  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly notifications: NotificationsService,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /**
   * Takes the longest due delivery of each subscription that has one, without the `busy` ones, `most` in all; none while
   * the process's clock is wrong.
   */
  async take(busy: readonly string[], most: number): Promise<DueDelivery[]> {
    if (!this.databaseClock.isRight) return [];
    const now = this.clock.now();
    return this.dataSource.query<DueDelivery[]>(TAKE, [now, busy, most, new Date(now.getTime() + LEASE_MS)]);
  }

  /** As if it had never been taken. */
  async giveBack({ id, attempts }: DueDelivery): Promise<void> {
    await this.dataSource.query(
      `update webhook_delivery set attempts = attempts - 1, due_at = $3
        where id = $1 and attempts = $2 and status = 'pending'`,
      [id, attempts, this.clock.now()],
    );
  }

  /** Writes down what came of it, for the delivery and for its subscription. */
  async settle(delivery: DueDelivery, attempt: Attempt): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      const subscription = await lock(tx, delivery.subscriptionId);
      const isOurs = subscription && (await this.write(tx, delivery, attempt));
      if (isOurs) await this.follow(tx, subscription, attempt);
    });
  }

  private async write(tx: Tx, delivery: DueDelivery, attempt: Attempt): Promise<boolean> {
    const now = this.clock.now();
    const isRepeated = attempt.failure !== null && attempt.responseStatus !== GONE;
    const wait = isRepeated ? waitAfter(delivery.attempts) : undefined;
    const settled = attempt.failure === null ? 'delivered' : 'dead';
    const [rows] = await tx.query<[unknown[], number]>(
      `update webhook_delivery
          set status = $3, due_at = $4, settled_at = $5, response_status = $6, failure = $7, duration_ms = $8
        where id = $1 and attempts = $2 and status = 'pending' returning id`,
      [
        delivery.id,
        delivery.attempts,
        wait === undefined ? settled : 'pending',
        new Date(now.getTime() + (wait ?? 0)),
        wait === undefined ? now : null,
        attempt.responseStatus,
        attempt.failure,
        attempt.durationMs,
      ],
    );
    return rows.length > 0;
  }

  /** Ends a subscription whose receiver is gone, or has taken nothing for days; its owner is told. */
  private async follow(tx: Tx, found: LockedSubscription, attempt: Attempt): Promise<void> {
    const now = this.clock.now();
    const failingSince = attempt.failure === null ? null : (found.failingSince ?? now);
    const isFailing = failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_MS;
    const reason = attempt.responseStatus === GONE ? 'gone' : isFailing ? 'failing' : null;
    if (reason === null || found.status === 'disabled') {
      if (failingSince?.getTime() !== found.failingSince?.getTime())
        await tx.query('update webhook_subscription set failing_since = $2 where id = $1', [
          found.id,
          failingSince,
        ]);
      return;
    }
    await tx.query(
      `update webhook_subscription
          set status = 'disabled', disabled_reason = $2, failing_since = $3, updated_at = $4 where id = $1`,
      [found.id, reason, failingSince, now],
    );
    await this.notifications.insertNotification(
      tx,
      found.userId,
      now,
      disabledNote(found.id, found.url, reason),
    );
  }
}

interface LockedSubscription {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly status: 'active' | 'disabled';
  readonly failingSince: Date | null;
}

/** Before its deliveries, as whoever changes or deletes it does; undefined when it was deleted meanwhile. */
async function lock(tx: Tx, id: string): Promise<LockedSubscription | undefined> {
  const [row] = await tx.query<LockedSubscription[]>(
    `select id, user_id as "userId", url, status, failing_since as "failingSince"
       from webhook_subscription where id = $1 for no key update`,
    [id],
  );
  return row;
}

// Subscription by subscription, by hops over the index: neither one with a hundred thousand waiting deliveries nor a
// thousand without any cost more than a look. One delivery of each, so that nobody's come before everybody's.
const TAKE = `
  with recursive waiting as (
    (select subscription_id as id from webhook_delivery where status = 'pending' order by subscription_id limit 1)
    union all
    select (select subscription_id from webhook_delivery
             where status = 'pending' and subscription_id > waiting.id order by subscription_id limit 1)
      from waiting where waiting.id is not null
  ), due as (
    select oldest.id
      from waiting
     cross join lateral (
       select id, due_at from webhook_delivery
        where subscription_id = waiting.id and status = 'pending' and due_at <= $1
        order by due_at, id limit 1 for update skip locked
     ) as oldest
     where waiting.id <> all($2::uuid[])
       and (select status from webhook_subscription where id = waiting.id) = 'active'
     order by oldest.due_at limit $3
  ), taken as (
    update webhook_delivery as delivery set due_at = $4, attempted_at = $1, attempts = attempts + 1
      from due where delivery.id = due.id
    returning delivery.id, subscription_id, body, attempts
  )
  select taken.id, subscription_id as "subscriptionId", body, attempts, url, secret,
         case when previous_until > $1 then previous_secret end as "previousSecret"
    from taken join webhook_subscription as subscription on subscription.id = subscription_id`;
