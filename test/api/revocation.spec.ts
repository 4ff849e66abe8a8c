import { createApp } from '../../src/app.setup.js';
import { loadConfig } from '../../src/config/app-config.js';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { SystemClock } from '../../src/common/clock.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { oneSecondLater } from '../harness/current-sessions.js';
import { eventually } from '../harness/eventually.js';
import { queriesDuring } from '../harness/queries.js';
import { freezeTime } from '../harness/skip-time.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

describe('a token that is not good any more', () => {
  let platform: TestPlatform;
  let other: NestExpressApplication;
  let otherUrl: string;

  beforeAll(async () => {
    platform = await startPlatform();
    other = await createApp(loadConfig(platform.env), new SystemClock());
    await other.listen(0, '127.0.0.1');
    otherUrl = await other.getUrl();
    for (const app of [platform.app, other])
      await eventually(async () => expect(app.get(PgNotifications).isCurrent).toBe(true));
  });
  afterAll(async () => {
    await other.close();
    await platform.stop();
  });

  const codeAtOther = async (user: TestUser) =>
    (await platform.as(user, otherUrl).get('/api/auth/user/profile')).code;

  it('is refused by another replica within a second after logging out [SEC-088]', async () => {
    const user = await platform.given.user();
    expect(await codeAtOther(user)).toBeUndefined();
    await platform.as(user).post('/api/auth/logout');
    await oneSecondLater(async () => expect(await codeAtOther(user)).toBe('TOKEN_INVALID'));
  });

  it('is refused by every replica within a second after a suspension', async () => {
    const user = await platform.given.user();
    expect(await codeAtOther(user)).toBeUndefined();
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    await oneSecondLater(async () => expect(await codeAtOther(user)).toBe('FORBIDDEN'));
  });

  it('costs no query while it is good, and is asked for again when notices stop [SEC-141]', async () => {
    const user = await platform.given.user();
    const time = freezeTime(); // or a machine that pauses for a second would ask again
    await eventually(async () => expect(other.get(PgNotifications).isCurrent).toBe(true));
    const first = await queriesDuring(() => codeAtOther(user));
    expect(first.some((text) => text.includes('from session'))).toBe(true);
    const statements = await queriesDuring(async () => {
      for (let i = 0; i < 20; i++) await codeAtOther(user);
    });
    expect(statements.filter((text) => text.includes('from session'))).toEqual([]);
    time.resume();

    await platform.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '%notices'`,
    );
    await platform.as(user).post('/api/auth/logout');
    await oneSecondLater(async () => expect(await codeAtOther(user)).toBe('TOKEN_INVALID'));
  });

  it('leaves nothing behind once it has expired, and takes nothing with it that is good', async () => {
    const [gone, good] = [await platform.given.user(), await platform.given.user()];
    for (const table of ['session', 'refresh_token']) {
      await platform.dataSource.query(`update ${table} set expires_at = now() where subject_id = $1`, [
        gone.id,
      ]);
    }
    await platform.runJob('expired-sessions');
    const left = (table: string) =>
      platform.dataSource.query(
        `select distinct subject_id as id from ${table} where subject_id in ($1, $2)`,
        [gone.id, good.id],
      );
    expect(await left('session')).toEqual([{ id: good.id }]);
    expect(await left('refresh_token')).toEqual([{ id: good.id }]);
  });
});
