import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppConfig } from '../../../src/config/app-config.js';
import { ConnectionLimits } from '../../../src/http/resilience/connection-limits.js';
import { ProbeServer } from '../../../src/http/resilience/probe-server.js';
import { GracefulShutdown } from '../../../src/http/resilience/graceful-shutdown.js';
import type { TestUser } from '../../fixtures/given.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';

const PLACES = 10;
const PROBE = 'GET /api/health/live HTTP/1.1\r\nHost: here\r\n';

let platform: TestPlatform;
let steps: LiveSteps;
const sockets: Socket[] = [];

beforeAll(async () => {
  platform = await startPlatform();
  steps = liveSteps(platform);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await steps.endAll();
});
afterAll(() => platform?.stop());

async function startInstance(settings: Partial<AppConfig>): Promise<{
  app: NestExpressApplication;
  url: string;
  open: (localAddress?: string) => Promise<Socket>;
  countConnections: () => number;
}> {
  const app = await startReplicaWithoutPort(platform, settings);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
    sockets.push(socket.on('error', () => undefined).resume()); // a socket that is not read does not notice its end
    await once(socket, 'connect');
    return socket;
  };
  return { app, url, open, countConnections: () => app.get(ConnectionLimits).count };
}

/** Opens `count` connections one after the other, each when the service has accepted the one before. */
async function openInTurn(
  { open, countConnections }: Awaited<ReturnType<typeof startInstance>>,
  count: number,
): Promise<Socket[]> {
  const opened: Socket[] = [];
  while (opened.length < count) {
    const before = countConnections();
    opened.push(await open());
    await eventually(async () => expect(countConnections()).toBe(before + 1));
  }
  return opened;
}

/** Sends a request on a new connection, which closes after the response, and resolves with everything that was received. */
async function ask(socket: Socket, request = PROBE): Promise<string> {
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.write(`${request}Connection: close\r\n\r\n`);
  if (!socket.closed) await once(socket, 'close');
  return received;
}

/** The text of a request for a withdrawal, whose body ends `missingBytes` before its Content-Length. */
const withdrawalRequest = (user: TestUser, missingBytes: number): string => {
  const body = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
  return [
    'POST /api/user/withdrawals HTTP/1.1',
    'Host: here',
    `Authorization: Bearer ${user.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length + missingBytes}`,
    '',
    body,
  ].join('\r\n');
};

describe('The connections of the API', () => {
  it('make room when all places are taken: the one that has been idle for longest is closed, and a new caller is served [SEC-450]', async () => {
    const instance = await startInstance({ CONNECTIONS_AT_ONCE: PLACES });
    const [first, ...others] = (await openInTurn(instance, PLACES)) as [Socket, ...Socket[]];
    first.write(`${PROBE}\r\n`); // with a response, the first one has been idle for a shorter time than the second one
    await once(first, 'data');
    const [second, ...younger] = others as [Socket, ...Socket[]];
    expect(await ask(await instance.open())).toMatch(/^HTTP\/1.1 200 /);
    if (!second.closed) await once(second, 'close');
    expect([first, ...younger].filter(({ closed }) => closed)).toEqual([]);
    const metrics = await MetricsPage.fetch(instance.url);
    expect(metrics.value('connections_closed_total', { reason: 'idle' })).toBeGreaterThanOrEqual(1);
  });

  it('make room by closing the one that waits longest for the body of its request, and never one whose request is served [SEC-451]', async () => {
    const instance = await startInstance({ CONNECTIONS_AT_ONCE: PLACES });
    const user = await platform.given.user().withBalance('100.00');
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
    const [served, ...slow] = (await openInTurn(instance, PLACES)) as [Socket, ...Socket[]];
    let answer = '';
    served.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    served.write(withdrawalRequest(user, 0));
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
    for (const socket of slow) socket.write(withdrawalRequest(user, 1000));
    for (let call = 0; call < 2 * PLACES; call++)
      expect(await ask(await instance.open())).toMatch(/^HTTP\/1.1 200 /);
    expect(served.closed).toBe(false);
    await runner.rollbackTransaction();
    await runner.release();
    await eventually(async () => expect(answer).toMatch(/^HTTP\/1.1 201 /));
  });

  it('of one network address are limited by CONNECTIONS_PER_ADDRESS, which leaves other addresses and proxies of TRUST_PROXY alone [SEC-452]', async () => {
    const limits = { CONNECTIONS_AT_ONCE: 100, CONNECTIONS_PER_ADDRESS: PLACES };
    const instance = await startInstance(limits);
    const [oldest] = (await openInTurn(instance, PLACES)) as [Socket];
    expect(await ask(await instance.open())).toBe('');
    expect(await ask(await instance.open('127.0.0.2'))).toMatch(/^HTTP\/1.1 200 /);
    oldest.destroy();
    await eventually(async () => expect(instance.countConnections()).toBe(PLACES - 1));
    expect(await ask(await instance.open())).toMatch(/^HTTP\/1.1 200 /);

    const proxied = await startInstance({ ...limits, TRUST_PROXY: ['127.0.0.1'] });
    await openInTurn(proxied, PLACES);
    expect(await ask(await proxied.open())).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('Live connections', () => {
  it('of one network address are limited by LIVE_CONNECTIONS_PER_ADDRESS, however many accounts open them [SEC-453]', async () => {
    const replica = await startReplica(platform, {
      LIVE_CONNECTIONS_PER_ADDRESS: 2,
      TRUST_PROXY: ['127.0.0.1'],
    });
    const connectFrom = async (address: string) =>
      steps.connect(
        { token: (await platform.given.user()).token, headers: { 'x-forwarded-for': address } },
        replica,
      );
    const first = await connectFrom('203.0.113.7');
    await connectFrom('203.0.113.7');
    const ticket = await steps.ticketOf(await platform.given.user());
    const refusal = await refusedUpgrade(`${replica}/api/live?ticket=${ticket}`, {
      'x-forwarded-for': '203.0.113.7',
    });
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    await connectFrom('203.0.113.8');
    await first.end();
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await eventually(async () => {
      await steps.connect({ ticket, headers }, replica); // the refusal has not used up the ticket
    });
  });

  it('take no place of the connections of the API', async () => {
    const instance = await startInstance({ CONNECTIONS_AT_ONCE: PLACES });
    const { token } = await platform.given.user();
    const client = await steps.connect({ token }, instance.url);
    await eventually(async () => expect(instance.countConnections()).toBe(0));
    await openInTurn(instance, PLACES);
    expect(await ask(await instance.open())).toMatch(/^HTTP\/1.1 200 /); // one of the others has been closed
    expect(client.closed).toBeUndefined();
  });
});

describe('PROBE_PORT', () => {
  it('serves the probes and the metrics alone, also while callers keep all connections of the API busy [SEC-454]', async () => {
    const instance = await startInstance({ CONNECTIONS_AT_ONCE: PLACES });
    const port = await instance.app.get(ProbeServer).listen(0);
    const probes = `http://127.0.0.1:${port}`;
    const user = await platform.given.user().withBalance('100.00');
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
    const busy = await openInTurn(instance, PLACES);
    for (const socket of busy) socket.write(withdrawalRequest(user, 0));
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(PLACES));
    expect(await ask(await instance.open())).toBe('');
    for (const path of ['/api/health/live', '/api/health/ready', '/metrics'])
      expect([path, (await fetch(probes + path)).status]).toEqual([path, 200]);
    for (const path of ['/api/health/detailed', '/api/ping', '/api/user/balance', '/'])
      expect([path, (await fetch(probes + path)).status]).toEqual([path, 404]);
    await runner.rollbackTransaction();
    await runner.release();
  });

  it('shows during the shutdown that the process is not ready, and closes with the service', async () => {
    const { app } = await startInstance({});
    const probes = `http://127.0.0.1:${await app.get(ProbeServer).listen(0)}`;
    await app.get(GracefulShutdown).drain(app.getHttpServer(), 5);
    expect((await fetch(`${probes}/api/health/ready`)).status).toBe(503);
    expect((await fetch(`${probes}/api/health/live`)).status).toBe(200);
    app.get(ProbeServer).onModuleDestroy();
    await expect(fetch(`${probes}/api/health/live`)).rejects.toThrow();
  });
});
