import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { LiveConnection } from './connection.client.js';
import { ConnectionsService } from './connections.service.js';
import { mayReceive } from './domain/audience.js';
import { helloFrame } from './domain/live-messages.js';
import { EventDeliveryService } from './event-delivery.service.js';
import { REPLAY_PAGE_EVENTS } from './live.constants.js';
import { LiveEventsRepository } from './live-events.repository.js';
import type { DeliveryStart, LiveOwner } from './live.types.js';

/** Sends a new connection its first frame and the events since the last one that the client has seen. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly events: LiveEventsRepository,
    private readonly connections: ConnectionsService,
    private readonly delivery: EventDeliveryService,
    private readonly clock: Clock,
  ) {}

  /** `after`: the query parameter as the client sent it, or null. */
  async getStart(owner: LiveOwner, after: string | null): Promise<DeliveryStart> {
    const lastDelivered = await this.delivery.getLastDelivered();
    const audience = this.connections.audienceOf(owner);
    const replay = await this.events.getStart(audience, after, lastDelivered);
    return { replay, lastDelivered, isComplete: after === null || replay.after !== null };
  }

  /** Resolves when the connection receives events as they arrive. */
  async startDelivery(
    connection: LiveConnection,
    { replay, lastDelivered, isComplete }: DeliveryStart,
  ): Promise<void> {
    const { after, replayed, skippedIds } = replay;
    const hello = { replayed: after === null ? 0 : replayed, complete: isComplete };
    connection.sendHello(helloFrame(this.clock.now(), hello));
    connection.skipMessages(skippedIds);
    await this.replaySince(connection, after ?? lastDelivered);
  }

  /** Sends pages, as the socket takes them, until the connection has every event that this process has delivered. */
  private async replaySince(connection: LiveConnection, from: number): Promise<void> {
    let after = from;
    while (connection.isOpen) {
      const upTo = this.delivery.lastDelivered;
      // No `await` since `upTo` was read, so that no event is delivered in between.
      if (after >= upTo) return connection.startLive(after);
      const audience = this.connections.audienceOf(connection.owner);
      const page = await this.events.findPageOfAudience(audience, { after, upTo }, REPLAY_PAGE_EVENTS);
      const messages = page.flatMap((event) => this.connections.messagesOf(event));
      await connection.sendPage(messages.filter((message) => mayReceive(audience, message)));
      after = page.length < REPLAY_PAGE_EVENTS ? upTo : (page.at(-1)?.number ?? upTo);
    }
  }
}
