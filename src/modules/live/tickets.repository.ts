import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import type { LiveTicket } from './entities/live-ticket.entity.js';
import { TICKET_SECONDS } from './live.constants.js';

export type NewTicket = Omit<LiveTicket, 'expiresAt'>;
export type RedeemedTicket = Omit<NewTicket, 'ticketHash'>;

@Injectable()
export class TicketsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the end of the ticket's life by the database's clock. */
  async insertTicket(tx: Tx, ticket: NewTicket): Promise<Date> {
    const [row] = await tx.query<[{ expiresAt: Date }]>(
      `insert into live_ticket (ticket_hash, owner_type, owner_id, session_id, session_expires_at, key_id, key_scopes,
                                expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + interval '${TICKET_SECONDS} seconds')
       returning expires_at as "expiresAt"`,
      [
        ...[ticket.ticketHash, ticket.ownerType, ticket.ownerId, ticket.sessionId, ticket.sessionExpiresAt],
        ...[ticket.keyId, ticket.keyScopes],
      ],
    );
    return row.expiresAt;
  }

  /** Deletes the ticket, so that of two concurrent calls one finds it. Undefined if it is unknown, used or expired. */
  async redeemTicket(ticketHash: Buffer): Promise<RedeemedTicket | undefined> {
    const [[ticket]] = await this.dataSource.query<[RedeemedTicket[], number]>(
      `delete from live_ticket where ticket_hash = $1 and expires_at > clock_timestamp()
       returning owner_type as "ownerType", owner_id as "ownerId", session_id as "sessionId",
                 session_expires_at as "sessionExpiresAt", key_id as "keyId", key_scopes as "keyScopes"`,
      [ticketHash],
    );
    return ticket;
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
