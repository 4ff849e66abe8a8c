import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Meters } from '../../observability/meters.js';
import { ConnectionPool, type ConnectionBounds } from './connection-pool.js';

const MAX_HEADERS_SECONDS = 10;
const CHECK_INTERVAL_MS = 1000;

/** The connections to the port of the API. Live connections count apart (`LIVE_CONNECTIONS`). */
@Injectable()
export class ConnectionLimits {
  private pool: ConnectionPool | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly meters: Meters,
  ) {}

  get count(): number {
    return this.pool?.count ?? 0;
  }

  /** `isProxy`: whether an address is one of TRUST_PROXY. */
  applyTo(server: Server, isProxy: (address: string) => boolean): void {
    const { CONNECTIONS_AT_ONCE: total, CONNECTIONS_PER_ADDRESS: perAddress } = this.config;
    this.pool = this.createPool(server, { total, perAddress, isProxy });
  }

  /** Limits the connections of a server and how long slow clients can hold them. */
  createPool(server: Server, bounds: ConnectionBounds): ConnectionPool {
    const pool = new ConnectionPool(bounds, this.meters);
    server.on('connection', (socket) => pool.admit(socket));
    limitSlowClients(server, this.config, pool);
    return pool;
  }

  /** While an upgrade is decided, its connection is not closed to make room. */
  keepOpen(socket: Socket): void {
    this.pool?.touch(socket, true);
  }

  /** Stops counting a connection that has become a WebSocket. */
  exclude(socket: Socket): void {
    this.pool?.exclude(socket);
  }
}

/**
 * Limits how long a slow client can hold a connection. Incomplete headers and bodies are answered with 408; idle and silent
 * connections are closed, and so are those whose client does not read the response.
 */
function limitSlowClients(server: Server, config: AppConfig, pool: ConnectionPool): void {
  const requestTimeoutMs = config.REQUEST_SECONDS * 1000;
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, MAX_HEADERS_SECONDS * 1000);
  server.keepAliveTimeout = config.KEEP_ALIVE_SECONDS * 1000;
  // An option of createServer, which Nest does not pass on; Node reads it when the server begins to listen.
  Object.assign(server, { connectionsCheckingInterval: CHECK_INTERVAL_MS });
  // Before Express's own listener, which answers some requests synchronously.
  server.prependListener('request', ({ socket }, response) => {
    pool.touch(socket);
    response.once('close', () => pool.touch(socket));
    response.once('prefinish', () => socket.setTimeout(requestTimeoutMs)); // an idle connection gets Node's time-out
    response.once('pipe', (source) => closeStalledStream(socket, response, source, requestTimeoutMs));
  });
}

/** A stream whose client stops reading would keep its database cursor open for ever. */
function closeStalledStream(
  socket: Socket,
  response: ServerResponse,
  source: Readable,
  timeoutMs: number,
): void {
  let timeout: NodeJS.Timeout | undefined;
  source.on('pause', () => (timeout = setTimeout(() => socket.destroy(), timeoutMs)));
  source.on('resume', () => clearTimeout(timeout));
  response.once('close', () => clearTimeout(timeout));
}
