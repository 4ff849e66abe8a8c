import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId } from '../../common/ids.js';
import { NOTIFICATION_CHANNEL } from '../../database/pg-notifications.js';
import { prepared } from '../../database/prepared.js';
import { beforeCommit, write } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { recipientIdsOf } from './domain/audience.js';
import { inOrderOfDelivery } from './domain/live-events.js';
import { LiveEvent } from './entities/live-event.entity.js';
import { KEPT_HOURS, REPLAY_HOURS, WRITTEN_TOPIC } from './live.constants.js';
import type { Audience, NewLiveEvent, NumberedEvent, ReplayStart } from './live.types.js';

/**
 * A connection without a replay does not receive events that were committed before it and still wait for delivery. At most so
 * many are left out; the connection receives further ones, which are rare, because an event waits only for milliseconds.
 */
const MAX_PENDING = 10_000;

// The rows get their numbers in the order of the list. An event without data gets the balance that the transaction leaves.
const INSERT_EVENTS = `
  insert into live_event (id, recipient_type, recipient_id, permission, type, at, data)
  select id, "recipientType", "recipientId", permission, type, at, coalesce(data, live_balance("recipientId"::uuid))
    from rows from (jsonb_to_recordset($1) as (id uuid, "recipientType" text, "recipientId" text, permission text,
           type text, at timestamptz, data text)) with ordinality
           as event(id, "recipientType", "recipientId", permission, type, at, data, place)
   order by place`;

const COLUMNS = `id, sequence::float8 as sequence, recipient_type as "recipientType", recipient_id as "recipientId",
  permission, type, at, data`;

// $1 to $4: `parametersOf` an audience.
const OF_AUDIENCE = `recipient_type = $1 and recipient_id = any($2::text[])
  and ($3::text[] is null or split_part(type, '.', 1) = any($3))
  and ($4::text[] is null or permission = any($4))`;

// $5: the id of the last event that the client has seen, or null.
// $6: the number of the last event that this process has delivered.
const FIND_START = prepared(`
  with last as (
    select sequence from live_event
     where id = $5::uuid and ${OF_AUDIENCE} and created_at > clock_timestamp() - interval '${REPLAY_HOURS} hours'
  )
  select (select sequence from last)::float8 as after,
         (select count(*) from live_event
           where ${OF_AUDIENCE} and sequence > (select sequence from last))::int as replayed,
         array(select id from live_event where ${OF_AUDIENCE} and sequence > $6 limit ${MAX_PENDING}) as "pendingIds"`);

const FIND_PAGE_OF_AUDIENCE = prepared(`
  select ${COLUMNS} from live_event
   where ${OF_AUDIENCE} and sequence > $5 and sequence <= $6 order by sequence limit $7`);

const FIND_PAGE = prepared(
  `select ${COLUMNS} from live_event where sequence > $1 and sequence <= $2 order by sequence limit $3`,
);

// The age of the waiting event with the lowest number. `min(created_at)` would make PostgreSQL read all delivered events first.
const FIND_STATE = prepared(`
  select coalesce((select max(sequence) from live_event where sequence <= $1), 0)::float8 as last,
         coalesce((select extract(epoch from clock_timestamp() - created_at) * 1000
                     from live_event where sequence > $1 order by sequence limit 1), 0)::float8 as "waitingMs"`);

// The last event from before the oldest open transaction began: that transaction and later ones draw higher numbers.
const FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS = `
  select sequence::float8 as sequence from live_event
   where created_at < (select min(xact_start) from pg_stat_activity where datname = current_database())
   order by created_at desc limit 1`;

// Executed in a transaction of its own. If a crash undoes it, the next poll of each process finds the events.
const NOTIFY_OF_EVENTS = `select pg_notify('${NOTIFICATION_CHANNEL}', '${WRITTEN_TOPIC}:')`;

/** Numbers of events: those above `after` up to `upTo`. */
export interface NumberRange {
  readonly after: number;
  readonly upTo: number;
}

@Injectable()
export class LiveEventsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The event is inserted before the commit, together with the other events of the transaction. */
  insertEventBeforeCommit(tx: Tx, event: NewLiveEvent): void {
    beforeCommit(tx, insertEvents, event);
  }

  /** `afterId`: the last event that the client has seen. `lastDelivered`: the number of the last one that this process sent. */
  async findStart(audience: Audience, afterId: string | null, lastDelivered: number): Promise<ReplayStart> {
    const [start] = await this.dataSource.query<[ReplayStart]>(FIND_START, [
      ...parametersOf(audience),
      afterId,
      lastDelivered,
    ]);
    return start;
  }

  findPageOfAudience(
    audience: Audience,
    { after, upTo }: NumberRange,
    limit: number,
  ): Promise<NumberedEvent[]> {
    return this.dataSource.query(FIND_PAGE_OF_AUDIENCE, [...parametersOf(audience), after, upTo, limit]);
  }

  /** The events of all recipients. */
  findPage({ after, upTo }: NumberRange, limit: number): Promise<NumberedEvent[]> {
    return this.dataSource.query(FIND_PAGE, [after, upTo, limit]);
  }

  /** A number up to which no event can be committed any more, for the start of a process. 0 without events. */
  async findNumberBeforeOpenTransactions(): Promise<number> {
    const [event] = await this.dataSource.query<{ sequence: number }[]>(FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS);
    return event?.sequence ?? 0;
  }

  /** `last`: the number of the last event up to `reached`. `waitingMs`: the age of the oldest later event; zero without one. */
  async findState(reached: number): Promise<{ last: number; waitingMs: number }> {
    const [state] = await this.dataSource.query<[{ last: number; waitingMs: number }]>(FIND_STATE, [reached]);
    return state;
  }

  /** Notifies all processes that events were committed. */
  async notifyOfWrittenEvents(): Promise<void> {
    await this.dataSource.query(NOTIFY_OF_EVENTS);
  }

  /** For the erasure of a user. */
  async deleteEventsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(LiveEvent, { recipientType: 'user', recipientId: userId });
  }

  async deleteOldEvents(limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from live_event where id in (
         select id from live_event where created_at <= clock_timestamp() - interval '${KEPT_HOURS} hours'
          order by created_at limit $1)`,
      [limit],
    );
    return deleted;
  }
}

function parametersOf(audience: Audience): unknown[] {
  return [audience.type, recipientIdsOf(audience), audience.topics, audience.permissions];
}

function insertEvents(tx: Tx, events: readonly NewLiveEvent[]): void {
  const rows = inOrderOfDelivery(events).map((event) => ({ id: newId(), ...event }));
  write(tx, INSERT_EVENTS, [JSON.stringify(rows)]);
}
