import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../../common/ids.js';
import { countFromTotals } from '../../lists/count-rows.js';
import type { Tx } from '../../database/unit-of-work.js';
import { cutPage, offsetOf, type SummedRows } from '../../http/request/pagination.js';
import type { QueueTable } from '../../jobs/claim-statement.js';
import type { ClaimedItem } from '../../jobs/queue.decorator.js';
import { markRecord } from '../../lists/total-marks.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';
import { WebhookEvent } from './entities/webhook-event.entity.js';

export type NewWebhookEvent = Pick<WebhookEvent, 'provider' | 'kind' | 'eventKey' | 'body'>;
export type ClaimedWebhookEvent = ClaimedItem & Pick<WebhookEvent, 'kind' | 'eventKey' | 'body'>;
export type WebhookEventSummary = Omit<WebhookEvent, 'eventKey' | 'body'>;

const SUMMARY_COLUMNS = `id, provider, kind, status, reason, attempts, received_at as "receivedAt", due_at as "dueAt",
  settled_at as "settledAt"`;
// Each filter has an index that ends in the order of the list.
const FILTER = `($1::text is null or status = $1) and ($2::text is null or provider = $2)
  and ($3::text is null or kind = $3) and ($4::timestamptz is null or received_at >= $4)`;

export const WEBHOOK_EVENT_TABLE: QueueTable = {
  name: 'webhook_event',
  waiting: `status = 'received'`,
  owner: { sql: 'kind', type: 'text' },
  lease: { column: 'due_at', seconds: 60 }, // an event whose process died is claimed again after this time
  columns: `kind, event_key as "eventKey", body from item`,
};

/** Statements without `tx` commit at once: an event is stored before its callback is answered. */
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

  /** The sums of the list are recomputed. */
  markChanged(tx: Tx, id: string): void {
    markRecord(tx, 'webhook_event', id);
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
