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

// Slow clients and clients that disconnect, at a small service in this process whose load shedder the tests can inspect.

const POOL = 4;
const AT_ONCE = 8;
const UNREACHABLE_TIMEOUT_MS = 2_000_000_000; // longer than a test

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user().withBalance('1000.00');
});
afterAll(() => platform.stop());

/** Starts a small service with these settings, in which waiting requests do not time out. */
async function smallService(
  settings: Partial<AppConfig> = {},
): Promise<{ url: string; server: Server; admission: LoadShedder }> {
  const size = {
    DATABASE_POOL_SIZE: POOL,
    REQUESTS_AT_ONCE: AT_ONCE,
    REQUEST_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
  };
  const app = await startReplicaWithoutPort(platform, {
    ...size,
    DATABASE_POOL_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
    ...settings,
  });
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), server: app.getHttpServer() as Server, admission: app.get(LoadShedder) };
}

function connecting(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
}

/** Opens a raw socket and sends a request. */
function openRequest(url: string, request: string, headers = '', body = ''): Socket {
  const socket = connecting(url);
  socket.write(
    `${request} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${user.token}\r\n${headers}\r\n${body}`,
  );
  return socket;
}

/** Sends a withdrawal request without the last `missingBytes` bytes of its body. */
function openWithdrawal(url: string, missingBytes = 0): Socket {
  const body = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length + missingBytes}\r\n`;
  return openRequest(url, 'POST /api/user/withdrawals', headers, body);
}

it('requests of disconnected clients count as running until their work ends', async () => {
  const { url, admission } = await smallService();
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  const ofEverybody = () => admission.state.find(({ kind }) => kind === 'everybody');
  const gone = Array.from({ length: AT_ONCE * 2 }, () => openWithdrawal(url));
  await eventually(async () => {
    const waiting = await platform.dataSource.query<unknown[]>(LOCK_WAITS);
    expect(waiting.length).toBeGreaterThanOrEqual(POOL);
  });
  for (const socket of gone) socket.destroy();
  await eventually(async () => {
    const { inWork, waiting } = ofEverybody() ?? {};
    expect(waiting).toBe(0); // disconnected clients are not queued
    expect(inWork).toBeGreaterThan(0);
  });
  await runner.rollbackTransaction();
  await runner.release();
  await eventually(async () => expect(ofEverybody()).toMatchObject({ inWork: 0, waiting: 0 }));
});

describe('Slow clients', () => {
  const DOCUMENTS = 30; // more than socket buffers hold
  const MISSING_BYTES = 50_000; // sent slowly, so that the body never ends during a test

  /** Requests whose bodies arrive byte by byte. */
  function openSlowBodies(url: string): { sockets: Socket[]; end: () => void } {
    const drips = Array.from({ length: AT_ONCE * 3 }, () => openWithdrawal(url, MISSING_BYTES));
    const tap = setInterval(() => drips.forEach((socket) => socket.writable && socket.write(' ')), 100);
    return { sockets: drips, end: () => clearInterval(tap) };
  }

  /** Everything received until the server closes the connection. */
  const untilClosed = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let said = '';
      socket.on('data', (piece: Buffer) => (said += piece.toString('latin1')));
      socket.once('close', () => resolve(said));
    });

  it('are disconnected after a time-out', async () => {
    const { url, server, admission } = await smallService({ REQUEST_SECONDS: 2, KEEP_ALIVE_SECONDS: 1 });
    const { text: document } = await sendRequest(`${url}/api/openapi.json`);
    const headless = connecting(url);
    headless.write('GET /api/ping HTTP/1.1\r\nHost: he');
    const silent = connecting(url);
    const idle = openRequest(url, 'GET /api/user/balance');
    const { sockets: drips, end } = openSlowBodies(url);
    const closed = Promise.all([headless, silent, idle, ...drips].map(untilClosed));
    const [head, nothing, kept200, ...dripped] = await closed;
    end();
    expect([head, nothing]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 408 /),
      expect.stringMatching(/^HTTP\/1.1 408 /),
    ]);
    expect(kept200).toMatch(/^HTTP\/1.1 200 /);
    for (const said of dripped) expect(said).toMatch(/^HTTP\/1.1 408 |^$/); // or a connection reset

    const arrived = once(server, 'connection');
    const notReading = connecting(url).pause();
    notReading.write('GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(DOCUMENTS));
    const [spokenTo] = (await arrived) as [Socket];
    if (!spokenTo.closed) await once(spokenTo, 'close');
    const taken = untilClosed(notReading);
    notReading.resume();
    expect((await taken).length).toBeLessThan(document.length * DOCUMENTS);
    for (const { inWork, waiting } of admission.state) expect([inWork, waiting]).toEqual([0, 0]);
    recordGuarantee('G-11', `${dripped.length + 4} slow connections`);
  });

  it('do not occupy request slots', async () => {
    const { url, server } = await smallService({ REQUEST_SECONDS: UNREACHABLE_TIMEOUT_MS / 1000 });
    let begun = 0;
    server.on('request', () => (begun += 1));
    const { sockets: drips, end } = openSlowBodies(url);
    await eventually(async () => expect(begun).toBe(drips.length));
    for (let turn = 0; turn < 20; turn++)
      expect((await platform.as(user, url).get('/api/user/balance')).status).toBe(200);
    expect(drips.filter(({ closed }) => closed)).toEqual([]);
    end();
    for (const socket of drips) socket.destroy();
  });
});
