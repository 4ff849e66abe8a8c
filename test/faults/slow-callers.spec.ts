import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { AppConfig } from '../../src/config/app-config.js';
import { LoadShedder } from '../../src/http/resilience/load-shedder.js';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { sendRequest } from '../harness/http-client.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplicaWithoutPort } from '../harness/replica.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

// Slow clients, and clients that disconnect, send requests to a small instance. It runs in this process, so that the tests can
// read the state of its `LoadShedder`.

const POOL = 4;
const AT_ONCE = 8;
const UNREACHABLE_TIMEOUT_MS = 2_000_000_000; // 23 days; setTimeout accepts at most 2^31 - 1 ms
const MIN_DEFAULT_TIMEOUT_MS = 60_000; // the shortest of Node's own time-outs for requests that arrive slowly

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user().withBalance('1000.00');
});
afterAll(() => platform?.stop());

/** Starts a small instance. Requests wait for slots and database connections without a limit, unless `settings` set one. */
async function startSmallInstance(
  settings: Partial<AppConfig> = {},
): Promise<{ url: string; server: Server; loadShedder: LoadShedder }> {
  // `startReplica` would return the address alone.
  const app = await startReplicaWithoutPort(platform, {
    DATABASE_POOL_SIZE: POOL,
    REQUESTS_AT_ONCE: AT_ONCE,
    REQUEST_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
    DATABASE_POOL_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
    ...settings,
  });
  await app.listen(0, '127.0.0.1');
  return {
    url: await app.getUrl(),
    server: app.getHttpServer() as Server,
    loadShedder: app.get(LoadShedder),
  };
}

function openConnection(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
}

/** Opens a connection and sends a hand-written request. */
function sendRaw(url: string, request: string, headers = '', body = ''): Socket {
  const socket = openConnection(url);
  socket.write(
    `${request} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${user.token}\r\n${headers}\r\n${body}`,
  );
  return socket;
}

/** Sends a withdrawal whose Content-Length is `missingBytes` more than the sent body. */
function sendWithdrawal(url: string, missingBytes = 0): Socket {
  const body = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length + missingBytes}\r\n`;
  return sendRaw(url, 'POST /api/user/withdrawals', headers, body);
}

it('the load shedder keeps the slot of a request whose client has disconnected while its work waits, and releases it afterwards', async () => {
  const { url, loadShedder } = await startSmallInstance();
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  const everybodyLimiter = () => loadShedder.state.find(({ kind }) => kind === 'everybody');
  const sockets = Array.from({ length: AT_ONCE * 2 }, () => sendWithdrawal(url));
  await eventually(async () => {
    const waiting = await platform.dataSource.query<unknown[]>(LOCK_WAITS);
    expect(waiting.length).toBeGreaterThanOrEqual(POOL);
  });
  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    const { inFlight, queued } = everybodyLimiter() ?? {};
    expect(queued).toBe(0);
    expect(inFlight).toBeGreaterThan(0);
  });
  await runner.rollbackTransaction();
  await runner.release();
  await eventually(async () => expect(everybodyLimiter()).toMatchObject({ inFlight: 0, queued: 0 }));
});

describe('Slow clients', () => {
  const DOCUMENTS = 30; // responses with the OpenAPI document, together far more bytes than the socket buffers hold
  const MISSING_BYTES = 50_000; // of each body; at ten per second they take 83 minutes

  /** Sends withdrawals whose bodies end in spaces that arrive one by one, every 100 ms, until `end` is called. */
  function sendSlowly(url: string): { slowSockets: Socket[]; end: () => void } {
    const slowSockets = Array.from({ length: AT_ONCE * 3 }, () => sendWithdrawal(url, MISSING_BYTES));
    const timer = setInterval(
      () => slowSockets.forEach((socket) => socket.writable && socket.write(' ')),
      100,
    );
    return { slowSockets, end: () => clearInterval(timer) };
  }

  /** When the connection closes, resolves with everything that the client has received. */
  const readUntilClosed = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      socket.once('close', () => resolve(received));
    });

  it('lose their connections after REQUEST_SECONDS, or after KEEP_ALIVE_SECONDS between requests', async () => {
    const { url, server, loadShedder } = await startSmallInstance({
      REQUEST_SECONDS: 2,
      KEEP_ALIVE_SECONDS: 1,
    });
    const { text: document } = await sendRequest(`${url}/api/openapi.json`);
    const beganAt = performance.now();
    const incompleteHeaders = openConnection(url);
    incompleteHeaders.write('GET /api/ping HTTP/1.1\r\nHost: he');
    const silent = openConnection(url);
    const idle = sendRaw(url, 'GET /api/user/balance'); // after the response, KEEP_ALIVE_SECONDS count
    const { slowSockets, end } = sendSlowly(url);
    const closed = Promise.all([incompleteHeaders, silent, idle, ...slowSockets].map(readUntilClosed));
    const [incompleteHeadersAnswer, silentAnswer, idleAnswer, ...slowAnswers] = await closed;
    end();
    expect(performance.now() - beganAt).toBeLessThan(MIN_DEFAULT_TIMEOUT_MS);
    expect(incompleteHeadersAnswer).toMatch(/^HTTP\/1.1 408 /);
    expect(silentAnswer).toBe(''); // without a request there is no response
    expect(idleAnswer?.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
    expect(idleAnswer).toMatch(/^keep-alive: timeout=1\r$/im);
    // Empty if the server closes with unread bytes: the reset of TCP can discard the response.
    for (const received of slowAnswers) expect(received).toMatch(/^HTTP\/1.1 408 |^$/);

    const arrived = once(server, 'connection');
    const notReading = openConnection(url).pause();
    notReading.write('GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(DOCUMENTS));
    const [serverSocket] = (await arrived) as [Socket];
    if (!serverSocket.closed) await once(serverSocket, 'close');
    const received = readUntilClosed(notReading);
    notReading.resume();
    expect((await received).length).toBeLessThan(document.length * DOCUMENTS);
    for (const { inFlight, queued } of loadShedder.state) expect([inFlight, queued]).toEqual([0, 0]);
    const otherConnections = [incompleteHeaders, silent, idle, notReading];
    recordGuarantee('G-11', `${slowAnswers.length + otherConnections.length} slow connections`);
  });

  it('hold no slot while their bodies arrive', async () => {
    const { url, server } = await startSmallInstance({ REQUEST_SECONDS: UNREACHABLE_TIMEOUT_MS / 1000 });
    let startedRequests = 0;
    server.on('request', () => (startedRequests += 1));
    const { slowSockets, end } = sendSlowly(url);
    await eventually(async () => expect(startedRequests).toBe(slowSockets.length));
    for (let i = 0; i < 20; i++)
      expect((await platform.as(user, url).get('/api/user/balance')).status).toBe(200);
    expect(slowSockets.filter(({ closed }) => closed)).toEqual([]);
    end();
    for (const socket of slowSockets) socket.destroy();
  });
});
