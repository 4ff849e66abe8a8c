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
  const canDeclineUpgrades = 'shouldUpgradeCallback' in server; // newer versions of Node
  if (canDeclineUpgrades) {
    // These versions read the body of an upgrade themselves, so that the listener could not put it back.
    Object.assign(server, {
      shouldUpgradeCallback: (request: IncomingMessage) => isWanted(request) || !hasBody(request),
    });
    // Node loses the requests that are pipelined behind a declined upgrade. After `close` the client sends them again.
    server.prependListener('request', ({ headers }: IncomingMessage, response: ServerResponse) => {
      if (headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    });
  }
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
 * Answers to pipelined requests are in the order of the requests, so an upgrade waits for the earlier answers. Meanwhile Node
 * has removed its own listeners from the socket; this function adds those that the earlier answers need.
 */
function afterResponses(socket: Socket, open: readonly ServerResponse[], proceed: () => void): void {
  if (open.length === 0) return proceed();
  const destroy = () => socket.destroy();
  const resumeStreams = () => open.forEach((response) => response.emit('drain'));
  socket.on('error', destroy).on('timeout', destroy).on('drain', resumeStreams);
  const onClose = () => {
    if (open.length > 0 || !socket.writable) return;
    socket.off('error', destroy).off('timeout', destroy).off('drain', resumeStreams);
    socket.setTimeout(0); // the last response has set the time-out of an idle connection
    proceed();
  };
  for (const response of open) response.once('close', onClose);
}

/** Puts the request back into the socket without its upgrade. `head`: the bytes after the headers that have arrived. */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket } = request;
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const [name, value] = request.rawHeaders.slice(index, index + 2) as [string, string];
    const remainingValue = withoutUpgrade(name, value);
    if (remainingValue !== undefined) lines.push(`${name}: ${remainingValue}`);
  }
  const headers = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'); // the encoding in which Node has read them
  socket.unshift(Buffer.concat([headers, head]));
  server.emit('connection', socket);
}

/** The value of a header without the upgrade; undefined if the header is left out. */
function withoutUpgrade(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'upgrade' || lower === 'http2-settings') return undefined;
  if (lower !== 'connection') return value;
  const options = value.split(',').map((option) => option.trim());
  const remaining = options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option));
  return remaining.length > 0 ? remaining.join(', ') : undefined;
}
