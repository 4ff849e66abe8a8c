import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openResponsesOf } from '../resilience/open-responses.js';

export type UpgradeHandler = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/**
 * Hands the upgrade requests that `isWanted` selects to `handle`. Requests with any other Upgrade header are served as usual,
 * because Java's client offers h2c with each first request: the listener puts them back without the header.
 */
export function handleUpgrades(
  server: Server,
  isWanted: (request: IncomingMessage) => boolean,
  handle: UpgradeHandler,
): void {
  const declines = 'shouldUpgradeCallback' in server;
  // Newer versions of Node read the body of an upgrade themselves, so that it cannot be put back.
  if (declines)
    Object.assign(server, {
      shouldUpgradeCallback: (one: IncomingMessage) => isWanted(one) || !hasBody(one),
    });
  // Node loses the requests that are pipelined behind a declined upgrade; their client sends them again.
  if (declines)
    server.prependListener('request', ({ headers }: IncomingMessage, response: ServerResponse) => {
      if (headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    });
  server.on('upgrade', (request: IncomingMessage, _socket: unknown, head: Buffer) => {
    const { socket } = request;
    afterResponses(socket, openResponsesOf(socket), () => {
      if (isWanted(request)) handle(request, socket, head);
      else serveWithoutUpgrade(server, request, head);
    });
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Answers to pipelined requests are in the order of the requests, so an upgrade waits for the earlier answers. Meanwhile the
 * socket has none of Node's listeners: these ones stand in for them.
 */
function afterResponses(socket: Socket, open: readonly ServerResponse[], proceed: () => void): void {
  if (open.length === 0) return proceed();
  const destroy = () => socket.destroy();
  const resumeStreams = () => open.forEach((response) => response.emit('drain'));
  socket.on('error', destroy).on('timeout', destroy).on('drain', resumeStreams);
  const onClose = () => {
    if (open.length > 0 || !socket.writable) return;
    socket.off('error', destroy).off('timeout', destroy).off('drain', resumeStreams);
    socket.setTimeout(0); // the last response has set that of an idle connection
    proceed();
  };
  for (const response of open) response.once('close', onClose);
}

/** `head` are the bytes behind the headers that have arrived: the beginning of the body. */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket } = request;
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let place = 0; place + 1 < request.rawHeaders.length; place += 2) {
    const [name, value] = request.rawHeaders.slice(place, place + 2) as [string, string];
    const kept = withoutUpgrade(name, value);
    if (kept !== undefined) lines.push(`${name}: ${kept}`);
  }
  const headers = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'); // as Node has read them
  socket.unshift(Buffer.concat([headers, head]));
  server.emit('connection', socket);
}

/** The value without the upgrade; undefined if the header is left out. */
function withoutUpgrade(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'upgrade' || lower === 'http2-settings') return undefined;
  if (lower !== 'connection') return value;
  const options = value.split(',').map((option) => option.trim());
  const kept = options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option));
  return kept.length > 0 ? kept.join(', ') : undefined;
}
