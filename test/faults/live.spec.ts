import { WebSocket } from 'ws';
import { liveSteps, type LiveSteps } from '../fixtures/live.js';
import type { TestUser } from '../fixtures/given.js';
import { DESTINATION, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import { ApiProcess } from '../harness/api-process.js';
import { eventually } from '../harness/eventually.js';
import { MetricsPage } from '../harness/metrics.js';
import { PRODUCTION_TIMEOUTS, startPlatform, type TestPlatform } from '../harness/platform.js';

const CLOSED_WITHIN_MS = 1000;
const SOCKETS = 2000;
const MAX_GROWTH_BYTES = 40 * 1024 * 1024;

describe('Live delivery by two processes', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let user: TestUser;
  let processes: [ApiProcess, ApiProcess];

  beforeAll(async () => {
    // A frozen process can leave a transaction open, which PostgreSQL ends after DATABASE_STATEMENT_MS.
    platform = await startPlatform({ settings: PRODUCTION_TIMEOUTS });
    steps = liveSteps(platform);
    user = await platform.given.user();
    const env = {
      ...platform.env,
      LIVE_CONNECTIONS_PER_USER: '1000',
      LIVE_CONNECTIONS_PER_ADDRESS: '10000',
      DATABASE_STATEMENT_MS: '3000',
    };
    processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
    for (const process of processes) await process.waitUntilReady();
  });
  afterAll(async () => {
    for (const process of processes) await process.kill();
    await platform.stop();
  });

  const residentBytes = async () =>
    (await MetricsPage.fetch(processes[0].url)).value('process_resident_memory_bytes') as number;

  /** Opens at least `count` connections, the same number for each user. */
  async function openSockets(count: number, users: readonly TestUser[]): Promise<WebSocket[]> {
    const sockets: WebSocket[] = [];
    while (sockets.length < count) {
      const batch = users.map(
        ({ token }) =>
          new WebSocket(`${processes[0].url.replace('http', 'ws')}/api/live`, {
            headers: { authorization: `Bearer ${token}` },
          }),
      );
      await Promise.all(
        batch.map(
          (socket) =>
            new Promise((resolve, reject) => {
              socket.once('message', resolve); // the frame `hello`
              socket.once('error', reject);
            }),
        ),
      );
      sockets.push(...batch);
    }
    return sockets;
  }

  it('sends an event of one process to a connection of the other, and closes the connection within a second of the sign-out', async () => {
    const [first, second] = processes;
    for (const [from, to] of [
      [first, second],
      [second, first],
    ] as const) {
      const caller = await platform.given.user().withBalance('50.00');
      const client = await steps.connect({ token: caller.token }, to.url);
      const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
      expect((await platform.as(caller, from.url).post(USER_WITHDRAWALS, body)).status).toBe(201);
      await client.received(3);
      expect(client.types).toEqual(['withdrawal.requested', 'balance.changed', 'notification.created']);
      await platform.as(caller, from.url).post('/api/auth/logout');
      await eventually(async () => expect(client.closed?.code).toBe(4401), CLOSED_WITHIN_MS);
    }
  });

  it('loses no event when its database connections end, even while the other process is frozen', async () => {
    const [frozen, other] = processes;
    const client = await steps.connect({ token: user.token }, other.url);
    for (let round = 0; round < 6; round++) {
      if (round === 3) frozen.freeze();
      const terminated = await platform.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'stablecoin-platform events' and datname = current_database()`,
      );
      expect(terminated).not.toEqual([]);
      await steps.flush(user, client);
    }
    frozen.thaw();
    const replayed = await steps.connect(
      { token: user.token, after: client.events[0]?.id as string },
      frozen.url,
    );
    await replayed.received(5); // of the six notifications, those after the first
    expect(replayed.texts.slice(1)).toEqual(client.texts.slice(2)); // without the frame `hello` and the first notification
    await steps.endAll();
  });

  it(`needs less than ${MAX_GROWTH_BYTES / 1024 / 1024} MB for ${SOCKETS} idle connections`, async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => platform.given.user()));
    const first = await openSockets(200, users); // the memory of the first connections is not measured
    const before = await residentBytes();
    const sockets = await openSockets(SOCKETS, users);
    const growth = (await residentBytes()) - before;
    for (const socket of [...first, ...sockets]) socket.terminate();
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('ends connections with 1012 at SIGTERM, and the process exits', async () => {
    const client = await steps.connect({ token: user.token }, processes[1].url);
    const exitCode = processes[1].terminate();
    expect(await client.closedWith()).toBe(1012);
    expect(await exitCode).toBe(0);
    await steps.endAll();
  });
});
