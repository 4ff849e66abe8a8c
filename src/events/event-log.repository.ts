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

/** A row of `domain_event`, as it is read with `EVENT_COLUMNS`. `changesBalance` has the meaning that `RecordedEvent` documents. */
export interface EventRow {
  readonly number: number;
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly userId: string | null;
  readonly subjectType: string | null;
  readonly subjectId: string | null;
  readonly data: object;
  readonly changesBalance: boolean;
}

export interface EventRowWithBalance extends EventRow {
  /** The user's balance after the transaction, as `GET /api/user/balance` answers it; null unless `changesBalance`. */
  readonly balance: object | null;
}

const columnsWith = (data: string) =>
  `number::float8 as number, id, type, at, user_id as "userId", subject_type as "subjectType", subject_id as "subjectId",
   ${data} as data, balance is not null as "changesBalance"`;
export const EVENT_COLUMNS = columnsWith('data');
export const EVENT_COLUMNS_WITH_BALANCE = `${EVENT_COLUMNS}, balance`;

const INSERT = 'insert into domain_event (id, type, at, user_id, subject_type, subject_id, data';
const INSERT_EVENT = `${INSERT}) values ($1, $2, $3, $4, $5, $6, $7)`;
// The balance is read, and the user locked, before the number is drawn: of two transactions that change different accounts of a
// user, the one with the higher number shows both changes.
const INSERT_EVENT_WITH_BALANCE = `
  with changed as materialized (select user_balance($4) as balance)
  ${INSERT}, balance) select $1, $2, $3, $4, $5, $6, $7, balance from changed`;

// Many events of one transaction, such as those of a consumer. They get their numbers in the order of the list.
const INSERT_EVENTS = `${INSERT})
  select id, type, at, "userId", "subjectType", "subjectId", data
    from rows from (jsonb_to_recordset($1) as (id uuid, type text, at timestamptz, "userId" uuid, "subjectType" text,
           "subjectId" text, data jsonb)) with ordinality
           as event (id, type, at, "userId", "subjectType", "subjectId", data, place)
   order by place`;
const MAX_SINGLE_INSERTS = 3;

const FIND_PAGE_OF_TYPES = `select ${EVENT_COLUMNS} from domain_event
 where number > $1 and number <= $2 and type = any($3::text[]) order by domain_event.number limit $4`;

// The cursor `old-events` keeps the highest number that was deleted because of its age. Failures of deleted events cannot be
// repeated.
const DELETE_OLD_EVENTS = `
  with deleted as (
    delete from domain_event
     where written_at <= clock_timestamp() - make_interval(days => $1)
       and number in (select number from domain_event order by number limit $2)
    returning number
  ), forgotten as (
    delete from event_failure where event_number in (select number from deleted)
  ), moved as (
    insert into event_consumer (name, number) select 'old-events', max(number) from deleted having count(*) > 0
        on conflict (name) do update
       set number = greatest(event_consumer.number, excluded.number), moved_at = clock_timestamp()
  )
  select count(*)::int as deleted from deleted`;

// No row if no event was deleted because of its age.
const FIND_KEPT_RANGE = `
  select number::float8 as "deletedUpTo",
         coalesce((select min(event.number) from domain_event as event where event.number > event_consumer.number),
                  number + 1)::float8 as oldest
    from event_consumer where name = 'old-events'`;

/** Moves cursors forward. $1: their names, $2: a number. */
export const MOVE_CURSORS = `
  update event_consumer set number = $2, moved_at = clock_timestamp() where name = any($1::text[]) and number < $2`;

// `order by number` alone would sort by the selected number, a float8, and so read all events of the range instead of an index.
const findPageOf = (columns: string, after = '$1') =>
  `select ${columns} from domain_event where number > ${after} and number <= $2 order by domain_event.number limit $3`;
const FIND_PAGE = findPageOf(EVENT_COLUMNS);
const FIND_PAGE_WITH_BALANCES = findPageOf(EVENT_COLUMNS_WITH_BALANCE);

// The page is requested together with the lock of the cursors, before the process knows where they stand.
const LOWEST_CURSOR = '(select min(number) from event_consumer where name = any($1::text[]))';
const FIND_PAGE_AFTER_CURSORS = findPageOf(EVENT_COLUMNS, LOWEST_CURSOR);
const FIND_PAGE_AFTER_CURSORS_WITHOUT_DATA = findPageOf(columnsWith(`'{}'::jsonb`), LOWEST_CURSOR);

// The last event from before the oldest open transaction began: that transaction and later ones draw higher numbers.
const FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS = `
  select number::float8 as number from domain_event
   where written_at < (select min(xact_start) from pg_stat_activity where datname = current_database())
   order by domain_event.number desc limit 1`;

const INSERT_FAILURE = `
  insert into event_failure (consumer, event_number, event_id, error) values ($1, $2, $3, $4) on conflict do nothing`;

// Executed in a transaction of its own. If a crash undoes it, the next poll of each process finds the events.
const NOTIFY_OF_EVENTS = `select pg_notify('${NOTIFICATION_CHANNEL}', '${EVENTS_TOPIC}:')`;

/** Numbers of events: those above `after` up to `upTo`. */
export interface NumberRange {
  readonly after: number;
  readonly upTo: number;
}

type EmittedEvent = PlatformEvent & { readonly userId?: string };

/** Inserts the event immediately before COMMIT, when the transaction holds its locks, together with its other events. */
export function recordBeforeCommit(tx: Tx, event: PlatformEvent): void {
  beforeCommit<EmittedEvent>(tx, insertEvents, event);
}

/**
 * The last event of each user whose balance the transaction has changed carries the balance; `balance.changed` is inserted only for
 * a user without another event. Users are in the order of their ids, in which the database locks them one after the other.
 */
function insertEvents(tx: Tx, emitted: readonly EmittedEvent[]): void {
  const isBalance = ({ name }: EmittedEvent) => name === 'balance.changed';
  const events = emitted.filter((event) => !isBalance(event));
  const isOnlyEventOfUser = (change: EmittedEvent) => !events.some(({ userId }) => userId === change.userId);
  const changes = [...new Map(emitted.filter(isBalance).map((event) => [event.userId, event])).values()];
  const rows = [...events, ...changes.filter(isOnlyEventOfUser)];
  if (changes.length > 1) rows.sort((a, b) => ((a.userId ?? '') < (b.userId ?? '') ? -1 : 1));
  const lastOfUser = new Map(rows.map((event) => [event.userId, event]));
  const withBalance = new Set(changes.map(({ userId }) => lastOfUser.get(userId)));
  if (rows.length > MAX_SINGLE_INSERTS && withBalance.size === 0)
    return write(tx, INSERT_EVENTS, [JSON.stringify(rows.map(toRow))]);
  for (const event of rows) {
    const { id, type, at, userId, subjectType, subjectId, data } = toRow(event);
    const values = [id, type, at, userId, subjectType, subjectId, JSON.stringify(data)];
    write(tx, withBalance.has(event) ? INSERT_EVENT_WITH_BALANCE : INSERT_EVENT, values);
  }
}

function toRow(event: EmittedEvent) {
  const { name: type, at, userId = null } = event;
  const subject = subjectOf(event);
  const data = type === 'balance.changed' ? {} : encodeFields(event);
  return { id: newId(), type, at, userId, subjectType: subject.type, subjectId: subject.id, data };
}

/** The table `domain_event`, the cursors of its consumers, and the events that a consumer has passed over. */
@Injectable()
export class EventLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  findPage({ after, upTo }: NumberRange, limit: number): Promise<EventRow[]> {
    return this.dataSource.query(prepared(FIND_PAGE), [after, upTo, limit]);
  }

  findPageWithBalances({ after, upTo }: NumberRange, limit: number): Promise<EventRowWithBalance[]> {
    return this.dataSource.query(prepared(FIND_PAGE_WITH_BALANCES), [after, upTo, limit]);
  }

  findPageOfTypes(
    { after, upTo }: NumberRange,
    types: readonly string[],
    limit: number,
  ): Promise<EventRow[]> {
    return this.dataSource.query(prepared(FIND_PAGE_OF_TYPES), [after, upTo, types, limit]);
  }

  /**
   * The highest number that was deleted because of its age, and the number of the oldest event above it. Undefined if no event was
   * deleted so.
   */
  async findKeptRange(): Promise<{ deletedUpTo: number; oldest: number } | undefined> {
    const [range] = await this.dataSource.query<{ deletedUpTo: number; oldest: number }[]>(
      prepared(FIND_KEPT_RANGE),
    );
    return range;
  }

  /** A number up to which no event can be committed any more, for the start of a process. 0 without events. */
  async getNumberBeforeOpenTransactions(): Promise<number> {
    const [event] = await this.dataSource.query<{ number: number }[]>(FIND_NUMBER_BEFORE_OPEN_TRANSACTIONS);
    return event?.number ?? 0;
  }

  /** The highest number of a committed event that is at most `upTo`; 0 without events. */
  async getLastNumber(upTo = Number.MAX_SAFE_INTEGER): Promise<number> {
    const [row] = await this.dataSource.query<[{ number: number }]>(
      'select coalesce(max(number), 0)::float8 as number from domain_event where number <= $1',
      [upTo],
    );
    return row.number;
  }

  /** Notifies all processes that events were committed. */
  async notifyOfWrittenEvents(): Promise<void> {
    await this.dataSource.query(NOTIFY_OF_EVENTS);
  }

  /** A new consumer begins with the events that are committed after this call, and those of the last open transactions. */
  async insertConsumers(names: readonly string[]): Promise<void> {
    const first = await this.getNumberBeforeOpenTransactions();
    await this.dataSource.query(
      `insert into event_consumer (name, number) select name, $2 from unnest($1::text[]) as name
           on conflict (name) do nothing`,
      [names, first],
    );
  }

  /** The number up to which every consumer has read. */
  async getLowestCursor(names: readonly string[]): Promise<number> {
    const [row] = await this.dataSource.query<[{ number: number | null }]>(
      'select min(number)::float8 as number from event_consumer where name = any($1::text[])',
      [names],
    );
    return row.number ?? Infinity;
  }

  /**
   * Locks the cursors that no other process has locked, and returns them by the names of their consumers, with the id of the
   * transaction.
   */
  async lockCursors(
    tx: Tx,
    names: readonly string[],
  ): Promise<{ cursors: Map<string, number>; xid: string | undefined }> {
    const rows = await read<{ name: string; number: number; xid: string }>(
      tx,
      `select name, number::float8 as number, pg_current_xact_id()::text as xid from event_consumer where name = any($1::text[])
        order by name for update skip locked`,
      [names],
    );
    return { cursors: new Map(rows.map(({ name, number }) => [name, number])), xid: rows[0]?.xid };
  }

  moveCursors(tx: Tx, names: readonly string[], number: number): void {
    write(tx, MOVE_CURSORS, [names, number]);
  }

  /** The next events after the lowest of these cursors. */
  findPageAfterCursors(
    tx: Tx,
    names: readonly string[],
    { upTo, limit, hasData }: { upTo: number; limit: number; hasData: boolean },
  ): Promise<EventRow[]> {
    return read(tx, hasData ? FIND_PAGE_AFTER_CURSORS : FIND_PAGE_AFTER_CURSORS_WITHOUT_DATA, [
      names,
      upTo,
      limit,
    ]);
  }

  insertFailure(tx: Tx, consumer: string, { number, id }: RecordedEvent, error: string): void {
    write(tx, INSERT_FAILURE, [consumer, number, id, error]);
  }

  /** For the erasure of a user. */
  async deleteEventsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `with deleted as (delete from domain_event where user_id = $1 returning number)
       delete from event_failure where event_number in (select number from deleted)`,
      [userId],
    );
  }

  /** Deletes at most `limit` events, the oldest first. */
  async deleteOldEvents(keptDays: number, limit: number): Promise<number> {
    const [{ deleted }] = await this.dataSource.query<[{ deleted: number }]>(DELETE_OLD_EVENTS, [
      keptDays,
      limit,
    ]);
    return deleted;
  }
}

export function toRecordedEvent({
  number,
  id,
  type,
  at,
  userId,
  subjectType,
  subjectId,
  data,
  changesBalance,
}: EventRow): RecordedEvent {
  const name = type as PlatformEvent['name'];
  return {
    number,
    id,
    changesBalance,
    subject: { type: subjectType, id: subjectId },
    event: { name, at, ...(userId ? { userId } : {}), ...decodeFields(data) },
  };
}
