import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { PgNotifications } from '../../../database/pg-notifications.js';
import { ApiKeyAuthenticationService } from '../../identity/api-keys/api-key-authentication.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { ConnectionsService, type LiveConnection } from './connections.service.js';
import { ReplaysService } from './event-delivery.service.js';
import { CLOSE, LIVE_PATH, type Opening } from './live.types.js';

/** The interval of checks while the process may miss notifications. */
const CHECK_MS = 500;
/** Connections whose sessions and keys one query checks. */
const BATCH_CONNECTIONS = 1000;

/**
 * Closes connections within a second after their session or API key has ended: it checks them after a notification that a
 * session, a key or a user has changed, and twice a second while the process may miss notifications or a check has failed.
 */
@Injectable()
export class ConnectionSessionsService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('LiveSessions');
  private checking: NodeJS.Timeout | undefined;
  /** Connections whose check has failed. */
  private unchecked = new Set<LiveConnection>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly sessions: SessionsService,
    private readonly apiKeys: ApiKeyAuthenticationService,
    private readonly notifications: PgNotifications,
  ) {
    for (const topic of ['session', 'api-key'])
      notifications.subscribe(topic, (id) => this.checkSoon(connections.connectionsOfSession(id)));
    notifications.subscribe('user', (id) => this.checkSoon(connections.connectionsOf('user', id)));
    notifications.onReconnect(() => this.checkSoon(connections.all));
  }

  onApplicationBootstrap(): void {
    this.checking = setInterval(() => {
      if (!this.notifications.isCurrent) return this.checkSoon(this.connections.all);
      const again = this.unchecked;
      this.unchecked = new Set();
      this.checkSoon(again);
    }, CHECK_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.checking);
  }

  /** Closes the connections whose session or API key has ended. */
  async checkConnections(connections: readonly LiveConnection[]): Promise<void> {
    for (let from = 0; from < connections.length; from += BATCH_CONNECTIONS) {
      const batch = connections.slice(from, from + BATCH_CONNECTIONS);
      const owners = batch.map(({ owner }) => owner);
      const sessionIds = owners.filter(({ key }) => key === null).map(({ sessionId }) => sessionId);
      // If an API key opened the connection, `sessionId` is the id of the key.
      const keyIds = owners.filter(({ key }) => key !== null).map(({ sessionId }) => sessionId);
      const ended = new Set([
        ...(sessionIds.length > 0 ? await this.sessions.listEndedSessions(sessionIds) : []),
        ...(keyIds.length > 0 ? await this.apiKeys.listEndedKeys(keyIds) : []),
      ]);
      for (const connection of batch)
        if (ended.has(connection.owner.sessionId)) connection.close(CLOSE.sessionEnded);
    }
  }

  private checkSoon(connections: ReadonlySet<LiveConnection>): void {
    if (connections.size === 0) return;
    this.checkConnections([...connections]).catch((error: unknown) => {
      this.log.warn({ msg: 'the sessions of connections were not checked', err: error });
      for (const connection of connections)
        if (this.connections.all.has(connection)) this.unchecked.add(connection);
    });
  }
}

/** Receives the connections whose upgrade `LiveAdapter` has admitted. */
@WebSocketGateway({ path: LIVE_PATH })
export class LiveGateway implements OnGatewayConnection<WebSocket> {
  private readonly log = new Logger('LiveGateway');

  constructor(
    private readonly connections: ConnectionsService,
    private readonly sessions: ConnectionSessionsService,
    private readonly replays: ReplaysService,
  ) {}

  /** Checks the session again: it may have ended after the upgrade was admitted and before the connection was registered. */
  async handleConnection(socket: WebSocket, { owner, address, start }: Opening): Promise<void> {
    const connection = this.connections.addConnection(socket, owner, address);
    socket.once('close', () => this.connections.removeConnection(connection));
    try {
      await this.sessions.checkConnections([connection]);
      if (connection.isOpen) await this.replays.startDelivery(connection, start);
    } catch (error) {
      if (!connection.isOpen) return;
      this.log.warn({ msg: 'the start of a connection failed', err: error });
      connection.close(CLOSE.restart);
    }
  }
}
