import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { trackOpenResponses } from '../resilience/open-responses.js';
import { handleUpgrades } from './upgrade-requests.js';

const STREAM_BYTES = 8_000_000; // more than the buffers of both sockets
const CHUNK = Buffer.alloc(50_000, 'x');

const requestOf = (path: string, upgrade?: string): string => {
  const headers = upgrade === undefined ? '' : `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
};

/** Answers /slow after 50 ms, /stream with a long body, and other paths at once. The server upgrades /live. */
const answer: RequestListener = (request, response) => {
  if (request.url === '/stream') {
    const chunks = Array.from({ length: STREAM_BYTES / CHUNK.length }, () => CHUNK);
    response.setHeader('Content-Length', STREAM_BYTES);
    Readable.from(chunks).pipe(response);
    return;
  }
  setTimeout(() => response.end(`<${request.url}>`), request.url === '/slow' ? 50 : 0);
};

describe('A server that handles upgrades', () => {
  let server: Server;
  let client: Socket;
  const clients: Socket[] = [];
  const sockets: Socket[] = [];
  let received: string;

  const openClient = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (data) => (received += data.toString('latin1')));
    clients.push(socket);
    return socket;
  };

  beforeEach(async () => {
    server = createServer(answer);
    trackOpenResponses(server);
    handleUpgrades(
      server,
      ({ url }) => url === '/live',
      (_request, socket) => socket.end('HTTP/1.1 101 Upgraded\r\n\r\n<live>'),
    );
    server.on('connection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    received = '';
    client = openClient();
  });
  afterEach(async () => {
    for (const socket of [...clients.splice(0), ...sockets.splice(0)]) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const until = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 500 && !condition(); turn++) await sleep(10);
    expect(condition()).toBe(true);
  };
  const bodies = () => received.match(/<[^>]*>/g) ?? [];

  it.each([
    ['an unwanted upgrade after /slow', [requestOf('/slow'), requestOf('/2', 'h2c')], ['</slow>', '</2>']],
    [
      'several unwanted upgrades',
      [requestOf('/slow', 'h2c'), requestOf('/slow', 'h2c'), requestOf('/3', 'h2c'), requestOf('/4')],
      ['</slow>', '</slow>', '</3>', '</4>'],
    ],
    [
      'a wanted upgrade after other requests',
      [requestOf('/slow'), requestOf('/2'), requestOf('/live', 'websocket')],
      ['</slow>', '</2>', '<live>'],
    ],
  ])('answers pipelined requests in order: %s', async (_what, requests, expected) => {
    client.write(requests.join(''));
    await until(() => bodies().length === expected.length);
    expect(bodies()).toEqual(expected);
  });

  it('sends a slow client the whole response to a request that precedes an unwanted upgrade', async () => {
    client.write(requestOf('/stream') + requestOf('/2', 'h2c'));
    client.pause();
    await sleep(100);
    client.resume();
    await until(() => bodies().length === 1);
    expect(received.match(/x{8}/g)).toHaveLength(STREAM_BYTES / 8);
  });

  it('does not serve a pipelined request after a response that closes the connection', async () => {
    server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
    client.write(requestOf('/slow') + requestOf('/2', 'h2c'));
    await until(() => client.closed);
    expect(bodies()).toEqual(['</slow>']);
  });

  it('keeps running if the client disconnects while the request that precedes an unwanted upgrade is unanswered', async () => {
    const requested = once(server, 'request');
    client.write(requestOf('/slow') + requestOf('/2', 'h2c'));
    await requested;
    client.resetAndDestroy();
    await until(() => sockets.every(({ destroyed }) => destroyed));
    // The answer to this request comes after the end of the first one.
    openClient().write(requestOf('/slow'));
    await until(() => bodies().length === 1);
    expect(bodies()).toEqual(['</slow>']);
  });
});
