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

// Callers who are slow, and callers who hang up, at a small service in this process, where one can look inside.

const POOL = 4;
const AT_ONCE = 8;
const NEVER_MS = 2_000_000_000; // longer than a test may take

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user().withBalance('1000.00');
});
afterAll(() => platform.stop());

/** A small service with these settings, which lets nobody wait in vain. */
async function smallService(
  settings: Partial<AppConfig> = {},
): Promise<{ url: string; server: Server; admission: LoadShedder }> {
  const size = { DATABASE_POOL_SIZE: POOL, REQUESTS_AT_ONCE: AT_ONCE, REQUEST_WAIT_MS: NEVER_MS };
  const app = await startReplicaWithoutPort(platform, {
    ...size,
    DATABASE_POOL_WAIT_MS: NEVER_MS,
    ...settings,
  });
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), server: app.getHttpServer() as Server, admission: app.get(LoadShedder) };
}

function connecting(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
}

/** A connection that has sent a request, by hand. */
function sending(url: string, request: string, headers = '', body = ''): Socket {
  const socket = connecting(url);
  socket.write(
    `${request} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${user.token}\r\n${headers}\r\n${body}`,
  );
  return socket;
}

/** A wish to withdraw, of whose body so many bytes are left out at the end. */
function withdrawing(url: string, leftOut = 0): Socket {
  const body = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length + leftOut}\r\n`;
  return sending(url, 'POST /api/user/withdrawals', headers, body);
}

it('the work of callers who hang up counts until it is over', async () => {
  const { url, admission } = await smallService();
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  const ofEverybody = () => admission.state.find(({ kind }) => kind === 'everybody');
  const gone = Array.from({ length: AT_ONCE * 2 }, () => withdrawing(url));
  await eventually(async () => {
    const waiting = await platform.dataSource.query<unknown[]>(LOCK_WAITS);
    expect(waiting.length).toBeGreaterThanOrEqual(POOL);
  });
  for (const socket of gone) socket.destroy();
  await eventually(async () => {
    const { inWork, waiting } = ofEverybody() ?? {};
    expect(waiting).toBe(0); // nobody waits for them
    expect(inWork).toBeGreaterThan(0);
  });
  await runner.rollbackTransaction();
  await runner.release();
  await eventually(async () => expect(ofEverybody()).toMatchObject({ inWork: 0, waiting: 0 }));
});

describe('callers who are slow', () => {
  const DOCUMENTS = 30; // far more than the buffers between us hold
  const LEFT_OUT = 50_000; // bytes of a body: at ten a second it never ends

  /** Bodies that arrive drop by drop. */
  function dripping(url: string): { drips: Socket[]; end: () => void } {
    const drips = Array.from({ length: AT_ONCE * 3 }, () => withdrawing(url, LEFT_OUT));
    const tap = setInterval(() => drips.forEach((socket) => socket.writable && socket.write(' ')), 100);
    return { drips, end: () => clearInterval(tap) };
  }

  /** What the server said until it closed. */
  const untilClosed = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let said = '';
      socket.on('data', (piece: Buffer) => (said += piece.toString('latin1')));
      socket.once('close', () => resolve(said));
    });

  it('lose their connection after a while', async () => {
    const { url, server, admission } = await smallService({ REQUEST_SECONDS: 2, KEEP_ALIVE_SECONDS: 1 });
    const { text: document } = await sendRequest(`${url}/api/openapi.json`);
    const headless = connecting(url);
    headless.write('GET /api/ping HTTP/1.1\r\nHost: he');
    const silent = connecting(url);
    const idle = sending(url, 'GET /api/user/balance');
    const { drips, end } = dripping(url);
    const closed = Promise.all([headless, silent, idle, ...drips].map(untilClosed));
    const [head, nothing, kept200, ...dripped] = await closed;
    end();
    expect([head, nothing]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 408 /),
      expect.stringMatching(/^HTTP\/1.1 408 /),
    ]);
    expect(kept200).toMatch(/^HTTP\/1.1 200 /);
    for (const said of dripped) expect(said).toMatch(/^HTTP\/1.1 408 |^$/); // a reset can go before it

    const arrived = once(server, 'connection');
    const deaf = connecting(url).pause();
    deaf.write('GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(DOCUMENTS));
    const [spokenTo] = (await arrived) as [Socket];
    if (!spokenTo.closed) await once(spokenTo, 'close');
    const taken = untilClosed(deaf);
    deaf.resume();
    expect((await taken).length).toBeLessThan(document.length * DOCUMENTS);
    for (const { inWork, waiting } of admission.state) expect([inWork, waiting]).toEqual([0, 0]);
    recordGuarantee('G-11', `${dripped.length + 4} slow connections`);
  });

  it('take nobody’s place meanwhile', async () => {
    const { url, server } = await smallService({ REQUEST_SECONDS: NEVER_MS / 1000 });
    let begun = 0;
    server.on('request', () => (begun += 1));
    const { drips, end } = dripping(url);
    await eventually(async () => expect(begun).toBe(drips.length));
    for (let turn = 0; turn < 20; turn++)
      expect((await platform.as(user, url).get('/api/user/balance')).status).toBe(200);
    expect(drips.filter(({ closed }) => closed)).toEqual([]);
    end();
    for (const socket of drips) socket.destroy();
  });
});
