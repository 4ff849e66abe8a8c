import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { entityColumns } from '../../../database/entity-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSealsOf, isSealEnded, sealedEntityOf } from '../../core/seals/seals.repository.js';
import { LiveTicket } from './entities/live-ticket.entity.js';

@Injectable()
export class TicketsRepository {
  constructor(private readonly dataSource: DataSource) {}

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
