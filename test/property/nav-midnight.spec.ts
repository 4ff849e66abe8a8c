import { FrozenClock } from '../../src/common/clock.js';
import { DAY_MS } from '../../src/common/durations.js';
import { startNavFixture, type NavFixture } from '../fixtures/nav-fixture.js';
import { eventually } from '../harness/eventually.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { toInvestmentResponse } from '../../src/modules/investments/investments.mapper.js';

const FIRST = '2026-03-02';

describe('NAV publishing at midnight', () => {
  let fixture: NavFixture;
  afterEach(() => fixture.stop());

  it('waits for an investment that is in progress at midnight, and includes it', async () => {
    fixture = await startNavFixture(`${FIRST}T23:59:59.990Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    const release = await holdLock('lock table investment in share row exclusive mode');
    const investing = fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await waitForLockWaits(1); // the investment holds the day's lock and waits to be inserted

    fixture.clock.moveTo('2026-03-03T00:00:00.005Z');
    const published = fixture.newInstance().navs.getCurrentNavs();
    await waitForLockWaits(2); // publishing waits for the investment
    await release();
    const [investment] = await Promise.all([investing, published]);

    expect(investment.createdAt.toISOString()).toBe('2026-03-02T23:59:59.990Z');
    fixture.clock.moveTo('2026-03-04T00:00:00Z');
    expect((await fixture.newInstance().detail(user, investment.id)).currentValue).toBe('500.130579'); // 500 × 1.000261157…
    expect(await accruingUnits()).toEqual(await activeUnits());
  });

  it('assigns the new day to an investment that waited for a lock past midnight', async () => {
    fixture = await startNavFixture(`${FIRST}T23:59:59.990Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    const release = await holdLock(
      `select pg_advisory_xact_lock(hashtextextended('strategy balanced-10', 0))`,
    );
    const investing = fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await waitForLockWaits(1);
    fixture.clock.moveTo('2026-03-03T00:00:00.005Z');
    await release();
    const investment = await investing;
    expect(toInvestmentResponse(investment)).toMatchObject({
      createdAt: '2026-03-03T00:00:00.005Z',
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
  });

  it('makes a process with a late clock use the day that another process has started', async () => {
    fixture = await startNavFixture(`${FIRST}T23:59:59.900Z`);
    const user = await fixture.user('500');
    await fixture.navs.publishMissingNavs();
    await fixture
      .newInstance(new FrozenClock(new Date('2026-03-03T00:00:00.100Z')))
      .navs.publishMissingNavs();
    const investment = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    expect(toInvestmentResponse(investment)).toMatchObject({
      createdAt: '2026-03-03T00:00:00.000Z',
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
    fixture.clock.moveTo('2026-03-05T00:00:00Z');
    await fixture.navs.publishMissingNavs();
    expect(await accruingUnits()).toEqual(await activeUnits());
  });

  describe('if the clock of a process is ahead of the database', () => {
    /** A clock whose error is not a configured offset. */
    class FastClock extends FrozenClock {
      constructor(
        at: string,
        private readonly errorMs: number,
      ) {
        super(new Date(Date.parse(at) + errorMs));
      }
      override get offsetMs(): number {
        return super.offsetMs - this.errorMs;
      }
    }

    it('starts no day before the database does, and uses the last instant of the previous day', async () => {
      fixture = await startNavFixture(`${FIRST}T23:59:50.000Z`);
      const user = await fixture.user('500');
      const fast = fixture.newInstance(new FastClock(`${FIRST}T23:59:50.000Z`, 30_000));
      expect((await fast.navs.getCurrentNavs()).get('balanced-10')?.day).toBe(FIRST);
      const investment = await fast.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
      expect(toInvestmentResponse(investment)).toMatchObject({
        createdAt: '2026-03-02T23:59:59.999Z',
        nextYieldDate: '2026-03-04T00:00:00.000Z',
      });
      expect(await newestNavDay()).toBe('2026-03-03');
    });

    it('shows admins the values and the fees of closing on the same day', async () => {
      fixture = await startNavFixture(`${FIRST}T12:00:00.000Z`);
      const user = await fixture.user('36500');
      const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '36500' });
      fixture.clock.moveTo('2026-03-12T23:59:50.000Z');
      const expected = { daysHeld: 10, ifClosedNow: { fees: { managementFee: '5.00' } } }; // 36500 × 0.50 % × 10 / 365
      expect(await fixture.adminDetail(id)).toMatchObject(expected);
      const fast = fixture.newInstance(new FastClock('2026-03-12T23:59:50.000Z', 30_000));
      expect(await fast.adminDetail(id)).toEqual(await fixture.adminDetail(id));
    });

    it.each([
      ['a day', DAY_MS],
      ['a year', 365 * DAY_MS],
    ])('pays no growth of future days if the clock is %s ahead', async (_, errorMs) => {
      fixture = await startNavFixture(`${FIRST}T12:00:00.000Z`);
      const user = await fixture.user('10000');
      const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '10000' });
      const fast = fixture.newInstance(new FastClock(`${FIRST}T12:00:00.000Z`, errorMs));
      await fast.navs.publishMissingNavs();
      const closed = await fixture.investments.close(user, id);
      expect(closed.closing.price.toWire()).toBe('10000.00');
      expect(await newestNavDay()).toBe('2026-03-03');
    });

    it('cannot insert a NAV of the day after tomorrow, because of a constraint', async () => {
      fixture = await startNavFixture(`${FIRST}T12:00:00.000Z`);
      const insert = (days: number) =>
        fixture.dataSource.query(
          `insert into strategy_nav (strategy_id, day, nav, apy, source)
           values ('other', (clock_timestamp() at time zone 'UTC')::date + $1::int, 1, 0, 'first')`,
          [days],
        );
      await insert(1);
      await expect(insert(2)).rejects.toMatchObject({ constraint: 'strategy_nav_day_begun' });
    });

    const newestNavDay = async () => {
      const [row] = await fixture.dataSource.query<{ day: string }[]>(
        `select max(day) as day from strategy_nav where strategy_id = 'balanced-10'`,
      );
      return row?.day;
    };
  });

  it('applies no lock-up if INVESTMENT_LOCK_DAYS is 0 and the clock of a process is late', async () => {
    fixture = await startNavFixture(`${FIRST}T12:00:00.000Z`);
    const user = await fixture.user('500');
    const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    const slow = fixture.newInstance(new FrozenClock(new Date(`${FIRST}T11:59:55.000Z`)));
    expect(await slow.investments.close(user, id)).toMatchObject({ investment: { status: 'closed' } });
  });

  /** Units of the latest accrual. */
  const accruingUnits = () =>
    readUnits('select units from strategy_accrual where strategy_id = $1 order by day desc limit 1');
  const activeUnits = () =>
    readUnits(`select sum(units) as units from investment where strategy_id = $1 and status = 'active'`);

  async function readUnits(sql: string): Promise<string> {
    const [row] = await fixture.dataSource.query<{ units: string }[]>(sql, ['balanced-10']);
    return row?.units ?? 'none';
  }

  /** Acquires a lock and returns the function that releases it. */
  async function holdLock(sql: string, parameters: unknown[] = []): Promise<() => Promise<void>> {
    const runner = fixture.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(sql, parameters);
    return async () => {
      await runner.commitTransaction();
      await runner.release();
    };
  }

  const waitForLockWaits = (count: number) =>
    eventually(async () => expect(await fixture.dataSource.query(LOCK_WAITS)).toHaveLength(count));
});
