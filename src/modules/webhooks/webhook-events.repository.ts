import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../../common/ids.js';
import { countFromTotals } from '../../lists/count-rows.js';
import { markRecord } from '../../lists/total-marks.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { cutPage, offsetOf, type SummedRows } from '../../http/request/pagination.js';
import type { ProcessingResult, WebhookKind } from './domain/webhook-event.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';
import { WebhookEvent } from './entities/webhook-event.entity.js';

export type NewWebhookEvent = Pick<WebhookEvent, 'provider' | 'kind' | 'eventKey' | 'body'>;
/** An event that a process has claimed. `attempts` includes the attempt that begins with the claim. */
export type ClaimedWebhookEvent = Pick<WebhookEvent, 'id' | 'kind' | 'eventKey' | 'body' | 'attempts'>;
export type WebhookEventSummary = Omit<WebhookEvent, 'eventKey' | 'body'>;

const SUMMARY_COLUMNS = `id, provider, kind, status, reason, attempts, received_at as "receivedAt", due_at as "dueAt",
  settled_at as "settledAt"`;
// Each filter has an index that ends in the order of the list.
const FILTER = `($1::text is null or status = $1) and ($2::text is null or provider = $2)
  and ($3::text is null or kind = $3) and ($4::timestamptz is null or received_at >= $4)`;

const CLAIM_DUE_EVENT = prepared(`
  with oldest as (
    select id from webhook_event where status = 'received' and kind = $3 and due_at <= $1
     order by due_at, id limit 1 for update skip locked
  ), claimed as (
    update webhook_event as event set due_at = $2, attempts = attempts + 1
      from oldest where event.id = oldest.id
    returning event.id, kind, event_key, body, attempts
  )
  select id, kind, event_key as "eventKey", body, attempts from claimed`);

/** Marks the hour of the event, so that the sums of the list are recomputed. */
const SETTLE_EVENT = prepared(`
  with settled as (
    update webhook_event set status = $3, reason = $4, settled_at = $5
     where id = $1 and attempts = $2 and status = 'received' returning received_at
  )
  insert into total_mark (name, hour) select 'webhook_event', date_trunc('hour', received_at, 'UTC') from settled`);

/**
 * Statements without `tx` commit at once: an event is stored before its callback is answered, and claimed before it is
 * processed.
 */
@Injectable()
export class WebhookEventsRepository {
  constructor(@InjectRepository(WebhookEvent) private readonly events: Repository<WebhookEvent>) {}

  /** False if an event of the provider with this key exists. */
  async insertEvent({ provider, kind, eventKey, body }: NewWebhookEvent, at: Date): Promise<boolean> {
    const rows = await this.events.query<unknown[]>(
      `insert into webhook_event (id, provider, kind, event_key, body, status, attempts, received_at, due_at)
       values ($1, $2, $3, $4, $5, 'received', 0, $6, $6)
       on conflict on constraint webhook_event_key do nothing
       returning id`,
      [newId(), provider, kind, eventKey, body, at],
    );
    return rows.length > 0;
  }

  /** Claims the oldest due event of a kind. No other process can claim it until `leaseEnd`. */
  async claimDueEvent(
    kind: WebhookKind,
    now: Date,
    leaseEnd: Date,
  ): Promise<ClaimedWebhookEvent | undefined> {
    const [event] = await this.events.query<ClaimedWebhookEvent[]>(CLAIM_DUE_EVENT, [now, leaseEnd, kind]);
    return event;
  }

  /** Ends the claim and makes the event due again at `dueAt`. */
  async postponeEvent(event: ClaimedWebhookEvent, dueAt: Date): Promise<void> {
    await this.events.update(stillClaimed(event), { dueAt });
  }

  /** Stores the final result of a claimed event. */
  async settleEvent(event: ClaimedWebhookEvent, result: ProcessingResult, settledAt: Date): Promise<void> {
    const { id, attempts } = event;
    await this.events.query(SETTLE_EVENT, [id, attempts, result.status, result.reason, settledAt]);
  }

  /** The newest events first. */
  async findEventsPage(query: WebhookEventsQuery): Promise<SummedRows<WebhookEventSummary>> {
    const { status, provider, kind, receivedAfter } = query;
    const after = receivedAfter === undefined ? null : new Date(receivedAfter);
    const parameters = [status ?? null, provider ?? null, kind ?? null, after];
    const rows = await this.events.query<WebhookEventSummary[]>(
      `select ${SUMMARY_COLUMNS}
         from (select id as page_id, received_at as page_time from webhook_event where ${FILTER}
                order by received_at desc, id desc limit $5 offset $6) as page
         join webhook_event on id = page_id order by page_time desc, page_id desc`,
      [...parameters, query.limit + 1, offsetOf(query)],
    );
    const filter = {
      list: 'webhook_event' as const,
      facets: [status ?? null, provider ?? null, kind ?? null],
      rows: { table: 'webhook_event', name: 'webhook_event', where: FILTER },
      time: { column: 'received_at', from: after, until: null },
    };
    const counted = await countFromTotals(this.events.manager.connection, filter, parameters);
    return { ...cutPage(rows, query.limit), ...counted };
  }

  /** When the last callback of a provider arrived, and how many that arrived after `receivedAfter` have failed. */
  async getFigures(provider: string, receivedAfter: Date): Promise<{ last: Date | null; failed: number }> {
    const [row] = await this.events.query<{ last: Date | null; failed: number }[]>(
      `select (select max(received_at) from webhook_event where provider = $1) as last, count(*)::int as failed
         from webhook_event where provider = $1 and status = 'failed' and received_at > $2`,
      [provider, receivedAfter],
    );
    return row ?? { last: null, failed: 0 };
  }

  findEvent(id: string): Promise<WebhookEvent | null> {
    return this.events.findOneBy({ id });
  }

  lockEvent(tx: Tx, id: string): Promise<WebhookEvent | null> {
    return tx.findOne(WebhookEvent, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async updateEvent(tx: Tx, id: string, changes: Partial<WebhookEvent>): Promise<void> {
    await tx.update(WebhookEvent, id, changes);
    markRecord(tx, 'webhook_event', id);
  }
}

/** A condition that matches nothing after the lease has expired and another process has claimed the event. */
function stillClaimed({ id, attempts }: ClaimedWebhookEvent) {
  return { id, attempts, status: 'received' } as const;
}
