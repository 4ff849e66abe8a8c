import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../../../common/ids.js';
import { boundedCount, countFromTotals, secondsSince } from '../../../lists/count-rows.js';
import { insertIfNew } from '../../../database/entity-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { SummedRows } from '../../../http/request/pagination.js';
import { createdWithin, creationPeriod } from '../../../lists/creation-period.js';
import { findPage, listFilter } from '../../../lists/find-page.js';
import { byTime } from '../../../lists/list-page.js';
import type { QueueTable } from '../../../jobs/claim-statement.js';
import type { ClaimedItem } from '../../../jobs/queue.decorator.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { markRecord } from '../../../lists/total-marks.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';
import { WebhookEvent, WebhookPending } from './entities/webhook-event.entity.js';

export type NewWebhookEvent = Pick<WebhookEvent, 'provider' | 'kind' | 'eventKey' | 'body'>;
export type ClaimedWebhookEvent = ClaimedItem &
  Pick<WebhookEvent, 'provider' | 'kind' | 'eventKey' | 'body' | 'receivedAt' | 'seal'>;
export type WebhookEventSummary = Omit<WebhookEvent, 'eventKey' | 'body' | 'seal'>;

const SUMMARY_COLUMNS = `id, provider, kind, status, reason, attempts, received_at as "receivedAt", due_at as "dueAt",
  settled_at as "settledAt"`;

export const WEBHOOK_EVENT_TABLE: QueueTable = {
  name: 'webhook_event',
  waiting: `status = 'received'`,
  owner: { sql: 'kind', type: 'text' },
  lease: { column: 'due_at', seconds: 60 }, // an event whose process died is claimed again after this time
  columns: `provider, kind, event_key as "eventKey", body, received_at as "receivedAt", seal from item`,
};

/** SQL: the numbers of waiting and failed events, and the age of the oldest waiting one, as JSON. `now` is SQL, too. */
export function callbackFigures(now: string): string {
  const waiting = `webhook_event where status = 'received'`;
  return `jsonb_build_object('waiting', ${boundedCount(waiting)},
    'lagSeconds', ${secondsSince(`select min(received_at) from ${waiting}`, now)},
    'dead', ${boundedCount(`webhook_event where status = 'failed'`)})`;
}

/** Statements without `tx` commit at once: an event is stored before its callback is answered. */
@Injectable()
export class WebhookEventsRepository {
  constructor(
    @InjectRepository(WebhookEvent) private readonly events: Repository<WebhookEvent>,
    private readonly seals: CredentialSealsService,
  ) {}

  /** False if an event of the provider with this key exists. */
  insertEvent(event: NewWebhookEvent, at: Date): Promise<boolean> {
    const received = { ...event, id: newId(), receivedAt: at };
    const seal = this.seals.sealRow('webhook_event', received);
    const fields = { ...received, status: 'received', attempts: 0, dueAt: at, seal } as const;
    return insertIfNew(this.events.manager, WebhookEvent, fields);
  }

  /** For a change that the queue makes: the sums of the list are recomputed. */
  markChanged(tx: Tx, id: string): void {
    markRecord(tx, 'webhook_event', id);
  }

  /** The newest events first. */
  async findEventsPage(query: WebhookEventsQuery): Promise<SummedRows<WebhookEventSummary>> {
    const { manager } = this.events;
    const { status, provider, kind, receivedAfter: createdAfter, createdBefore } = query;
    const period = creationPeriod({ createdAfter, createdBefore });
    // Each condition has an index that ends in the order of the list.
    const filter = listFilter(
      ['status = ?', status],
      ['provider = ?', provider],
      ['kind = ?', kind],
      ...createdWithin('received_at', period),
    );
    const source = { ...filter, columns: SUMMARY_COLUMNS, from: 'webhook_event', hasLargeRows: true };
    const order = byTime('received_at', 'id');
    const page = await findPage(manager, source, order, query, (row: WebhookEventSummary) => row);
    const totals = {
      list: 'webhook_event' as const,
      facets: [status ?? null, provider ?? null, kind ?? null],
      rows: { table: 'webhook_event', name: 'webhook_event', where: filter.where },
      time: { column: 'received_at', ...period },
    };
    return { ...page, ...(await countFromTotals(manager.connection, totals, filter.parameters)) };
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

  /** In the transaction that settles the event. */
  async deletePending(tx: Tx, eventId: string): Promise<void> {
    await tx.delete(WebhookPending, { eventId });
  }

  /**
   * Makes events due again that were settled, or put off by more than a day, by hand in the database. Returns their ids. The service
   * itself deletes the row of `webhook_pending` when it settles an event, and puts no event off for so long.
   */
  async resetPending(tx: Tx, at: Date): Promise<string[]> {
    const [rows] = await tx.query<[{ id: string }[], number]>(
      `update webhook_event set status = 'received', reason = null, settled_at = null, attempts = 0, due_at = $1
         from webhook_pending
        where event_id = webhook_event.id and (status <> 'received' or due_at > $1::timestamptz + interval '1 day') returning id`,
      [at],
    );
    for (const { id } of rows) markRecord(tx, 'webhook_event', id);
    return rows.map(({ id }) => id);
  }

  async updateEvent(tx: Tx, id: string, changes: Partial<WebhookEvent>): Promise<void> {
    await tx.update(WebhookEvent, id, changes);
    markRecord(tx, 'webhook_event', id);
  }
}
