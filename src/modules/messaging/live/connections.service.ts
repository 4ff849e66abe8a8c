import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { realNow } from '../../../common/clock.js';
import { Groups } from '../../../common/groups.js';
import { AppConfig } from '../../../config/app-config.js';
import type { EventRowWithBalance } from '../../../events/event-log.repository.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { LiveConnection } from './connection.client.js';
import { audienceOf } from './domain/audience.js';
import { frameOf, messagesOf } from './domain/live-messages.js';
import { CLOSE, type CloseReason } from './live.constants.js';
import type { Audience, LiveMessage, LiveOwner, Place } from './live.types.js';

const PING_EVERY_MS = 30_000;
/** A connection without a pong for this time is closed. */
const PONG_WITHIN_MS = 60_000;
/** How often the service looks for connections to ping or to close. */
const SWEEP_MS = 250;
/** How long a shutdown waits for clients to close their connections. */
const SHUTDOWN_MS = 1000;

/** The open connections of this process. */
@Injectable()
export class ConnectionsService implements OnApplicationBootstrap, OnModuleDestroy {
  /** The interval of pings and the time for the pong. A test shortens them. */
  readonly timings = { pingEveryMs: PING_EVERY_MS, pongWithinMs: PONG_WITHIN_MS };
  private readonly connections = new Set<LiveConnection>();
  /** The connections by type and id of their owner, the oldest first. */
  private readonly byRecipient = new Groups<LiveConnection>();
  /** The connections by the id of their session or API key. */
  private readonly bySession = new Groups<LiveConnection>();
  private readonly admins = new Set<LiveConnection>();
  /** The connections that are open or being opened by the address of their caller. */
  private readonly byAddress = new Groups<LiveConnection | Place>();
  private sweeping: NodeJS.Timeout | undefined;
  /** The number of connections that are being opened. */
  private openingCount = 0;
  /** The number of events sent since the start of the process, counted for each connection. */
  delivered = 0;

  constructor(
    private readonly config: AppConfig,
    private readonly directory: AdminDirectoryService,
  ) {}

  get count(): number {
    return this.connections.size;
  }

  /** True while a connection is open or being opened. */
  get isInUse(): boolean {
    return this.count + this.openingCount > 0;
  }

  onApplicationBootstrap(): void {
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeping);
  }

  /**
   * Reserves a place for a connection that is being opened, unless LIVE_CONNECTIONS or LIVE_CONNECTIONS_PER_ADDRESS is reached.
   * `releasePlace` ends the reservation.
   */
  reservePlace(address: string): Place {
    const { LIVE_CONNECTIONS, LIVE_CONNECTIONS_PER_ADDRESS } = this.config;
    if (this.count + this.openingCount >= LIVE_CONNECTIONS) return { address, refusal: 'full' };
    if (this.byAddress.membersOf(address).size >= LIVE_CONNECTIONS_PER_ADDRESS)
      return { address, refusal: 'address' };
    const place = { address, refusal: null };
    this.openingCount++;
    this.byAddress.addTo(address, place);
    return place;
  }

  releasePlace(place: Place): void {
    if (place.refusal !== null) return;
    this.openingCount--;
    this.byAddress.removeFrom(place.address, place);
  }

  /**
   * Adds a connection, and closes the oldest ones of its owner beyond LIVE_CONNECTIONS_PER_USER. The limit applies separately to the
   * connections of each API key and to the connections without a key.
   */
  addConnection(socket: WebSocket, owner: LiveOwner, address: string): LiveConnection {
    const connection = new LiveConnection(owner, address, socket, (count) => (this.delivered += count));
    this.connections.add(connection);
    this.byRecipient.addTo(recipientOf(owner), connection);
    this.bySession.addTo(owner.sessionId, connection);
    this.byAddress.addTo(address, connection);
    if (owner.type === 'admin') this.admins.add(connection);
    const sharingLimit = [...this.connectionsOf(owner.type, owner.id)].filter(
      (candidate) => candidate.isOpen && candidate.owner.key?.id === owner.key?.id,
    );
    for (const oldest of sharingLimit.slice(0, -this.config.LIVE_CONNECTIONS_PER_USER))
      oldest.close(CLOSE.replaced);
    return connection;
  }

  removeConnection(connection: LiveConnection): void {
    if (!this.connections.delete(connection)) return;
    this.byRecipient.removeFrom(recipientOf(connection.owner), connection);
    this.bySession.removeFrom(connection.owner.sessionId, connection);
    this.byAddress.removeFrom(connection.address, connection);
    this.admins.delete(connection);
  }

  get all(): ReadonlySet<LiveConnection> {
    return this.connections;
  }

  connectionsOf(type: LiveOwner['type'], id: string): ReadonlySet<LiveConnection> {
    return this.byRecipient.membersOf(recipientOf({ type, id }));
  }

  /** `id`: of a session or an API key. */
  connectionsOfSession(id: string): ReadonlySet<LiveConnection> {
    return this.bySession.membersOf(id);
  }

  /** The events that the owner may receive now: an admin's permissions can change while a connection is open. */
  audienceOf(owner: LiveOwner): Audience {
    return audienceOf(owner, owner.type === 'admin' ? this.directory.findAdmin(owner.id) : undefined);
  }

  /** The messages of an event. */
  messagesOf(event: EventRowWithBalance): LiveMessage[] {
    return messagesOf(event, (email) => this.directory.findAdminByEmail(email)?.id);
  }

  /** Sends the messages of an event to those connections of their recipients that may receive them now. */
  deliver(event: EventRowWithBalance): void {
    if (this.admins.size === 0 && this.connectionsOf('user', event.userId ?? '').size === 0) return;
    for (const message of this.messagesOf(event)) this.deliverMessage(message);
  }

  private deliverMessage(message: LiveMessage): void {
    const { recipientType: type, recipientId: id } = message;
    const connections = type === 'admin' && id === '' ? this.admins : this.connectionsOf(type, id);
    let frame: string | undefined;
    for (const connection of connections)
      connection.deliver(message, (frame ??= frameOf(message)), this.audienceOf(connection.owner));
  }

  /** Closes all connections, and after SHUTDOWN_MS terminates the connections whose clients have not answered. */
  async closeAll(reason: CloseReason): Promise<void> {
    for (const connection of this.all) connection.close(reason);
    const deadline = performance.now() + SHUTDOWN_MS;
    while (this.count > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const connection of this.all) connection.terminate();
  }

  private sweep(): void {
    const now = realNow();
    const monotonicMs = performance.now();
    const { pingEveryMs, pongWithinMs } = this.timings;
    for (const connection of this.all) {
      const { owner, lastPingMs, lastPongMs } = connection;
      const isDisabled = owner.type === 'admin' && this.directory.findAdmin(owner.id)?.status !== 'active';
      const hasExpired = owner.expiresAt !== null && owner.expiresAt <= now;
      if (isDisabled || hasExpired) connection.close(CLOSE.sessionEnded);
      else if (monotonicMs - lastPongMs > pongWithinMs) connection.close(CLOSE.noPong);
      else if (monotonicMs - lastPingMs > pingEveryMs) connection.ping();
    }
  }
}

function recipientOf({ type, id }: Pick<LiveOwner, 'type' | 'id'>): string {
  return `${type}:${id}`;
}
