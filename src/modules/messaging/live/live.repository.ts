import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isId } from '../../../common/ids.js';
import { entityColumns } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import {
  EVENT_COLUMNS_WITH_BALANCE,
  type EventRowWithBalance,
  type NumberRange,
} from '../../../events/event-log.repository.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSealsOf, isSealEnded, sealedEntityOf } from '../../core/seals/seals.repository.js';
import { balanceMessageId, dependsOnData, eventTypesOf, receivesBalances } from './domain/live-messages.js';
import { LiveTicket } from './entities/live-ticket.entity.js';
import { ADMIN_EVENTS, type AdminEventDescription } from './event-types.constants.js';
import { REPLAY_HOURS, type Audience, type ReplayStart } from './live.types.js';

/**
 * A connection without a replay does not receive messages about events that were committed before it and still wait for delivery. At most
 * this many are left out; if more events wait, the messages of the further ones are sent nevertheless. This is rare, because an event
 * waits only for milliseconds.
 */
const MAX_PENDING = 10_000;
const UUID_LENGTH = 36;

// Conditions for the events whose messages an audience receives. $1 to $3: the values that `parametersOf` returns for the audience.
const OF_USER = `user_id = $1::uuid and (type = any($2::text[]) or ($3::boolean and balance is not null))`;
const OF_ADMIN_BY_DATA = Object.entries<AdminEventDescription>(ADMIN_EVENTS)
  .filter(([, description]) => dependsOnData(description))
  .map(([type, { permission, recipient }]) => {
    const needed = permission === null ? `data ->> 'permission'` : `'${permission}'`;
    const isRecipient = recipient ? `lower(data #>> '{${recipient.join(',')}}') = $1` : 'true';
    return `(type = '${type}' and ${isRecipient} and ($3::text[] is null or ${needed} = any($3)))`;
  });
const OF_ADMIN = `(type = any($2::text[]) or ${OF_ADMIN_BY_DATA.join(' or ')})`;

const MESSAGES_OF_USER = `(
  select number, id::text as id from domain_event where user_id = $1::uuid and type = any($2::text[])
  union all
  select number, id || '.balance' from domain_event where user_id = $1::uuid and $3::boolean and balance is not null)`;
const MESSAGES_OF_ADMIN = `(select number, id::text as id from domain_event where ${OF_ADMIN})`;

// $4: the id of the event whose message the client has seen last, or null.
// $5: the number of the last event that this process has delivered.
const findStart = (events: string, messages: string) =>
  prepared(`
  with last as (
    select number from domain_event
     where id = $4::uuid and ${events} and written_at > clock_timestamp() - interval '${REPLAY_HOURS} hours'
  )
  select (select number from last)::float8 as number,
         array(select id from ${messages} as message where number = (select number from last)) as "idsOfLast",
         (select count(*) from ${messages} as message where number > (select number from last))::int as later,
         array(select id from ${messages} as message where number > $5 limit ${MAX_PENDING}) as "pendingIds"`);

const findPage = (events: string) =>
  prepared(
    `select ${EVENT_COLUMNS_WITH_BALANCE} from domain_event where ${events} and number > $4 and number <= $5 order by domain_event.number limit $6`,
  );

const STATEMENTS = {
  user: { findStart: findStart(OF_USER, MESSAGES_OF_USER), findPage: findPage(OF_USER) },
  admin: { findStart: findStart(OF_ADMIN, MESSAGES_OF_ADMIN), findPage: findPage(OF_ADMIN) },
};

// The age of the waiting event with the lowest number. `min(written_at)` would make PostgreSQL read all delivered events first.
const FIND_STATE = prepared(`
  select coalesce((select max(number) from domain_event where number <= $1), 0)::float8 as last,
         coalesce((select extract(epoch from clock_timestamp() - written_at) * 1000
                     from domain_event where number > $1 order by number limit 1), 0)::float8 as "waitingMs"`);

interface StartRow {
  readonly number: number | null;
  readonly idsOfLast: readonly string[];
  readonly later: number;
  readonly pendingIds: readonly string[];
}

/** Reads events for live delivery from `domain_event`, and stores the tickets. */
@Injectable()
export class LiveRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** `afterId`: the last message that the client has seen. `lastDelivered`: the number of the last event that this process sent. */
  async getStart(audience: Audience, afterId: string | null, lastDelivered: number): Promise<ReplayStart> {
    const eventId = afterId?.slice(0, UUID_LENGTH);
    const [start] = await this.dataSource.query<[StartRow]>(STATEMENTS[audience.type].findStart, [
      ...parametersOf(audience),
      isId(eventId) ? eventId : null,
      lastDelivered,
    ]);
    const { number, idsOfLast, later, pendingIds } = start;
    if (number === null || !idsOfLast.includes(afterId ?? ''))
      return { after: null, replayed: 0, skippedIds: pendingIds };
    // The balance is the second message of an event. A client that has seen only the first one gets the replay from this event on,
    // without the first one.
    const hasSeenAll = idsOfLast.length === 1 || afterId === balanceMessageId(eventId ?? '');
    return hasSeenAll
      ? { after: number, replayed: later, skippedIds: [] }
      : { after: number - 1, replayed: later + 1, skippedIds: [afterId as string] };
  }

  findPageOfAudience(
    audience: Audience,
    { after, upTo }: NumberRange,
    limit: number,
  ): Promise<EventRowWithBalance[]> {
    return this.dataSource.query(STATEMENTS[audience.type].findPage, [
      ...parametersOf(audience),
      after,
      upTo,
      limit,
    ]);
  }

  /** `last`: the number of the last event up to `reached`. `waitingMs`: the age of the oldest later event; zero without one. */
  async getState(reached: number): Promise<{ last: number; waitingMs: number }> {
    const [state] = await this.dataSource.query<[{ last: number; waitingMs: number }]>(FIND_STATE, [reached]);
    return state;
  }

  async insertTicket(tx: Tx, ticket: LiveTicket): Promise<void> {
    await tx.insert(LiveTicket, ticket);
  }

  /**
   * Deletes the ticket, so that of two concurrent calls one finds it, and ends its seal, so that a copy of the row opens nothing.
   * Undefined if it is unknown, used or expired. `hashes`: the forms in which the database may hold the ticket.
   */
  async redeemTicket(hashes: readonly Buffer[]): Promise<(LiveTicket & Seal) | undefined> {
    const [ticket] = await this.dataSource.query<object[]>(
      `with used as (delete from live_ticket where ticket_hash = any($1::bytea[]) and expires_at > clock_timestamp() returning *),
            ended as (${endSealsOf('used')})
       select ${entityColumns(this.dataSource, LiveTicket, 'used')}, ${isSealEnded('used')} from used`,
      [hashes],
    );
    return ticket && sealedEntityOf(this.dataSource, LiveTicket, ticket);
  }

  async deleteTicketsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(LiveTicket, { ownerType: 'user', ownerId: userId });
  }

  /** Deletes a batch and returns the number of its tickets. */
  deleteExpiredTickets(): Promise<number> {
    const condition = 'expires_at <= clock_timestamp()';
    const expired = { table: 'live_ticket', condition, parameters: [], orderBy: 'expires_at' };
    return deleteBatch(this.dataSource, expired);
  }
}

function parametersOf(audience: Audience): unknown[] {
  const types = eventTypesOf(audience);
  return audience.type === 'user'
    ? [audience.id, types, receivesBalances(audience)]
    : [audience.email?.toLowerCase() ?? '', types, audience.permissions];
}
