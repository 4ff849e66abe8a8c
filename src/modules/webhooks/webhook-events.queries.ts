import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countFromTotals } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import type { WebhookEventStatus, WebhookKind } from './webhook-event.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';

/** A callback as admins see it. */
export interface StoredEvent {
  readonly id: string;
  readonly provider: string;
  readonly kind: WebhookKind;
  readonly status: WebhookEventStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly receivedAt: Date;
  readonly dueAt: Date;
  readonly settledAt: Date | null;
}

export interface StoredEventWithBody extends StoredEvent {
  readonly eventKey: string;
  readonly body: string;
}

const COLUMNS = `id, provider, kind, status, reason, attempts, received_at as "receivedAt", due_at as "dueAt",
  settled_at as "settledAt"`;
// Each filter has an index that ends in the order of the list.
const FILTER = `($1::text is null or status = $1) and ($2::text is null or provider = $2)
  and ($3::text is null or kind = $3) and ($4::timestamptz is null or received_at >= $4)`;

/** The providers' callbacks, the newest first. */
@Injectable()
export class WebhookEventsQueries {
  constructor(private readonly dataSource: DataSource) {}

  async page(query: WebhookEventsQuery): Promise<Rows<StoredEvent>> {
    const { status, provider, kind, receivedAfter } = query;
    const after = receivedAfter === undefined ? null : new Date(receivedAfter);
    const chosen = [status ?? null, provider ?? null, kind ?? null, after];
    const rows = await this.dataSource.query<StoredEvent[]>(
      `select ${COLUMNS}
         from (select id as found, received_at as moment from webhook_event where ${FILTER}
                order by received_at desc, id desc limit $5 offset $6) as page
         join webhook_event on id = found order by moment desc, found desc`,
      [...chosen, query.limit, offsetOf(query)],
    );
    const filter = {
      list: 'webhook_event',
      facets: [status ?? null, provider ?? null, kind ?? null],
      rows: { table: 'webhook_event', name: 'webhook_event', where: FILTER },
      time: { column: 'received_at', from: after, until: null },
    };
    return { rows, total: await countFromTotals(this.dataSource, filter, chosen) };
  }

  /** Throws WEBHOOK_EVENT_NOT_FOUND. */
  async get(id: string, manager: EntityManager = this.dataSource.manager): Promise<StoredEventWithBody> {
    const [row] = await manager.query<StoredEventWithBody[]>(
      `select ${COLUMNS}, event_key as "eventKey", body from webhook_event where id = $1`,
      [id],
    );
    return row ?? fail('WEBHOOK_EVENT_NOT_FOUND');
  }
}
