import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { LiveTicket } from './entities/live-ticket.entity.js';
import { TICKET_SECONDS } from './live.constants.js';
import type { LiveOwner } from './live.types.js';

@Injectable()
export class TicketsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the end of the ticket's life by the database's clock. */
  async insertTicket(
    tx: Tx,
    ticketHash: Buffer,
    { type, id, sessionId, expiresAt, key }: LiveOwner,
  ): Promise<Date> {
    const [row] = await tx.query<[{ expiresAt: Date }]>(
      `insert into live_ticket (ticket_hash, owner_type, owner_id, session_id, session_expires_at, key_id, key_scopes,
                                expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + interval '${TICKET_SECONDS} seconds')
       returning expires_at as "expiresAt"`,
      [ticketHash, type, id, sessionId, expiresAt, key?.id ?? null, key?.scopes ?? null],
    );
    return row.expiresAt;
  }

  /**
   * Deletes the ticket, so that of two concurrent calls one finds it, and returns its owner. Undefined if it is unknown,
   * used or expired.
   */
  async redeemTicket(ticketHash: Buffer): Promise<LiveOwner | undefined> {
    const [[owner]] = await this.dataSource.query<[LiveOwner[], number]>(
      `delete from live_ticket where ticket_hash = $1 and expires_at > clock_timestamp()
       returning owner_type as type, owner_id as id, session_id as "sessionId", session_expires_at as "expiresAt",
                 case when key_id is not null then json_build_object('id', key_id, 'scopes', key_scopes) end as key`,
      [ticketHash],
    );
    return owner;
  }

  async deleteTicketsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(LiveTicket, { ownerType: 'user', ownerId: userId });
  }

  async deleteExpiredTickets(limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from live_ticket where ticket_hash in (
         select ticket_hash from live_ticket where expires_at <= clock_timestamp() order by expires_at limit $1)`,
      [limit],
    );
    return deleted;
  }
}
