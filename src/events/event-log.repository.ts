import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId } from '../common/ids.js';
import { NOTIFICATION_CHANNEL } from '../database/pg-notifications.js';
import { prepared } from '../database/prepared.js';
import { beforeCommit, read, write } from '../database/statements.js';
import type { Tx } from '../database/tx.js';
import type { PlatformEvent } from './events.types.js';
import { decodeFields, encodeFields } from './event-codec.js';
import type { RecordedEvent } from './event-consumers.js';
import { subjectOf } from './event-topics.js';

/** Topic of the notification that a process has committed events. */
export const EVENTS_TOPIC = 'events-written';

/** A row of `domain_event`, as it is read with `EVENT_COLUMNS`. */
export interface EventRow {
  readonly number: number;
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly userId: string | null;
  readonly data: object;
  /** Of the user after the transaction, as `GET /api/user/balance` answers it; null if the transaction has not changed it. */
  readonly balance: object | null;
}

export const EVENT_COLUMNS = 'number::float8 as number, id, type, at, user_id as "userId", data, balance';

const INSERT = 'insert into domain_event (id, type, at, user_id, subject_type, subject_id, data';
const INSERT_EVENT = `${INSERT}) values ($1, $2, $3, $4, $5, $6, $7)`;
const INSERT_EVENT_WITH_BALANCE = `${INSERT}, balance) values ($1, $2, $3, $4, $5, $6, $7, user_balance($4))`;

const FIND_PAGE = `select ${EVENT_COLUMNS} from domain_event where number > $1 and number <= $2 order by number limit $3`;

// The last event from before the oldest open transaction began: that transaction and later ones draw higher numbers.
const FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS = `
  select number::float8 as number from domain_event
   where written_at < (select min(xact_start) from pg_stat_activity where datname = current_database())
   order by number desc limit 1`;

// Executed in a transaction of its own. If a crash undoes it, the next poll of each process finds the events.
const NOTIFY_OF_EVENTS = `select pg_notify('${NOTIFICATION_CHANNEL}', '${EVENTS_TOPIC}:')`;

/** Numbers of events: those above `after` up to `upTo`. */
export interface NumberRange {
  readonly after: number;
  readonly upTo: number;
}

type EmittedEvent = PlatformEvent & { readonly userId?: string };

/** Inserts the event immediately before COMMIT, when the transaction holds its locks, together with the others of it. */
export function recordBeforeCommit(tx: Tx, event: PlatformEvent): void {
  beforeCommit<EmittedEvent>(tx, insertEvents, event);
}

/**
 * The last event of each user whose balance the transaction has changed carries the balance. Users are in the order of their ids,
 * in which the database locks them one after the other.
 */
function insertEvents(tx: Tx, emitted: readonly EmittedEvent[]): void {
  const isBalance = ({ name }: EmittedEvent) => name === 'balance.changed';
  const events = emitted.filter((event) => !isBalance(event));
  const withoutOther = (changed: EmittedEvent) => !events.some(({ userId }) => userId === changed.userId);
  const changes = [...new Map(emitted.filter(isBalance).map((event) => [event.userId, event])).values()];
  const rows = [...events, ...changes.filter(withoutOther)];
  if (changes.length > 1) rows.sort((a, b) => ((a.userId ?? '') < (b.userId ?? '') ? -1 : 1));
  const lastOfUser = new Map(rows.map((event) => [event.userId, event]));
  const withBalance = new Set(changes.map(({ userId }) => lastOfUser.get(userId)));
  for (const event of rows) {
    const { type, id } = subjectOf(event);
    const data = isBalance(event) ? '{}' : JSON.stringify(encodeFields(event));
    write(tx, withBalance.has(event) ? INSERT_EVENT_WITH_BALANCE : INSERT_EVENT, [
      ...[newId(), event.name, event.at, event.userId ?? null],
      ...[type, id, data],
    ]);
  }
}

/** The table `domain_event`, the cursors of its consumers, and the events that a consumer has passed over. */
@Injectable()
export class EventLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  findPage({ after, upTo }: NumberRange, limit: number): Promise<EventRow[]> {
    return this.dataSource.query(prepared(FIND_PAGE), [after, upTo, limit]);
  }

  /** A number up to which no event can be committed any more, for the start of a process. 0 without events. */
  async findNumberBeforeOpenTransactions(): Promise<number> {
    const [event] = await this.dataSource.query<{ number: number }[]>(FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS);
    return event?.number ?? 0;
  }

  /** The number of the newest committed event; 0 without events. */
  async findLastNumber(): Promise<number> {
    const [row] = await this.dataSource.query<[{ number: number }]>(
      'select coalesce(max(number), 0)::float8 as number from domain_event',
    );
    return row.number;
  }

  /** Notifies all processes that events were committed. */
  async notifyOfWrittenEvents(): Promise<void> {
    await this.dataSource.query(NOTIFY_OF_EVENTS);
  }

  /** A new consumer begins with the events that are committed after this call. */
  async insertConsumers(names: readonly string[]): Promise<void> {
    await this.dataSource.query(
      `insert into event_consumer (name, number)
       select name, (select coalesce(max(number), 0) from domain_event) from unnest($1::text[]) as name
           on conflict (name) do nothing`,
      [names],
    );
  }

  /** The number up to which every consumer has read. */
  async findLowestCursor(names: readonly string[]): Promise<number> {
    const [row] = await this.dataSource.query<[{ number: number | null }]>(
      'select min(number)::float8 as number from event_consumer where name = any($1::text[])',
      [names],
    );
    return row.number ?? Infinity;
  }

  /** Locks the cursors that no other process has locked, and returns them by the names of their consumers. */
  async lockCursors(tx: Tx, names: readonly string[]): Promise<Map<string, number>> {
    const rows = await read<{ name: string; number: number }>(
      tx,
      `select name, number::float8 as number from event_consumer where name = any($1::text[])
        order by name for update skip locked`,
      [names],
    );
    return new Map(rows.map(({ name, number }) => [name, number]));
  }

  moveCursors(tx: Tx, names: readonly string[], number: number): void {
    write(
      tx,
      `update event_consumer set number = $2, moved_at = clock_timestamp() where name = any($1::text[]) and number < $2`,
      [names, number],
    );
  }

  findPageInTransaction(tx: Tx, { after, upTo }: NumberRange, limit: number): Promise<EventRow[]> {
    return read(tx, FIND_PAGE, [after, upTo, limit]);
  }

  insertFailure(tx: Tx, consumer: string, { number, id }: RecordedEvent, error: string): void {
    write(
      tx,
      'insert into event_failure (consumer, event_number, event_id, error) values ($1, $2, $3, $4) on conflict do nothing',
      [consumer, number, id, error],
    );
  }

  /** For the erasure of a user. */
  async deleteEventsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from domain_event where user_id = $1', [userId]);
  }

  /** Deletes at most `limit` events, the oldest first. */
  async deleteOldEvents(keptDays: number, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from domain_event where written_at <= clock_timestamp() - make_interval(days => $1)
          and number in (select number from domain_event order by number limit $2)`,
      [keptDays, limit],
    );
    return deleted;
  }
}

export function toRecordedEvent({ number, id, type, at, userId, data }: EventRow): RecordedEvent {
  const name = type as PlatformEvent['name'];
  return { number, id, event: { name, at, ...(userId ? { userId } : {}), ...decodeFields(data) } };
}
