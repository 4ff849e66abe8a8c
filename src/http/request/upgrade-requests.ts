import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Hands the upgrade requests that `isWanted` selects to `handle`. Requests with any other Upgrade header are served as usual:
 * Java's client offers h2c with each first request. Newer versions of Node let the server decline an upgrade; older ones
 * give every such request to the listener, which puts it back without the header.
 */
export function handleUpgrades(
  server: Server,
  isWanted: (request: IncomingMessage) => boolean,
  handle: UpgradeHandler,
): void {
  if ('shouldUpgradeCallback' in server) server.shouldUpgradeCallback = isWanted;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isWanted(request)) handle(request, socket, head);
    else serveWithoutUpgrade(server, request, socket, head);
  });
}

/** `head` are the bytes behind the headers that have arrived: the beginning of the body. */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
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
