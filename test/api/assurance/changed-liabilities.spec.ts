import { addDays, type Day } from '../../../src/common/days.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { LIABILITIES, LiabilitySteps } from '../../fixtures/liability-steps.js';
import { violated } from '../../fixtures/violations.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const FIRST_DAY: Day = '2026-03-02';
const REFUSED_BY_TRIGGER = { code: '23001' };

describe('The liabilities of a day, after a change of one table', () => {
  let platform: TestPlatform;
  let steps: LiabilitySteps;
  let admin: TestAdmin;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600' } });
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    admin = await platform.given.admin();
    ann = await platform.given.user().withBalance('300000.00');
    const bob = await platform.given.user().withBalance('200.00');
    await platform.as(bob).post('/api/user/investments', { strategyId: 'balanced-10', amount: '100.00' });
    await steps.closeDaysUpTo(FIRST_DAY);
  });
  afterAll(() => platform?.stop());

  it('include every account, whatever the time at which its user was created [SEC-424]', async () => {
    const set = (createdAt: string) =>
      queryWithoutTriggers(platform, 'update platform_user set created_at = $2 where id = $1', [
        ann.id,
        createdAt,
      ]);
    await expect(
      platform.dataSource.query(`update platform_user set created_at = '9998-01-01' where id = $1`, [ann.id]),
    ).rejects.toMatchObject(REFUSED_BY_TRIGGER);
    await set('9998-01-01');
    const day = addDays(FIRST_DAY, 1);
    await steps.closeDaysUpTo(day);
    expect((await steps.getPublishedTotals(day)).total).toBe('300200.00'); // 300000 + 200
    await set('2026-03-02T10:00:00Z');
  });

  it('are not published if they are less than the ledger owes [SEC-425]', async () => {
    const day = addDays(await steps.getLastClosedDay(), 1);
    const [{ id, amount, units }] = await platform.dataSource.query(
      'select id, amount, units from investment',
    );
    steps.moveClock(addDays(day, 1), HOUR_MS);
    await steps.publishNavs();
    // The row has to be older than the end of the day: the closing reads an investment that has changed since then from the ledger.
    await queryWithoutTriggers(
      platform,
      `update investment set units = round(units / 2, 24), amount = round(amount / 2, 6), updated_at = updated_at - interval '1 hour' where id = $1`,
      [id],
    );
    await eventually(() =>
      expect(steps.closeDueDays()).rejects.toThrow(`The liabilities of ${day} in USDC are`),
    );
    expect((await steps.readWithoutSignIn(`${LIABILITIES}/${day}`)).status).toBe(404);
    await queryWithoutTriggers(
      platform,
      `update investment set units = $3, amount = $2, updated_at = updated_at + interval '1 hour' where id = $1`,
      [id, amount, units],
    );
    await steps.closeDaysUpTo(day);
  });

  it('are named by the integrity check if the published total is less than the ledger owed [SEC-426]', async () => {
    expect(await violated(platform, admin)).toEqual([]);
    const day = await steps.getLastClosedDay();
    const change = 'update liability_tree set total = total - 300000 where day = $1';
    await expect(platform.dataSource.query(change, [day])).rejects.toMatchObject(REFUSED_BY_TRIGGER);
    await queryWithoutTriggers(platform, change, [day]);
    expect(await violated(platform, admin)).toEqual(['published-liabilities', 'sealed-history']);
    await queryWithoutTriggers(platform, 'update liability_tree set total = total + 300000 where day = $1', [
      day,
    ]);
    expect(await violated(platform, admin)).toEqual([]);
  });
});
