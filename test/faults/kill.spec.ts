import { ApiProcess } from '../harness/api-process.js';
import type { TestUser } from '../fixtures/given.js';
import { eventually } from '../harness/eventually.js';
import { writeDuringKills } from '../harness/writes-during-kills.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const KILLS = 3;
const USERS = 4;
const START = '10000.00';

describe('An API process that is killed with SIGKILL during writes', () => {
  let platform: TestPlatform;
  let api: ApiProcess;
  let users: TestUser[];

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString() });
    api = await ApiProcess.launch(platform.env);
    await api.waitUntilReady();
    users = await Promise.all(Array.from({ length: USERS }, () => platform.given.user().withBalance(START)));
  });
  afterAll(async () => {
    await api.kill();
    await platform.stop();
  });

  const invest = (user: TestUser, key: string) =>
    platform
      .as(user, api.url)
      .post('/api/user/investments', { strategyId: 'balanced-10', amount: '10.00', idempotencyKey: key });

  it('loses no acknowledged write and leaves no partial write [SEC-057]', async () => {
    const attempts = await writeDuringKills(api, users, KILLS, invest);

    const answered = attempts.filter((attempt) => attempt.id !== undefined);

    // Requests without a response are repeated with the same key. The service has carried them out before (409) or does so
    // now (201).
    for (const attempt of attempts.filter(({ id }) => id === undefined)) {
      const retry = await invest(attempt.user, attempt.key);
      expect([201, 409]).toContain(retry.status);
    }

    const [counts] = await platform.dataSource.query(
      `select count(*)::int as investments,
              count(*) filter (where id = any($1))::int as answered,
              (select count(*)::int from ledger_transaction where type = 'investment') as postings,
              (select count(*)::int from user_transaction where type = 'investment') as records,
              (select count(*)::int from domain_event where type = 'investment.created') as events,
              (select sum(amount) = 0 from ledger_entry) as balanced
         from investment`,
      [answered.map((attempt) => attempt.id)],
    );
    expect(counts).toEqual({
      investments: attempts.length, // one per key
      answered: answered.length,
      postings: attempts.length,
      records: attempts.length,
      events: attempts.length,
      balanced: true,
    });
    // A notification of one event has no `repeats`; one of several events has their number.
    await eventually(async () =>
      expect(
        await platform.dataSource.query(
          `select sum(coalesce(repeats, 1))::int as told from notification where type = 'investment'`,
        ),
      ).toEqual([{ told: attempts.length }]),
    );
    for (const user of users) {
      const investments = attempts.filter((attempt) => attempt.user === user).length;
      const balance = await platform.as(user).get('/api/user/balance');
      expect(balance.data).toMatchObject({
        available: `${10000 - 10 * investments}.00`, // 10000.00 − 10.00 for each investment
        invested: `${10 * investments}.00`,
      });
    }
  });
});
