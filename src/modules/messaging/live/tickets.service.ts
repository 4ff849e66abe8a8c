import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { SECOND_MS } from '../../../common/durations.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { Principal } from '../../../http/auth/principal.js';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import { ApiKeyAuthenticationService } from '../../identity/api-keys/api-key-authentication.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { ownerOf } from './domain/live-messages.js';
import { type LiveOwner, TICKET_SECONDS } from './live.types.js';
import { LiveRepository } from './live.repository.js';

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
    private readonly tickets: LiveRepository,
    private readonly sessions: SessionsService,
    private readonly apiKeys: ApiKeyAuthenticationService,
    private readonly seals: CredentialSealsService,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Returns the ticket, of which only a hash is stored, and its end by the database's clock. */
  async issueTicket(principal: Principal): Promise<IssuedTicket> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const { type, id, sessionId, expiresAt: sessionExpiresAt, key } = ownerOf(principal);
    const expiresAt = new Date(realNow().getTime() - this.databaseClock.skewMs + TICKET_SECONDS * SECOND_MS);
    const row = {
      ticketHash: this.seals.hashToken(ticket),
      ownerType: type,
      ownerId: id,
      sessionId,
      sessionExpiresAt,
      keyId: key?.id ?? null,
      keyScopes: key?.scopes ?? null,
      keyNetworks: key?.networks ?? null,
      expiresAt,
    };
    const seal = this.seals.sealRow('live_ticket', row);
    await this.unitOfWork.runInTransaction((tx) => this.tickets.insertTicket(tx, { ...row, seal }));
    return { ticket, expiresAt };
  }

  /**
   * Undefined if the ticket is unknown, used or expired, or if its session or API key has ended. Throws FORBIDDEN for an address
   * outside of the networks to which the API key that asked for the ticket is bound.
   */
  async redeemTicket(ticket: string, address: string | undefined): Promise<LiveOwner | undefined> {
    const stored = await this.tickets.redeemTicket(this.seals.hashesOfToken(ticket));
    if (!stored || !this.seals.isAuthentic('live_ticket', stored)) return undefined;
    const { ownerType: type, ownerId: id, sessionId, sessionExpiresAt: expiresAt } = stored;
    const { keyId, keyScopes, keyNetworks } = stored;
    const ended = await (keyId
      ? this.apiKeys.listEndedKeys([keyId])
      : this.sessions.listEndedSessions([sessionId]));
    if (ended.length > 0 || (expiresAt !== null && expiresAt <= realNow())) return undefined;
    this.apiKeys.requireAllowedNetwork(keyNetworks, address);
    const key = keyId === null ? null : { id: keyId, scopes: keyScopes ?? [], networks: keyNetworks };
    return { type, id, sessionId, key, expiresAt };
  }

  @Job({
    name: 'old-live-tickets',
    purpose: 'Deletes expired tickets of live delivery',
    everySeconds: 60,
    exclusive: true,
  })
  async deleteExpiredTickets(stopping: AbortSignal): Promise<void> {
    while ((await this.tickets.deleteExpiredTickets()) === DELETE_BATCH_ROWS && !stopping.aborted);
  }

  /** For the erasure of a user. */
  async deleteTicketsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.tickets.deleteTicketsOfUser(tx, userId);
  }
}
