import { createApp } from '../../../src/app.setup.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { SystemClock } from '../../../src/common/clock.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { eventually } from '../../harness/eventually.js';
import { queriesDuring } from '../../harness/queries.js';
import { freezeTime } from '../../harness/skip-time.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A token', () => {
  let platform: TestPlatform;
  let otherApp: NestExpressApplication;
  let otherUrl: string;

  beforeAll(async () => {
    platform = await startPlatform();
    otherApp = await createApp(loadConfig(platform.env), new SystemClock());
    await otherApp.listen(0, '127.0.0.1');
    otherUrl = await otherApp.getUrl();
    for (const app of [platform.app, otherApp])
      await eventually(async () => expect(app.get(PgNotifications).isCurrent).toBe(true));
  });
  afterAll(async () => {
    await otherApp?.close();
    await platform?.stop();
  });

  const errorCodeAtOther = async (user: TestUser) =>
    (await platform.as(user, otherUrl).get('/api/auth/user/profile')).code;

  /** Interrupts the connections that receive notifications. */
  const interruptNotifications = async () => {
    const interrupted = await platform.dataSource.query<unknown[]>(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '%notices'`,
    );
    expect(interrupted.length).toBeGreaterThan(0);
  };

  it('is rejected by another replica within a second after logout [SEC-088]', async () => {
    const user = await platform.given.user();
    expect(await errorCodeAtOther(user)).toBeUndefined();
    await platform.as(user).post('/api/auth/logout');
    await oneSecondLater(async () => expect(await errorCodeAtOther(user)).toBe('TOKEN_INVALID'));
  });

  it('is rejected by another replica within a second after its user is suspended', async () => {
    const user = await platform.given.user();
    expect(await errorCodeAtOther(user)).toBeUndefined();
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    await oneSecondLater(async () => expect(await errorCodeAtOther(user)).toBe('FORBIDDEN'));
  });

  it('is checked in the cache while notifications of PostgreSQL arrive, and in the database after their connection was interrupted [SEC-141]', async () => {
    const user = await platform.given.user();
    const time = freezeTime(); // keeps the session cache valid when the machine pauses
    await eventually(async () => expect(otherApp.get(PgNotifications).isCurrent).toBe(true));
    const firstStatements = await queriesDuring(() => errorCodeAtOther(user));
    expect(firstStatements.some((text) => text.includes('from session'))).toBe(true);
    const laterStatements = await queriesDuring(async () => {
      for (let i = 0; i < 20; i++) await errorCodeAtOther(user);
    });
    expect(laterStatements.filter((text) => text.includes('from session'))).toEqual([]);

    await interruptNotifications();
    // When the connection is replaced, the cache is cleared, although no time passes.
    await eventually(async () => {
      const statements = await queriesDuring(() => errorCodeAtOther(user));
      expect(statements.some((text) => text.includes('from session'))).toBe(true);
    });
    time.resume();

    await interruptNotifications();
    await platform.as(user).post('/api/auth/logout');
    await oneSecondLater(async () => expect(await errorCodeAtOther(user)).toBe('TOKEN_INVALID'));
  });

  it('is deleted after its expiry, and valid tokens are kept', async () => {
    const expired = await platform.given.user();
    const valid = await platform.given.user();
    for (const table of ['session', 'refresh_token']) {
      await platform.dataSource.query(`update ${table} set expires_at = now() where subject_id = $1`, [
        expired.id,
      ]);
    }
    await platform.runJob('expired-sessions');
    const remaining = (table: string) =>
      platform.dataSource.query(
        `select distinct subject_id as id from ${table} where subject_id in ($1, $2)`,
        [expired.id, valid.id],
      );
    expect(await remaining('session')).toEqual([{ id: valid.id }]);
    expect(await remaining('refresh_token')).toEqual([{ id: valid.id }]);
  });
});
