import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { RawData, WebSocket } from 'ws';
import { realNow } from '../../../common/clock.js';
import { Groups } from '../../../common/groups.js';
import { AppConfig } from '../../../config/app-config.js';
import type { EventRowWithBalance } from '../../../events/event-log.repository.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { audienceOf, frameOf, mayReceive, messagesOf } from './domain/live-messages.js';
import {
  type Audience,
  CLOSE,
  type CloseReason,
  type LiveMessage,
  type LiveOwner,
  MAX_BUFFERED_BYTES,
  MAX_CLIENT_PINGS,
  type Place,
} from './live.types.js';

/** The connection of a client. It closes if the client sends messages or too many pings, or does not read. */
export class LiveConnection {
  /** When the client last answered a ping; both times are by the monotonic clock. */
  lastPongMs = performance.now();
  lastPingMs = performance.now();
  /** Undefined during the replay; afterwards the number up to which the replay has sent the events. */
  private liveAfter: number | undefined;
  /** Ids of messages that are not sent: the client has seen them, or their events were committed before the connection. */
  private skipped: Set<string> | undefined;
  private clientPings = 0;

  constructor(
    readonly owner: LiveOwner,
    /** The network address of the caller. */
    readonly address: string,
    private readonly socket: WebSocket,
    /** Called with the count of messages that were sent. */
    private readonly onSent: (count: number) => void,
  ) {
    socket.on('message', (_data: RawData) => this.close(CLOSE.messageSent));
    socket.on('pong', () => (this.lastPongMs = performance.now()));
    socket.on('ping', () => {
      if (++this.clientPings > MAX_CLIENT_PINGS) this.close(CLOSE.messageSent);
    });
    socket.on('error', () => undefined); // the event `close` follows
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Bytes that the client has not read, beyond those that the kernel holds. */
  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Ends the replay: from now on `deliver` sends the events with numbers above `after`. */
  startLive(after: number): void {
    this.liveAfter = after;
  }

  /** Sets the ids of messages that the connection does not send. Each id is forgotten when its message is skipped. */
  skipMessages(ids: readonly string[]): void {
    this.skipped = ids.length > 0 ? new Set(ids) : undefined;
  }

  /**
   * Sends a message that the audience may receive, unless it is skipped, or the replay has sent it or is still running. Closes
   * the connection if its client does not read.
   */
  deliver(message: LiveMessage, frame: string, audience: Audience): void {
    if (this.liveAfter === undefined || message.sequence <= this.liveAfter || !this.isOpen) return;
    if (!mayReceive(audience, message) || this.isSkipped(message)) return;
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) return this.close(CLOSE.tooSlow);
    this.socket.send(frame);
    this.onSent(1);
  }

  sendHello(frame: string): void {
    this.socket.send(frame);
  }

  /** Sends a page of the replay. Resolves when the socket has taken the page; rejects if the connection has ended. */
  async sendPage(messages: readonly LiveMessage[]): Promise<void> {
    const frames = messages.filter((message) => !this.isSkipped(message)).map(frameOf);
    const last = frames.at(-1);
    if (last === undefined) return;
    for (const frame of frames.slice(0, -1)) this.socket.send(frame);
    await new Promise<void>((resolve, reject) =>
      this.socket.send(last, (error) => (error ? reject(error) : resolve())),
    );
    this.onSent(frames.length);
  }

  ping(): void {
    this.lastPingMs = performance.now();
    this.clientPings = 0;
    if (this.isOpen) this.socket.ping();
  }

  close({ code, reason }: CloseReason): void {
    if (this.isOpen) this.socket.close(code, reason);
  }

  terminate(): void {
    this.socket.terminate();
  }

  private isSkipped({ id }: LiveMessage): boolean {
    if (!this.skipped?.delete(id)) return false;
    if (this.skipped.size === 0) this.skipped = undefined;
    return true;
  }
}

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
  /** By the address of the caller: open connections, and the places of those that are being opened. */
  private readonly byAddress = new Groups<LiveConnection | Place>();
  private sweeping: NodeJS.Timeout | undefined;
  /** The number of connections that are being opened. */
  private openingCount = 0;
  /** The number of messages sent to all connections since the start of the process. */
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
    // A message for admins without an id is for all of them.
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
