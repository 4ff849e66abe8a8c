import { Logger } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { ConnectionSessionsService } from './connection-sessions.service.js';
import { ConnectionsService } from './connections.service.js';
import { CLOSE, LIVE_PATH } from './live.constants.js';
import type { Opening } from './live.types.js';
import { ReplaysService } from './replays.service.js';

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
