import type { Socket } from 'node:net';
import type { Meters } from '../../observability/meters.js';
import { canonicalAddress, networkOf } from '../throttling/caller-address.js';
import { openResponsesOf } from './open-responses.js';

export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
  /** True for an address that has no limit of its own. */
  readonly isProxy: (address: string) => boolean;
}

interface Connection {
  /** Undefined once the connection is closed, because V8 can keep a removed member of a Set until a full garbage collection. */
  socket: Socket | undefined;
  /** Null for a proxy. */
  readonly address: string | null;
  /** When the connection was opened, or its last request began or ended; by the monotonic clock. */
  lastUsedMs: number;
  isUpgrading: boolean;
}

// The states of a connection. To make room the lowest one is closed first; connections in use are kept.
const IDLE = 0;
const WAITS_FOR_CLIENT = 1;
const IN_USE = 2;

/**
 * The open connections of a server. When all places are taken, a new connection replaces the one that has been idle for longest,
 * or else the one that has waited longest for its client to send a body or to read a response.
 */
export class ConnectionPool {
  private readonly connections = new Set<Connection>();
  private readonly bySocket = new WeakMap<Socket, Connection>();
  private readonly countByAddress = new Map<string, number>();

  constructor(
    private readonly bounds: ConnectionBounds,
    private readonly meters: Meters,
  ) {}

  get count(): number {
    return this.connections.size;
  }

  /** Closes the new connection if its address has too many, or if no other connection can be closed for it. */
  admit(socket: Socket): void {
    if (this.bySocket.has(socket)) return; // a declined upgrade: the server reports the connection a second time
    const address = this.limitedAddressOf(socket);
    if (address !== null && (this.countByAddress.get(address) ?? 0) >= this.bounds.perAddress)
      return this.refuse(socket, 'address');
    if (this.count >= this.bounds.total && !this.makeRoom()) return this.refuse(socket, 'full');
    const connection = { socket, address, lastUsedMs: performance.now(), isUpgrading: false };
    this.connections.add(connection);
    this.bySocket.set(socket, connection);
    if (address !== null) this.countByAddress.set(address, (this.countByAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.remove(connection));
  }

  /** Records that a request begins or ends. */
  touch(socket: Socket, isUpgrading = false): void {
    const connection = this.bySocket.get(socket);
    if (connection) Object.assign(connection, { lastUsedMs: performance.now(), isUpgrading });
  }

  /** Stops counting a connection that has become a WebSocket. */
  exclude(socket: Socket): void {
    const connection = this.bySocket.get(socket);
    if (connection) this.remove(connection);
  }

  private refuse(socket: Socket, reason: 'address' | 'full'): void {
    this.meters.count('connection-closed', reason);
    socket.destroy();
  }

  private makeRoom(): boolean {
    let found: { readonly connection: Connection; readonly state: number } | undefined;
    for (const connection of this.connections) {
      const state = stateOf(connection);
      if (state === IN_USE) continue;
      const isBetter =
        !found ||
        state < found.state ||
        (state === found.state && connection.lastUsedMs < found.connection.lastUsedMs);
      if (isBetter) found = { connection, state };
    }
    if (!found) return false;
    const { connection, state } = found;
    this.meters.count('connection-closed', state === IDLE ? 'idle' : 'slow');
    connection.socket?.destroy();
    this.remove(connection);
    return true;
  }

  private remove(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    if (connection.socket) this.bySocket.delete(connection.socket);
    connection.socket = undefined;
    const { address } = connection;
    if (address === null) return;
    const count = (this.countByAddress.get(address) ?? 1) - 1;
    if (count > 0) this.countByAddress.set(address, count);
    else this.countByAddress.delete(address);
  }

  private limitedAddressOf({ remoteAddress = '' }: Socket): string | null {
    const address = canonicalAddress(remoteAddress) ?? remoteAddress;
    return this.bounds.isProxy(address) ? null : networkOf(address);
  }
}

function stateOf({ socket, isUpgrading }: Connection): number {
  if (!socket || isUpgrading) return IN_USE;
  const open = openResponsesOf(socket);
  if (open.length === 0) return IDLE;
  // Before its body is complete a request has no effect; after `end` the response only waits for its client.
  return open.every(({ req, writableEnded }) => !req.complete || writableEnded) ? WAITS_FOR_CLIENT : IN_USE;
}
