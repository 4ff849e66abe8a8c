import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { AppConfig } from '../../config/app-config.js';

const MAX_HEADERS_SECONDS = 10;
const CHECK_INTERVAL_MS = 1000;

/**
 * Limits how long a slow client can hold a connection. Incomplete headers and bodies are answered with 408; idle connections
 * are closed, and so are those whose client does not read the response.
 */
export function limitConnections(server: Server, config: AppConfig): void {
  const requestTimeoutMs = config.REQUEST_SECONDS * 1000;
  server.maxConnections = config.CONNECTIONS_AT_ONCE;
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, MAX_HEADERS_SECONDS * 1000);
  server.keepAliveTimeout = config.KEEP_ALIVE_SECONDS * 1000;
  // An option of createServer, which Nest does not pass on; Node reads it when the server begins to listen.
  Object.assign(server, { connectionsCheckingInterval: CHECK_INTERVAL_MS });
  // Before Express's own listener, which answers some requests synchronously.
  server.prependListener('request', ({ socket }, response) => {
    response.once('prefinish', () => socket.setTimeout(requestTimeoutMs)); // an idle connection gets Node's time-out
    response.once('pipe', (source) => closeStalledStream(socket, response, source, requestTimeoutMs));
  });
}

/** Live connections do not count towards CONNECTIONS_AT_ONCE. */
export function allowLiveConnections(server: Server, config: AppConfig, liveConnections: number): void {
  server.maxConnections = config.CONNECTIONS_AT_ONCE + liveConnections;
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
