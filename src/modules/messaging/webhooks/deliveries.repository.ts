import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { QueueTable } from '../../../jobs/claim-statement.js';
import type { ClaimedItem } from '../../../jobs/queue.decorator.js';
import { newId } from '../../../common/ids.js';
import type { Rows } from '../../../http/request/pagination.js';
import { findCountedPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import { bodyOf, type EventPayload } from './domain/event-payloads.js';
import { WebhookDelivery } from './entities/webhook.entity.js';
import type { DeliveryStatus } from './webhooks.types.js';

/** A claimed delivery, with the address and the secrets of its subscription. */
export interface ClaimedDelivery extends ClaimedItem {
  readonly subscriptionId: string;
  readonly body: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
  /** Encrypted; null unless the previous secret still signs. */
  readonly previousSecret: Buffer | null;
}

/** Users take turns. Of a user's active subscriptions, the one whose delivery has been due longest is next. */
export const DELIVERY_TABLE: QueueTable = {
  name: 'webhook_delivery',
  waiting: `status = 'pending'`,
  owner: { sql: 'user_id', type: 'uuid' },
  lease: { column: 'due_at', seconds: 60 }, // longer than an attempt
  assignments: 'attempted_at = $1,',
  firstOfOwner: `
    select oldest.id from webhook_subscription as subscription
     cross join lateral (
       select id, due_at from webhook_delivery
        where user_id = turn.owner and subscription_id = subscription.id and status = 'pending' and due_at <= $1
          and id <> all($4::uuid[])
        order by due_at, id limit 1 for update skip locked
     ) as oldest
     where subscription.user_id = turn.owner and subscription.status = 'active' and subscription.id <> all($4::uuid[])
     order by oldest.due_at limit 1`,
  columns: `subscription_id as "subscriptionId", body, url, secret,
         case when previous_until > $1 then previous_secret end as "previousSecret"
    from item join webhook_subscription as subscription on subscription.id = subscription_id`,
};

/** An event with the user whose webhooks receive it. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly userId: string;
  readonly payload: EventPayload;
}

// The key-share lock waits for a concurrent deletion of a subscription, after which a delivery would violate the foreign key.
const LOCK_SUBSCRIBERS_OF_USERS = `
  select place::int, subscription.id as "subscriptionId"
    from unnest($1::uuid[], $2::text[]) with ordinality as event (user_id, type, place)
    join webhook_subscription as subscription on subscription.user_id = event.user_id
   where status = 'active' and event.type = any(events) for key share of subscription`;
const INSERT_DELIVERIES_FOR_ALL = `
  with subscriber as (select id from webhook_subscription where status = 'active' and $2 = any(events) for key share)
  insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
  select md5($1 || id)::uuid, id, $2, $3, 'pending', 0, $4, $4 from subscriber
      on conflict (id) do nothing`;

const INSERT_DELIVERIES = `
  insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
  select id, "subscriptionId", event, body, 'pending', 0, $2, $2
    from jsonb_to_recordset($1) as new (id uuid, "subscriptionId" uuid, event text, body text)
      on conflict (id) do nothing`;

@Injectable()
export class DeliveriesRepository {
  constructor(@InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>) {}

  /** The newest first. */
  findDeliveries(
    subscriptionId: string,
    { status, ...request }: PageRequest & { readonly status?: DeliveryStatus },
  ): Promise<Rows<WebhookDelivery>> {
    const { manager } = this.deliveries;
    const filter = listFilter(['subscription_id = ?', subscriptionId], ['status = ?', status]);
    return findCountedPage(manager, WebhookDelivery, filter, byTime('created_at', 'id'), request);
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

  /** Locks the active subscriptions that list the events, and returns one entry for each pair of an event and a subscription. */
  async lockSubscribers(
    tx: Tx,
    events: readonly PublishedEvent[],
  ): Promise<(PublishedEvent & { subscriptionId: string })[]> {
    if (events.length === 0) return [];
    const found = await read<{ place: number; subscriptionId: string }>(tx, LOCK_SUBSCRIBERS_OF_USERS, [
      events.map(({ userId }) => userId),
      events.map(({ payload }) => payload.type),
    ]);
    return found.map(({ place, subscriptionId }) => ({
      ...(events[place - 1] as PublishedEvent),
      subscriptionId,
    }));
  }

  /** Inserts a delivery for each active subscription of any user that lists the event. Its id derives from that of the event. */
  insertDeliveriesForAll(tx: Tx, eventId: string, payload: EventPayload, now: Date): void {
    write(tx, INSERT_DELIVERIES_FOR_ALL, [eventId, payload.type, bodyOf(payload), now]);
  }

  insertDeliveries(
    tx: Tx,
    deliveries: readonly { id: string; subscriptionId: string; payload: EventPayload }[],
    now: Date,
  ): void {
    const rows = deliveries.map(({ id, subscriptionId, payload }) => ({
      id,
      subscriptionId,
      event: payload.type,
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

  /**
   * At most a hundred users for whose active webhooks more than `max` deliveries wait. Webhooks that were changed after `unchangedSince`
   * do not count.
   */
  async findUsersWithBacklog(max: number, unchangedSince: Date): Promise<string[]> {
    const users = await this.deliveries.query<{ id: string }[]>(FIND_USERS_WITH_BACKLOG, [
      max,
      unchangedSince,
    ]);
    return users.map(({ id }) => id);
  }

  async deleteDeliveriesOf(tx: Tx, subscriptionId: string): Promise<void> {
    await tx.delete(WebhookDelivery, { subscriptionId });
  }
}

/**
 * The result of a delivery before any attempt. Omits `attemptedAt`: a delivery that is made due again keeps the time of its
 * last attempt.
 */
const NO_ATTEMPT = { settledAt: null, responseStatus: null, failure: null, durationMs: null } as const;

// Walks the index `webhook_delivery_turn` from user to user, and counts the entries of each user until there are more than $1.
// $2: webhooks that were changed later do not count.
const FIND_USERS_WITH_BACKLOG = `
  with recursive waiting as (
    (select user_id as id from webhook_delivery where status = 'pending' order by user_id limit 1)
    union all
    select next.id from waiting cross join lateral (
      select user_id as id from webhook_delivery
       where status = 'pending' and user_id > waiting.id order by user_id limit 1) as next
  )
  select id from waiting
   where $1::bigint < (
     select count(*) from (
       select from webhook_subscription as subscription
        cross join lateral (
          select from webhook_delivery
           where user_id = waiting.id and subscription_id = subscription.id and status = 'pending' limit $1::bigint + 1
        ) as delivery
        where subscription.user_id = waiting.id and status = 'active' and updated_at <= $2 limit $1::bigint + 1) as counted)
   limit 100`;
