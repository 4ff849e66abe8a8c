import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { Principal } from '../../http/auth/principal.js';
import { ApiKeyAuthenticationService } from '../api-keys/api-key-authentication.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { ownerOf } from './domain/audience.js';
import type { LiveOwner } from './live.types.js';
import { TicketsRepository } from './tickets.repository.js';

const TICKET_BYTES = 32;

export interface IssuedTicket {
  readonly ticket: string;
  readonly expiresAt: Date;
}

/** Issues and redeems tickets, for browsers, which cannot send headers when they open a WebSocket. */
@Injectable()
export class TicketsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tickets: TicketsRepository,
    private readonly sessions: SessionsService,
    private readonly apiKeys: ApiKeyAuthenticationService,
  ) {}

  /** Returns the ticket, of which only a hash is stored, and its end by the database's clock. */
  async issueTicket(principal: Principal): Promise<IssuedTicket> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const expiresAt = await this.unitOfWork.runInTransaction((tx) =>
      this.tickets.insertTicket(tx, hashOf(ticket), ownerOf(principal)),
    );
    return { ticket, expiresAt };
  }

  /** Undefined if the ticket is unknown, used or expired, or if its session or API key has ended. */
  async redeemTicket(ticket: string): Promise<LiveOwner | undefined> {
    const owner = await this.tickets.redeemTicket(hashOf(ticket));
    if (!owner) return undefined;
    const { sessionId, key, expiresAt } = owner;
    const ended = await (key
      ? this.apiKeys.findEndedKeys([key.id])
      : this.sessions.findEndedSessions([sessionId]));
    const hasExpired = expiresAt !== null && expiresAt <= realNow();
    return ended.length > 0 || hasExpired ? undefined : owner;
  }

  /** For the erasure of a user. */
  async deleteTicketsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.tickets.deleteTicketsOfUser(tx, userId);
  }
}

function hashOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
