import { FrozenClock } from '../../src/common/clock.js';
import { DAY_MS } from '../../src/common/durations.js';
import { startNavFixture, type NavFixture } from '../fixtures/nav-fixture.js';
import { eventually } from '../harness/eventually.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { toInvestmentResponse } from '../../src/modules/investing/investments/investments.mapper.js';

// Each process gives the database the offset of its clock, so the database's clock shows the time of the `FrozenClock` of the
// process that asks. An investment earns from the day after it was made, and the growth of a day shows at the next midnight.

const TODAY = '2026-03-02';
const TOMORROW = '2026-03-03';

describe('NAV publishing at midnight', () => {
  let fixture: NavFixture;
  afterEach(() => fixture.stop());

  it('waits for an investment that holds the lock of the day at midnight, and includes it', async () => {
    fixture = await startNavFixture(`${TODAY}T23:59:59.990Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    const allowInserts = await holdLock('lock table investment in share row exclusive mode');
    const investing = fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await waitUntilBlocked(1); // the investment has locked the day and cannot be inserted

    fixture.clock.moveTo(`${TOMORROW}T00:00:00.005Z`);
    const publishing = fixture.newInstance().navs.publishMissingNavs();
    await waitUntilBlocked(2); // publishing waits for the lock of the day
    await allowInserts();
    const [investment] = await Promise.all([investing, publishing]);

    expect(investment.createdAt.toISOString()).toBe(`${TODAY}T23:59:59.990Z`);
    fixture.clock.moveTo('2026-03-04T00:00:00Z');
    const { currentValue } = await fixture.newInstance().detail(user, investment.id);
    expect(currentValue).toBe('500.130579'); // 500 × 1.10 ^ (1/365): one day at 10 % APY
    expect(await accruingUnits()).toEqual(await activeUnits());
  });

  it('assigns the new day to an investment that waits for the lock of the day at midnight', async () => {
    fixture = await startNavFixture(`${TODAY}T23:59:59.990Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    const unlockDay = await holdLock(
      `select pg_advisory_xact_lock(hashtextextended('strategy balanced-10', 0))`, // the lock of the day in NavsRepository
    );
    const investing = fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await waitUntilBlocked(1);
    fixture.clock.moveTo(`${TOMORROW}T00:00:00.005Z`);
    await unlockDay();
    const investment = await investing;
    expect(toInvestmentResponse(investment)).toMatchObject({
      createdAt: `${TOMORROW}T00:00:00.005Z`,
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
  });

  it('makes a process whose clock is behind use the day that another process has started', async () => {
    fixture = await startNavFixture(`${TODAY}T23:59:59.900Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    await fixture
      .newInstance(new FrozenClock(new Date(`${TOMORROW}T00:00:00.100Z`)))
      .navs.publishMissingNavs();
    const investment = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    expect(toInvestmentResponse(investment)).toMatchObject({
      createdAt: `${TOMORROW}T00:00:00.000Z`,
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
    fixture.clock.moveTo('2026-03-05T00:00:00Z');
    await fixture.navs.publishMissingNavs();
    expect(await accruingUnits()).toEqual(await activeUnits());
  });

  describe('if the clock of a process is ahead of the database', () => {
    /** A clock that is wrong: the offset that it gives the database leads to `right`. */
    class ClockAhead extends FrozenClock {
      constructor(
        right: string,
        private readonly errorMs: number,
      ) {
        super(new Date(Date.parse(right) + errorMs));
      }
      override get offsetMs(): number {
        return super.offsetMs - this.errorMs;
      }
    }

    it('publishes no day that the database has not begun, and dates an investment to the end of the day before', async () => {
      fixture = await startNavFixture(`${TODAY}T23:59:50.000Z`);
      const user = await fixture.user('500');
      const ahead = fixture.newInstance(new ClockAhead(`${TODAY}T23:59:50.000Z`, 30_000));
      expect((await ahead.navs.getCurrentNavs()).get('balanced-10')?.day).toBe(TODAY);
      const investment = await ahead.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
      expect(toInvestmentResponse(investment)).toMatchObject({
        createdAt: `${TODAY}T23:59:59.999Z`,
        nextYieldDate: '2026-03-04T00:00:00.000Z',
      });
      expect(await newestNavDay()).toBe(TOMORROW); // the value of the next day is published when a day begins
    });

    it('shows admins the same value and closing fees as a process whose clock is right', async () => {
      fixture = await startNavFixture(`${TODAY}T12:00:00.000Z`);
      const user = await fixture.user('36500');
      const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '36500' });
      fixture.clock.moveTo('2026-03-12T23:59:50.000Z');
      const expected = { daysHeld: 10, ifClosedNow: { fees: { managementFee: '5.00' } } }; // 36500 × 0.50 % × 10 / 365
      expect(await fixture.adminDetail(id)).toMatchObject(expected);
      const ahead = fixture.newInstance(new ClockAhead('2026-03-12T23:59:50.000Z', 30_000));
      expect(await ahead.adminDetail(id)).toEqual(await fixture.adminDetail(id));
    });

    it.each([
      ['a day', DAY_MS],
      ['a year', 365 * DAY_MS],
    ])('pays no growth of future days if the clock is %s ahead', async (_, errorMs) => {
      fixture = await startNavFixture(`${TODAY}T12:00:00.000Z`);
      const user = await fixture.user('20000');
      const investments = [];
      for (let count = 0; count < 2; count++)
        investments.push(
          await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '10000' }),
        );
      const ahead = fixture.newInstance(new ClockAhead(`${TODAY}T12:00:00.000Z`, errorMs));
      await ahead.navs.publishMissingNavs();
      for (const [index, instance] of [ahead, fixture].entries()) {
        const { closing } = await instance.investments.close(user, investments[index]?.id as string);
        expect(closing.price.toWire()).toBe('10000.00');
      }
      expect(await newestNavDay()).toBe(TOMORROW);
    });
  });

  it('stores no NAV of the day after tomorrow, because a constraint of the database refuses it', async () => {
    fixture = await startNavFixture(`${TODAY}T12:00:00.000Z`);
    // This connection gives the database no offset, so the days count from the real one.
    const insertNav = (days: number) =>
      fixture.dataSource.query(
        `insert into strategy_nav (strategy_id, day, nav, apy, source)
         values ('other', (clock_timestamp() at time zone 'UTC')::date + $1::int, 1, 0, 'first')`,
        [days],
      );
    await insertNav(1);
    await expect(insertNav(2)).rejects.toMatchObject({ constraint: 'strategy_nav_day_begun' });
  });

  it('applies no lock-up if INVESTMENT_LOCK_DAYS is 0 and the clock of a process is behind', async () => {
    fixture = await startNavFixture(`${TODAY}T12:00:00.000Z`, { INVESTMENT_LOCK_DAYS: 0 });
    const user = await fixture.user('500');
    const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    const behind = fixture.newInstance(new FrozenClock(new Date(`${TODAY}T11:59:55.000Z`)));
    expect(await behind.investments.close(user, id)).toMatchObject({ investment: { status: 'closed' } });
  });

  /** Units of the latest accrual. */
  const accruingUnits = () =>
    readValue('select units as value from strategy_accrual where strategy_id = $1 order by day desc limit 1');
  const activeUnits = () =>
    readValue(
      `select sum(units) as value from investment where strategy_id = $1 and status = 'active' having count(*) > 0`,
    );
  const newestNavDay = () => readValue('select max(day) as value from strategy_nav where strategy_id = $1');

  /** Reads one value of the strategy. Fails without a row. */
  async function readValue(sql: string): Promise<string> {
    const rows = await fixture.dataSource.query<{ value: string }[]>(sql, ['balanced-10']);
    expect(rows).toHaveLength(1);
    return (rows[0] as { value: string }).value;
  }

  /** Acquires a lock and returns the function that releases it. */
  async function holdLock(sql: string): Promise<() => Promise<void>> {
    const runner = fixture.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(sql);
    return async () => {
      await runner.commitTransaction();
      await runner.release();
    };
  }

  /** Waits until `count` statements wait for a lock. */
  const waitUntilBlocked = (count: number) =>
    eventually(async () => expect(await fixture.dataSource.query(LOCK_WAITS)).toHaveLength(count));
});
