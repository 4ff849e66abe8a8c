import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app.setup.js';
import { SystemClock } from '../../../src/common/clock.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { queriesDuring } from '../../harness/queries.js';

const JOB = 'session-activity';

describe('The last activity of a session', () => {
  let platform: TestPlatform;
  let secondApi: NestExpressApplication;
  let secondUrl: string;

  beforeAll(async () => {
    platform = await startPlatform();
    secondApi = await startApi();
    secondUrl = await secondApi.getUrl();
    await eventually(async () => expect(secondApi.get(PgNotifications).isCurrent).toBe(true));
  });
  afterAll(async () => {
    await secondApi?.close();
    await platform?.stop();
  });

  async function startApi(): Promise<NestExpressApplication> {
    const app = await createApp(loadConfig(platform.env), new SystemClock());
    await app.listen(0, '127.0.0.1');
    return app;
  }

  const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
  const requestStatus = async (user: { token: string }, url: string) =>
    (await platform.as(user, url).get('/api/auth/check')).status;
  const lastSeenOf = async (user: { token: string }, url: string): Promise<string> =>
    (await platform.as(user, url).get('/api/user/sessions')).data[0].lastSeenAt;
  const setBackOneHour = (userId: string) =>
    sql(`update sign_in set last_seen_at = now() - interval '1 hour' where user_id = $1`, userId);
  const storedLastSeen = async (userId: string): Promise<Date> =>
    (await sql('select last_seen_at as "at" from sign_in where user_id = $1', userId))[0].at;
  const isRecent = (at: Date | string) => Date.now() - new Date(at).getTime() < HOUR_MS / 2;
  /** Stores the activity of the sign-in itself and sets it back, so that only later requests count. */
  async function idleUser() {
    const user = await platform.given.user();
    await platform.runJob(JOB);
    await setBackOneHour(user.id);
    return user;
  }

  it('is written by no request, shown at once by the process that served the request, and stored by a job', async () => {
    const user = await idleUser();
    const statements = await queriesDuring(async () => {
      for (let request = 0; request < 5; request++) expect(await requestStatus(user, secondUrl)).toBe(200);
    });
    expect(statements.filter((text) => /update|insert/i.test(text))).toEqual([]);
    expect(isRecent(await storedLastSeen(user.id))).toBe(false);
    const lastSeenAt = await lastSeenOf(user, secondUrl);
    expect(isRecent(lastSeenAt)).toBe(true);
    await secondApi.get(Jobs).get(JOB).runOnce();
    expect((await storedLastSeen(user.id)).getTime()).toBeGreaterThanOrEqual(Date.parse(lastSeenAt));
  });

  it('never moves back', async () => {
    const user = await idleUser();
    await requestStatus(user, secondUrl);
    await sql(`update sign_in set last_seen_at = now() + interval '1 minute' where user_id = $1`, user.id);
    const before = await storedLastSeen(user.id);
    await secondApi.get(Jobs).get(JOB).runOnce();
    expect(await storedLastSeen(user.id)).toEqual(before);
  });

  it('is stored when the process shuts down', async () => {
    const user = await idleUser();
    const ending = await startApi();
    expect(await requestStatus(user, await ending.getUrl())).toBe(200);
    expect(isRecent(await storedLastSeen(user.id))).toBe(false);
    await ending.close();
    expect(isRecent(await storedLastSeen(user.id))).toBe(true);
  });

  it('is kept until it can be stored', async () => {
    const user = await idleUser();
    await requestStatus(user, secondUrl);
    await sql(`alter table sign_in add constraint unstorable check (last_seen_at < '2000-01-01') not valid`);
    try {
      await expect(secondApi.get(Jobs).get(JOB).runOnce()).rejects.toThrow('unstorable');
    } finally {
      await sql('alter table sign_in drop constraint unstorable');
    }
    await secondApi.get(Jobs).get(JOB).runOnce();
    expect(isRecent(await storedLastSeen(user.id))).toBe(true);
  });
});
