import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../database/prepared.js';
import { read } from '../database/statements.js';
import type { Tx } from '../database/tx.js';
import { EVENT_COLUMNS, MOVE_CURSORS, type EventRow } from './event-log.repository.js';

/** What a consumer has not handled. */
export interface EventBacklog {
  readonly consumer: string;
  /** The age of the oldest event after the cursor; 0 without one. */
  readonly lagSeconds: number;
  /** The events that the consumer could not handle and has passed over. */
  readonly failures: number;
}

/** SQL of the backlogs of the consumers whose names are in the parameter `names`. */
export function backlogsSql(names: string): string {
  return `
  select name as consumer,
         coalesce((select greatest(extract(epoch from clock_timestamp() - written_at), 0) from domain_event as event
                    where event.number > event_consumer.number order by event.number limit 1), 0)::float8 as "lagSeconds",
         (select count(*)::int from event_failure where event_failure.consumer = name) as failures
    from event_consumer where name = any(${names}::text[]) order by name`;
}

const FIND_BACKLOGS = backlogsSql('$1');

const LOCK_USERS = 'select from platform_user where id = any($1::uuid[]) order by id for key share';
const LOCK_USER_OF_EVENT = `
  select from platform_user where id = (select user_id from domain_event where id = $1) for key share`;

/** What consumers have not handled: events after their cursors, and events that they have passed over. */
@Injectable()
export class EventBacklogRepository {
  constructor(private readonly dataSource: DataSource) {}

  findBacklogs(names: readonly string[]): Promise<EventBacklog[]> {
    return this.dataSource.query(prepared(FIND_BACKLOGS), [names]);
  }

  /** Undefined for an unknown name. */
  async findCursor(name: string): Promise<number | undefined> {
    const [cursor] = await this.dataSource.query<{ number: number }[]>(
      'select number::float8 as number from event_consumer where name = $1',
      [name],
    );
    return cursor?.number;
  }

  /** Moves a cursor forward, without a transaction. */
  async moveCursor(name: string, number: number): Promise<void> {
    await this.dataSource.query(MOVE_CURSORS, [[name], number]);
  }

  /**
   * Locks the users of events before their consumers lock rows of these users, as an erasure does, so that the two cannot deadlock.
   * Reads `platform_user` of the module users.
   */
  async lockUsers(tx: Tx, events: readonly Pick<EventRow, 'userId'>[]): Promise<void> {
    const ids = new Set(events.flatMap(({ userId }) => userId ?? []));
    if (ids.size > 0) await read(tx, LOCK_USERS, [[...ids]]);
  }

  /**
   * Deletes the failures of these consumers to handle an event, and returns the event with the names of those that had failed; no
   * row if there was no failure. A concurrent call for the same event waits.
   */
  async takeFailures(
    tx: Tx,
    eventId: string,
    consumers: readonly string[],
  ): Promise<{ row: EventRow | undefined; names: string[] }> {
    await tx.query(LOCK_USER_OF_EVENT, [eventId]); // as `lockUsers`
    const [failures] = await tx.query<[{ consumer: string }[], number]>(
      'delete from event_failure where event_id = $1 and consumer = any($2::text[]) returning consumer',
      [eventId, consumers],
    );
    if (failures.length === 0) return { row: undefined, names: [] };
    const [row] = await tx.query<EventRow[]>(`select ${EVENT_COLUMNS} from domain_event where id = $1`, [
      eventId,
    ]);
    return { row, names: failures.map(({ consumer }) => consumer).sort() };
  }
}
