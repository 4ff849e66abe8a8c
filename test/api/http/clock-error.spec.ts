import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app.setup.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { DatabaseClock } from '../../../src/database/database-clock.js';
import { Leases } from '../../../src/jobs/leases.js';
import { IdempotencyRepository } from '../../../src/http/request/idempotency.repository.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { Clock, SystemClock } from '../../../src/common/clock.js';
import { DAY_MS } from '../../../src/common/durations.js';
import { CallbacksService } from '../../../src/modules/funds/callbacks/callbacks.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const INVESTMENTS = '/api/user/investments';

/** A system clock that can be set wrong. */
class AdjustableClock extends Clock {
  errorMs = 0;

  now(): Date {
    return new Date(new Date().getTime() + this.errorMs);
  }
}

describe('A process with a wrong system clock', () => {
  const clock = new AdjustableClock();
  let platform: TestPlatform;
  let app: NestExpressApplication;
  let url: string;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ at: new SystemClock().now().toISOString() });
    app = await createApp(platform.app.get(AppConfig), clock);
    await app.listen(0, '127.0.0.1');
    platform.beforeStop(() => app.close());
    url = await app.getUrl();
    user = await platform.given.user().withBalance('1000.00');
  });
  afterAll(() => platform?.stop());
  afterEach(async () => {
    clock.errorMs = 0;
    await app.get(DatabaseClock).compare();
  });

  const ready = async () => (await platform.as(null, url).get('/api/health/ready')).status;
  const invest = (investor = user, headers: Record<string, string> = {}) =>
    platform
      .as(investor, url)
      .post(INVESTMENTS, { strategyId: 'balanced-10', amount: '100.00' }, { headers });

  it.each([59_000, -59_000])('serves requests with an error of at most a minute: %d ms', async (errorMs) => {
    clock.errorMs = errorMs;
    expect(await ready()).toBe(200);
    expect((await invest()).status).toBe(201);
  });

  it.each([61_000, -61_000, DAY_MS, -DAY_MS])(
    'is not ready and writes nothing with a larger error: %d ms',
    async (errorMs) => {
      const before = await platform.ledgerState();
      clock.errorMs = errorMs;
      expect(await ready()).toBe(503);
      const reply = await invest();
      expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(await platform.ledgerState()).toEqual(before);
      const { data } = await platform.as(null, url).get('/api/health/resources');
      // The message can also report that the event loop is late.
      const message: unknown = expect.stringContaining('the clock differs from that of the database');
      expect(data).toMatchObject({ status: 'degraded', message });
    },
  );

  it('deletes no expired rows, runs no job and stores no callback', async () => {
    expect((await invest(user, { 'idempotency-key': 'clock-error' })).status).toBe(201);
    const sql = (text: string) => platform.dataSource.query(text, [user.id]);
    // Both have expired by real time, which the wrong clock does not change: a process with a correct clock would delete them.
    await sql(
      `update idempotency_result set created_at = created_at - interval '1 day' where caller = 'user:' || $1`,
    );
    await sql('update session set expires_at = now() where subject_id = $1');
    const sessions = () => sql('select id from session where subject_id = $1');
    clock.errorMs = DAY_MS;
    await app.get(Jobs).get('expired-sessions').runOnce();
    expect(await sessions()).not.toEqual([]);
    expect(await app.get(IdempotencyRepository).deleteExpiredBatch()).toBe(0);
    expect(await app.get(Leases).runExclusively('test', async () => undefined)).toBe(false);
    const event = { provider: 'test', kind: 'deposit' as const, eventKey: 'late', body: '{}' };
    await expect(app.get(CallbacksService).storeEvent(event)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('becomes ready again when its clock is correct', async () => {
    clock.errorMs = DAY_MS;
    expect(await ready()).toBe(503);
    await app.get(DatabaseClock).compare(); // measures the error, as the comparison of every minute does
    clock.errorMs = 0;
    await eventually(async () => expect(await ready()).toBe(200));
    const newUser = await platform.given.user().withBalance('100.00'); // an earlier test has expired the session of `user`
    expect((await invest(newUser)).status).toBe(201);
  });
});
