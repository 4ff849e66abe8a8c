import { addDays } from '../../../src/common/days.js';
import { Money } from '../../../src/common/money.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { eventually } from '../../harness/eventually.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring, queriesDuring } from '../../harness/queries.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';

const PATH = '/api/user/notifications';
const INVESTMENTS = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';

interface ShownNotification {
  title: string;
  message: string;
  priority: string;
  metadata: Record<string, unknown>;
  createdAt: string;
}

let platform: TestPlatform;

const invest = async (user: TestUser, amount: string, strategyId = 'balanced-10'): Promise<string> =>
  (await platform.as(user).post(INVESTMENTS, { strategyId, amount })).data.id;
const list = (user: TestUser, query = '', baseUrl?: string): Promise<Reply> =>
  platform.as(user, baseUrl).get(`${PATH}${query}`);
const notes = async (user: TestUser, type: string, baseUrl?: string): Promise<ShownNotification[]> =>
  (await list(user, `?type=${type}&orderBy=asc`, baseUrl)).data;
const earnings = async (user: TestUser, baseUrl?: string): Promise<string[]> =>
  (await notes(user, 'earning', baseUrl)).map(({ message }) => message);
const setPush = (user: TestUser, push: boolean) =>
  platform.as(user).put('/api/user/profile', { notifications: { push } });

/** The days from START to the first day of the test. Each test begins after the earlier ones: published values never change. */
let firstDay = 0;
const DAYS_PER_TEST = 4;
const dayAfter = (days: number) => addDays('2026-03-02', firstDay + days);
/** Moves the clock to a time of the day that is `days` after the first day of the test. */
const moveTo = (days: number, time = '10:00:00.000') => platform.clock.moveTo(`${dayAfter(days)}T${time}Z`);

beforeAll(async () => {
  platform = await startPlatform({ at: START });
});
afterAll(() => platform?.stop());
beforeEach(() => {
  firstDay += DAYS_PER_TEST;
  moveTo(0);
});

describe('Notifications about daily earnings', () => {
  async function annWithInvestments(...amounts: string[]): Promise<TestUser> {
    const ann = await platform.given.user().withBalance('10000.00');
    for (const amount of amounts) await invest(ann, amount);
    return ann;
  }

  it('are created at the first request of a day, with the earnings of the previous day', async () => {
    const ann = await annWithInvestments('1000.00');
    await invest(ann, '500.00', 'aggressive-20');
    moveTo(2, '15:30:00.000');
    const [note] = await notes(ann, 'earning');
    // the first full day: 1000 × (1.1^(1/365) − 1) = 0.261158 and 500 × (1.2^(1/365) − 1) = 0.249818
    expect(note).toEqual({
      id: expect.any(String),
      type: 'earning',
      title: 'Daily earnings',
      message: `Your investments earned 0.510976 USDC on ${dayAfter(1)}.`,
      priority: 'low',
      isRead: false,
      category: 'portfolio',
      actionUrl: '/investments',
      metadata: { from: dayAfter(1), to: dayAfter(1), days: 1, growth: '0.510976' },
      createdAt: `${dayAfter(2)}T15:30:00.000Z`,
      readAt: null,
    });
  });

  it('report by how much the total earnings of the investments have changed since the day before', async () => {
    const ann = await annWithInvestments('1000.00', '333.333333');
    const earned = async () => (await platform.as(ann).get(INVESTMENTS)).body.summary.totalEarnings;
    moveTo(2);
    const before = await earned();
    await list(ann);
    moveTo(3);
    const [, second] = await notes(ann, 'earning');
    const difference = Money.of(await earned()).minus(Money.of(before));
    expect(second?.metadata.growth).toBe(difference.toWire());
  });

  it('begin at the second midnight, when growth is first shown', async () => {
    const ann = await annWithInvestments('1000.00');
    expect(await earnings(ann)).toEqual([]);
    moveTo(1, '23:59:59.999');
    expect(await earnings(ann)).toEqual([]);
    moveTo(2, '00:00:00.000');
    expect(await earnings(ann)).toEqual([`Your investments earned 0.261158 USDC on ${dayAfter(1)}.`]);
  });

  it('are created once a day, also by concurrent requests', async () => {
    const ann = await annWithInvestments('1000.00');
    moveTo(2);
    const requests = Array.from({ length: 8 }, (_, index) =>
      index % 2 ? list(ann) : platform.as(ann).get(`${PATH}/unread/count`),
    );
    for (const { status } of await Promise.all(requests)) expect(status).toBe(200);
    moveTo(2, '22:00:00.000');
    expect(await earnings(ann)).toHaveLength(1);
    moveTo(3);
    expect(await earnings(ann)).toEqual([
      `Your investments earned 0.261158 USDC on ${dayAfter(1)}.`,
      `Your investments earned 0.261226 USDC on ${dayAfter(2)}.`, // 1000 × (1.1^(2/365) − 1.1^(1/365))
    ]);
  });

  it('are created once by concurrent requests to two replicas', async () => {
    const ann = await annWithInvestments('1000.00');
    moveTo(2);
    const replicaUrl = await startReplica(platform, {});
    await Promise.all([list(ann), list(ann, '', replicaUrl), list(ann), list(ann, '', replicaUrl)]);
    expect(await earnings(ann)).toHaveLength(1);
    expect(await earnings(ann, replicaUrl)).toHaveLength(1);
  });

  it('cover each day once, also if a request of the next day runs at the same time', async () => {
    const ann = await annWithInvestments('1000.00');
    const requests = await platform.dataSource.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('digests ' || $1, 0))`, [ann.id]);
      const started: Promise<Reply>[] = [];
      for (const days of [2, 3]) {
        moveTo(days);
        started.push(list(ann));
        await eventually(async () =>
          expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(started.length),
        );
      }
      return started;
    });
    await Promise.all(requests);
    const covered = (await notes(ann, 'earning')).map(({ metadata }) => [metadata.from, metadata.to]);
    expect(covered).toEqual([
      [dayAfter(1), dayAfter(1)],
      [dayAfter(2), dayAfter(2)],
    ]);
  });

  it('are included in the unread count of the request that creates them', async () => {
    const ann = await annWithInvestments('1000.00');
    await platform.as(ann).put(`${PATH}/mark-all-read`);
    moveTo(2);
    expect((await platform.as(ann).get(`${PATH}/unread/count`)).data).toEqual({
      total: 1,
      byType: { earning: 1 },
      byPriority: { critical: 0, high: 0, normal: 0, low: 1 },
    });
    const { pagination } = (await list(ann, '?type=earning')).body;
    expect(pagination).toMatchObject({ total: 1, unreadCount: 1 });
  });

  it('are not created for a user without investments', async () => {
    const [ann, bob] = [
      await annWithInvestments('1000.00'),
      await platform.given.user().withBalance('100.00'),
    ];
    moveTo(2);
    expect(await earnings(bob)).toEqual([]);
    expect(await earnings(ann)).toHaveLength(1);
  });

  it('report a loss', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '1000.00', 'conservative-5');
    const reportYield = async (reported: string, apy: string) => {
      const eventId = `${reported} of ${firstDay}`;
      const report = { eventId, strategyId: 'conservative-5', day: reported, apy };
      return (await platform.app.get(YieldReportsService).record(report)).state;
    };
    // `rate`: the reported day grows by 0.5 % a year. `fold`: the value after the reported day had already been published
    // with 5 % a year, so that the next value corrects the excess.
    expect([await reportYield(dayAfter(1), '0.5'), await reportYield(dayAfter(0), '0.5')]).toEqual([
      'rate',
      'fold',
    ]);
    moveTo(2);
    // 1000 × (1.005^(1/365) × (1.005 / 1.05)^(1/365) − 1) = −0.1063370…
    const [note] = await notes(ann, 'earning');
    expect(note?.message).toBe(`Your investments lost 0.106337 USDC on ${dayAfter(1)}.`);
    expect(note?.metadata.growth).toBe('-0.106337');
  });

  it('are not sent while push is off, and later cover the days without a notification', async () => {
    const ann = await annWithInvestments('1000.00');
    moveTo(2);
    await setPush(ann, false);
    expect(await earnings(ann)).toEqual([]);
    moveTo(3);
    expect(await earnings(ann)).toEqual([]);
    await setPush(ann, true);
    expect(await earnings(ann)).toHaveLength(1);
    // 1000 × (1.1^(2/365) − 1): no notification has covered the first day
    expect(await earnings(ann)).toEqual([
      `Your investments earned 0.522384 USDC from ${dayAfter(1)} to ${dayAfter(2)}.`,
    ]);
  });

  it('are optional, unlike notifications about money and security', async () => {
    const events = new DomainEventFixtures(platform.app);
    const ann = await annWithInvestments('1000.00');
    await setPush(ann, false);
    await platform.as(ann).put(`${PATH}/mark-all-read`);
    await platform.given.deposit(ann.id, '100.00');
    await invest(ann, '50.00');
    await events.withdraw(ann.id, '20.00');
    await events.security('security.status-changed', ann.id, { status: 'suspended' });
    expect((await platform.as(ann).get(`${PATH}/unread/count`)).data.byType).toEqual({
      deposit: 1,
      investment: 1,
      security: 1,
      withdrawal: 1,
    });
  });

  it('cost no additional statement in the second request of a day', async () => {
    const ann = await annWithInvestments('1000.00');
    moveTo(2);
    const first = await queriesDuring(() => list(ann));
    const second = await fewestQueriesDuring(() => list(ann));
    expect(first.length).toBeGreaterThan(2);
    expect(second).toHaveLength(2); // the page and the counts
  });
});

describe('Notifications about a suspended strategy', () => {
  /** A replica that suspends balanced-10. Only requests publish values: those to `platform` publish them without suspension. */
  let urlWithSuspension: string;

  beforeAll(async () => {
    const app = await startReplicaWithoutPort(platform, { SUSPENDED_STRATEGIES: ['balanced-10'] });
    for (const instance of [platform.app, app])
      await Promise.all(instance.get(Jobs).all.map((job) => job.end()));
    await app.listen(0, '127.0.0.1');
    urlWithSuspension = await app.getUrl();
  });

  it('are sent once to users with open investments in it', async () => {
    const [ann, bob, eve] = [
      await platform.given.user().withBalance('1000.00'),
      await platform.given.user().withBalance('1000.00'),
      await platform.given.user().withBalance('1000.00'),
    ];
    await invest(ann, '500.00');
    await invest(ann, '500.00');
    await invest(bob, '500.00', 'aggressive-20');
    await platform.as(eve).delete(`${INVESTMENTS}/${await invest(eve, '500.00')}`);
    expect(await notes(ann, 'system')).toEqual([]);

    await Promise.all(Array.from({ length: 4 }, () => list(ann, '', urlWithSuspension)));
    const [note, ...more] = await notes(ann, 'system', urlWithSuspension);
    expect(note).toMatchObject({
      title: 'Strategy suspended',
      priority: 'high',
      // The value of the next day was published before the suspension.
      metadata: { strategyId: 'balanced-10', flatSince: dayAfter(1) },
    });
    expect(note?.message).toContain('Balanced 10% is suspended');
    expect(more).toEqual([]);
    expect(await notes(bob, 'system', urlWithSuspension)).toEqual([]);
    expect(await notes(eve, 'system', urlWithSuspension)).toEqual([]);
    // The following days belong to the same suspension.
    for (const days of [1, 2, 3]) {
      moveTo(days);
      expect(await notes(ann, 'system', urlWithSuspension)).toHaveLength(1);
    }
  });

  it('are sent again for a later suspension', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '500.00');
    moveTo(1);
    expect(await notes(ann, 'system', urlWithSuspension)).toHaveLength(1);
    moveTo(3);
    expect(await notes(ann, 'system')).toHaveLength(1); // this request ends the suspension: it publishes two values
    expect(await notes(ann, 'system', urlWithSuspension)).toHaveLength(2);
  });

  it('are sent although push is off, and no earnings follow', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '500.00');
    await setPush(ann, false);
    expect(await notes(ann, 'system', urlWithSuspension)).toHaveLength(1);
    await setPush(ann, true);
    moveTo(3); // the replica has published all values since the first day: no growth
    expect(await earnings(ann, urlWithSuspension)).toEqual([]);
  });
});
