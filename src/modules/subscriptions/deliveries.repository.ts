import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { read, write } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { bodyOf, type EventPayload } from './domain/event-payloads.js';
import { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import type { DeliveryStatus } from './subscriptions.types.js';

/** A delivery that was claimed for an attempt, with the address and the secrets of its subscription. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly body: string;
  /** Includes this attempt. Identifies the claim: a later claim, after the lease has expired, writes another number. */
  readonly attempts: number;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
  /** Encrypted; null unless the previous secret still signs. */
  readonly previousSecret: Buffer | null;
}

/** An event with the user whose webhooks receive it; null: those of all users. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly userId: string | null;
  readonly payload: EventPayload;
}

// The key-share lock waits for a concurrent deletion of a subscription; otherwise the foreign key would fail. Two statements, since
// an event for all users would keep the planner from using the index of the users' subscriptions.
const LOCK_SUBSCRIBERS_OF_USERS = `
  select place::int, subscription.id as "subscriptionId"
    from unnest($1::uuid[], $2::text[]) with ordinality as event (user_id, type, place)
    join webhook_subscription as subscription on subscription.user_id = event.user_id
   where status = 'active' and event.type = any(events) for key share of subscription`;
const LOCK_ALL_SUBSCRIBERS = `
  select id as "subscriptionId" from webhook_subscription where status = 'active' and $1 = any(events) for key share`;

const INSERT_DELIVERIES = `
  insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
  select id, "subscriptionId", event, body, 'pending', 0, $2, $2
    from jsonb_to_recordset($1) as new (id uuid, "subscriptionId" uuid, event text, body text)
      on conflict (id) do nothing`;

@Injectable()
export class DeliveriesRepository {
  constructor(@InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>) {}

  /** The newest first. */
  async findDeliveries(
    subscriptionId: string,
    { status, ...page }: { status?: DeliveryStatus; page: number; limit: number },
  ): Promise<Rows<WebhookDelivery>> {
    const [rows, total] = await this.deliveries.findAndCount({
      where: { subscriptionId, ...(status ? { status } : {}) },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { rows, total };
  }

  findDelivery(tx: Tx, subscriptionId: string, id: string): Promise<WebhookDelivery | null> {
    return tx.findOneBy(WebhookDelivery, { id, subscriptionId });
  }

  async insertDelivery(
    tx: Tx,
    subscriptionId: string,
    event: EventPayload,
    now: Date,
  ): Promise<WebhookDelivery> {
    const delivery: WebhookDelivery = {
      id: newId(),
      subscriptionId,
      event: event.type,
      body: bodyOf(event),
      status: 'pending',
      attempts: 0,
      createdAt: now,
      dueAt: now,
      ...NO_ATTEMPT,
      attemptedAt: null,
    };
    await tx.insert(WebhookDelivery, delivery);
    return delivery;
  }

  /** Locks the active subscriptions that list the events, and returns one entry for each event of each of them. */
  async lockSubscribers(
    tx: Tx,
    events: readonly PublishedEvent[],
  ): Promise<(PublishedEvent & { subscriptionId: string })[]> {
    const ofUsers = events.filter(({ userId }) => userId !== null);
    const values = [ofUsers.map(({ userId }) => userId), ofUsers.map(({ payload }) => payload.type)];
    const found =
      ofUsers.length === 0
        ? []
        : await read<{ place: number; subscriptionId: string }>(tx, LOCK_SUBSCRIBERS_OF_USERS, values);
    const subscribers = found.map(({ place, subscriptionId }) => ({
      ...(ofUsers[place - 1] as PublishedEvent),
      subscriptionId,
    }));
    for (const event of events.filter(({ userId }) => userId === null)) {
      const all = await read<{ subscriptionId: string }>(tx, LOCK_ALL_SUBSCRIBERS, [event.payload.type]);
      subscribers.push(...all.map(({ subscriptionId }) => ({ ...event, subscriptionId })));
    }
    return subscribers;
  }

  insertDeliveries(
    tx: Tx,
    deliveries: readonly { id: string; subscriptionId: string; payload: EventPayload }[],
    now: Date,
  ): void {
    const rows = deliveries.map(({ id, subscriptionId, payload }) => ({
      ...{ id, subscriptionId, event: payload.type },
      body: bodyOf(payload),
    }));
    write(tx, INSERT_DELIVERIES, [JSON.stringify(rows), now]);
  }

  /** Makes a delivery due at once, as if no attempt had been made; only `attemptedAt` stays. */
  async resetDelivery(tx: Tx, before: WebhookDelivery, now: Date): Promise<WebhookDelivery> {
    const changes = { status: 'pending', attempts: 0, dueAt: now, ...NO_ATTEMPT } as const;
    await tx.update(WebhookDelivery, before.id, changes);
    return { ...before, ...changes };
  }

  async deleteDeliveriesOf(tx: Tx, subscriptionId: string): Promise<void> {
    await tx.delete(WebhookDelivery, { subscriptionId });
  }

  /**
   * Claims, until `leaseEnd`, the delivery that has been due longest of each active subscription that is not in `excluded`:
   * at most `limit` deliveries, the longest due first.
   */
  claimDueDeliveries(
    now: Date,
    leaseEnd: Date,
    { excluded, limit }: { excluded: readonly string[]; limit: number },
  ): Promise<ClaimedDelivery[]> {
    return this.deliveries.query<ClaimedDelivery[]>(CLAIM_DUE_DELIVERIES, [now, excluded, limit, leaseEnd]);
  }

  /** Undoes a claim whose attempt was interrupted. */
  async releaseDelivery({ id, attempts }: ClaimedDelivery, now: Date): Promise<void> {
    const claim = { id, attempts, status: 'pending' } as const;
    await this.deliveries.update(claim, { attempts: attempts - 1, dueAt: now });
  }

  /** Returns false and changes nothing if the lease has expired and another process has claimed or settled the delivery. */
  async updateClaimedDelivery(
    tx: Tx,
    { id, attempts }: ClaimedDelivery,
    changes: Partial<WebhookDelivery>,
  ): Promise<boolean> {
    const { affected } = await tx.update(WebhookDelivery, { id, attempts, status: 'pending' }, changes);
    return affected === 1;
  }

  /** Deletes at most `limit` deliveries in any state that were created before `time`; returns their number. */
  async deleteDeliveriesBefore(time: Date, limit: number): Promise<number> {
    const [, deleted] = await this.deliveries.query<[unknown, number]>(
      `delete from webhook_delivery where id in
         (select id from webhook_delivery where created_at < $1 order by created_at limit $2)`,
      [time, limit],
    );
    return deleted;
  }
}

/**
 * The result of a delivery before any attempt. Omits `attemptedAt`: a delivery that is made due again keeps the time of its
 * last attempt.
 */
const NO_ATTEMPT = { settledAt: null, responseStatus: null, failure: null, durationMs: null } as const;

// Walks the index from subscription to subscription, so that neither a subscription with 100,000 pending deliveries nor 1,000
// subscriptions without any make it slow. Claims one delivery per subscription, so that a backlog does not delay the deliveries
// to other receivers.
const CLAIM_DUE_DELIVERIES = `
  with recursive pending_subscription as (
    (select subscription_id as id from webhook_delivery where status = 'pending' order by subscription_id limit 1)
    union all
    select (select subscription_id from webhook_delivery
             where status = 'pending' and subscription_id > pending.id order by subscription_id limit 1)
      from pending_subscription as pending where pending.id is not null
  ), due as (
    select oldest.id
      from pending_subscription as pending
     cross join lateral (
       select id, due_at from webhook_delivery
        where subscription_id = pending.id and status = 'pending' and due_at <= $1
        order by due_at, id limit 1 for update skip locked
     ) as oldest
     where pending.id <> all($2::uuid[])
       and (select status from webhook_subscription where id = pending.id) = 'active'
     order by oldest.due_at limit $3
  ), claimed as (
    update webhook_delivery as delivery set due_at = $4, attempted_at = $1, attempts = attempts + 1
      from due where delivery.id = due.id
    returning delivery.id, subscription_id, body, attempts
  )
  select claimed.id, subscription_id as "subscriptionId", body, attempts, url, secret,
         case when previous_until > $1 then previous_secret end as "previousSecret"
    from claimed join webhook_subscription as subscription on subscription.id = subscription_id`;
