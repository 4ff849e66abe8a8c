import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { AppConfig } from '../../config/app-config.js';

const HEADERS_WITHIN_SECONDS = 10;
const LOOK_EVERY_MS = 1000;

/**
 * What one caller can hold by being slow: a connection, for a bounded time. Headers that do not end and a body that drips
 * are cut off with 408, an idle connection is closed, and so is one whose answer is not taken: all of it, or the next
 * piece of one that is streamed.
 */
export function limitConnections(server: Server, config: AppConfig): void {
  const wholeMs = config.REQUEST_SECONDS * 1000;
  server.maxConnections = config.CONNECTIONS_AT_ONCE;
  server.requestTimeout = wholeMs;
  server.headersTimeout = Math.min(wholeMs, HEADERS_WITHIN_SECONDS * 1000);
  server.keepAliveTimeout = config.KEEP_ALIVE_SECONDS * 1000;
  // An option of createServer, which Nest does not pass on; read when the server begins to listen.
  Object.assign(server, { connectionsCheckingInterval: LOOK_EVERY_MS });
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => open.set(socket, closedWith(socket)));
  // Before Express, which answers some requests there and then.
  server.prependListener('request', ({ socket }, response) => {
    const answers = open.get(socket)?.add(response);
    response.once('close', () => answers?.delete(response));
    response.once('prefinish', () => socket.setTimeout(wholeMs)); // idle again, Node sets its own
    response.once('pipe', (source) => breakOffWhenLeft(socket, response, source, wholeMs));
  });
}

/**
 * The answers of a connection. Those that wait behind another one are not told by Node that the connection has gone: what
 * they hold would be held for ever.
 */
function closedWith(socket: Socket): Set<ServerResponse> {
  const answers = new Set<ServerResponse>();
  const tell = () => {
    for (const response of answers) response.destroy().emit('close');
  };
  socket.once('close', () => setImmediate(tell)); // Node has told the first one by then
  return answers;
}

/** A stream waits for its reader and keeps what it reads from open meanwhile: nobody may let it wait for ever. */
function breakOffWhenLeft(socket: Socket, response: ServerResponse, source: Readable, ms: number): void {
  let left: NodeJS.Timeout | undefined;
  source.on('pause', () => (left = setTimeout(() => socket.destroy(), ms)));
  source.on('resume', () => clearTimeout(left));
  response.once('close', () => clearTimeout(left));
}
