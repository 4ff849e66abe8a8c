import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { insertBulkDeposits } from '../fixtures/bulk-deposits.js';
import { MetricsPage } from '../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplicaWithoutPort } from '../harness/replica.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

// Raw sockets that send slow, incomplete or pipelined HTTP requests, and the resources that they occupy.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { REQUEST_SECONDS: '300', LOG_LEVEL: 'silent' },
    at: '2026-03-03T10:00:00.000Z',
  });
  user = await platform.given.user().withBalance('100.00');
});
afterAll(() => platform?.stop());

/** A connection on which `text` was sent, and whose client does not close its side when the server closes its own. */
function openHalfClosable(text: string, baseUrl = platform.baseUrl): Socket {
  const socket = connect({
    port: Number(new URL(baseUrl).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  socket.on('error', () => undefined).write(text);
  return socket;
}

const rawRequest = (request: string, headers = '') =>
  `${request} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${user.token}\r\n${headers}\r\n`;

const server = () => platform.app.getHttpServer() as Server;

/** The number of requests that the service works on. */
async function requestsInWork(): Promise<number | undefined> {
  const page = await MetricsPage.fetch(platform.baseUrl);
  return page.value('http_requests_taken_in', { kind: 'everybody', state: 'work' });
}

it('a request whose pipelined response waits for an earlier one releases its resources when the connection closes', async () => {
  await insertBulkDeposits(platform.env.DATABASE_URL as string, user.id, {
    count: 40_000,
    from: '2026-03-02T00:00:00.000Z',
  });
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  const withdrawal = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
  const headers = `Idempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${withdrawal.length}\r\n`;
  const socket = openHalfClosable(
    rawRequest('POST /api/user/withdrawals', headers) +
      withdrawal +
      rawRequest('GET /api/user/statement?format=csv'),
  );
  await eventually(async () => {
    expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1);
    expect(await requestsInWork()).toBe(2); // the withdrawal and the statement
  });
  socket.destroy();
  await runner.rollbackTransaction();
  await runner.release();
  await eventually(async () => expect(await requestsInWork()).toBe(0));
  // The service would refuse this statement if the earlier one still counted as being read.
  expect((await platform.as(user).get('/api/user/statement?from=2026-03-03')).status).toBe(200);
});

it('the server closes a connection after a time-out even if the client keeps its side open', async () => {
  const strict = await startReplicaWithoutPort(platform, { REQUEST_SECONDS: 2, KEEP_ALIVE_SECONDS: 2 });
  await strict.listen(0, '127.0.0.1');
  const url = await strict.getUrl();
  const strictServer = strict.getHttpServer() as Server;
  const openConnections = () => promisify<number>((done) => strictServer.getConnections(done))();
  let accepted = 0;
  strictServer.on('connection', () => (accepted += 1));
  const sockets = Array.from({ length: 20 }, () =>
    openHalfClosable('GET /api/ping HTTP/1.1\r\nHost: he', url),
  );
  await eventually(async () => expect(accepted).toBe(sockets.length));
  await eventually(async () => expect(await openConnections()).toBe(0));
  for (const socket of sockets) socket.destroy();
});

it('a body in chunks of one byte is stored without the overhead of separate chunks [SEC-143]', async () => {
  const CHUNKS = 50_000;
  const usedBytes = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const socket = openHalfClosable(
    rawRequest(
      'POST /api/user/withdrawals',
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n',
    ),
  );
  const [serverSocket] = (await once(server(), 'connection')) as [Socket];
  const received: string[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk.toString('latin1')));
  const before = usedBytes();
  for (let sent = 0; sent < CHUNKS; sent += 1000) {
    await new Promise((resolve) => socket.write('1\r\nx\r\n'.repeat(1000), resolve));
  }
  await eventually(async () => expect(serverSocket.bytesRead).toBeGreaterThan(6 * CHUNKS)); // six bytes per chunk
  await eventually(async () => expect(usedBytes() - before).toBeLessThan(4_000_000)); // separate chunks would take about 15 MB
  socket.write('0\r\n\r\n'); // ends the body, which is not JSON
  await eventually(async () => expect(received.join('')).toMatch(/^HTTP\/1.1 400 .*VALIDATION_ERROR/s));
  socket.destroy();
});
