import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppConfig } from '../../../src/config/app-config.js';
import { ServedRequests, type ServedRequest } from '../../../src/http/response/served-requests.js';
import { RequestMinutesJob } from '../../../src/modules/operations/sla/sla.service.js';
import { givenKey } from '../../fixtures/api-keys.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';

const PAUSE_MS = 500;
const PUBLIC_ROUTE = '/api/deposits/status';

describe('Service levels and callers without a valid token', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  async function startInstance(settings: Partial<AppConfig> = {}): Promise<{
    app: NestExpressApplication;
    url: string;
    /** The requests and failures since the last call. */
    counts: () => Promise<{ requests: number; failures: number }>;
  }> {
    const app = await startReplicaWithoutPort(platform, settings);
    await app.listen(0, '127.0.0.1');
    const counts = async () => {
      await platform.runJob('request-minutes'); // of the other process
      await platform.dataSource.query('delete from sla_minute');
      await app.get(RequestMinutesJob).storeMinutes();
      const [row] = await platform.dataSource.query(
        'select sum(requests)::int as requests, sum(failures)::int as failures from sla_minute',
      );
      return row as { requests: number; failures: number };
    };
    await counts();
    return { app, url: await app.getUrl(), counts };
  }

  it('measure requests from the end of their bodies, complete ones and those that are too large [SEC-456]', async () => {
    const { app, url } = await startInstance();
    const served: ServedRequest[] = [];
    app.get(ServedRequests).subscribe((request) => served.push(request));
    for (const [bytes, status] of [
      [100, 401],
      [200_000, 413],
    ] as const)
      await eventually(async () => {
        served.length = 0;
        const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
        const head = `POST /api/auth/refresh HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n`;
        socket.write(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\n{\r\n`);
        await sleep(PAUSE_MS); // on a busy machine the request itself can take longer: then it is sent again
        const rest = `"refreshToken":"${'x'.repeat(bytes)}"}`;
        socket.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
        await once(socket.resume(), 'close');
        await eventually(async () => expect(served).toHaveLength(1));
        expect(served[0]).toMatchObject({ status });
        expect(served[0]?.milliseconds).toBeLessThan(PAUSE_MS);
      });
  });

  it('count the refusals of users by a rate limit, and none of callers without a valid token [SEC-457]', async () => {
    const { url, counts } = await startInstance({ RATE_LIMIT_PUBLIC: 2, RATE_LIMIT_USER: 2 });
    const user = await platform.given.user();
    const statuses = async (token: string | null, path: string) => {
      const caller = platform.as(token === null ? null : { token }, url);
      const replies = [];
      for (let call = 0; call < 5; call++) replies.push((await caller.get(path)).status);
      return replies;
    };
    expect(await statuses(null, PUBLIC_ROUTE)).toEqual([200, 200, 429, 429, 429]);
    expect(await counts()).toEqual({ requests: 2, failures: 0 });
    expect((await refusedUpgrade(`${url}/api/live?ticket=guess`)).status).toBe(429);
    expect(await counts()).toEqual({ requests: 0, failures: 0 });
    expect(await statuses(user.token, '/api/user/ping')).toEqual([200, 200, 429, 429, 429]);
    expect(await counts()).toEqual({ requests: 5, failures: 0 });
  });

  it('count the refusals of users and API keys by load shedding, and none of callers without a valid token [SEC-458]', async () => {
    const { url, counts } = await startInstance({ REQUESTS_AT_ONCE: 1, REQUEST_WAIT_MS: 2_000_000_000 });
    const user = await platform.given.user().withBalance('100.00');
    const { token: key } = await givenKey(platform, user);
    for (const token of [user.token, key])
      expect((await platform.as({ token }, url).get('/api/user/balance')).status).toBe(200);
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
    const withdrawal = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    const withdraw = () => platform.as(user, url).post('/api/user/withdrawals', withdrawal);
    const blocked = [withdraw(), withdraw()]; // one is served, one is queued
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
    await counts();
    const failuresBefore = (await MetricsPage.fetch(url)).value('http_request_failures_total') ?? 0;
    for (const authorization of [undefined, 'Bearer invented', `Bearer sk_${'x'.repeat(49)}`]) {
      const headers: Record<string, string> = authorization ? { authorization } : {};
      expect((await platform.as(null, url).get(PUBLIC_ROUTE, { headers })).status).toBe(503);
    }
    expect(await counts()).toEqual({ requests: 0, failures: 0 });
    for (const token of [user.token, key])
      expect((await platform.as({ token }, url).get('/api/user/balance')).status).toBe(503);
    expect(await counts()).toEqual({ requests: 2, failures: 2 });
    const failures = (await MetricsPage.fetch(url)).value('http_request_failures_total') ?? 0;
    expect(failures - failuresBefore).toBe(2);
    await runner.rollbackTransaction();
    await runner.release();
    await Promise.all(blocked);
  });
});
