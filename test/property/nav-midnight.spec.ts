import { FrozenClock } from '../../src/common/clock.js';
import { startStage, type Stage } from '../fixtures/nav-stage.js';
import { eventually } from '../harness/eventually.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { toInvestmentResponse } from '../../src/modules/investments/investments.mapper.js';

const FIRST = '2026-03-02';

describe('publishing at midnight', () => {
  let stage: Stage;
  afterEach(() => stage.stop());

  it('waits for an uncommitted investment and includes its units', async () => {
    stage = await startStage(`${FIRST}T23:59:59.990Z`);
    const user = await stage.user('500');
    await stage.navs.today();
    const release = await hold('select from ledger_account where owner_id = $1 for update', [user]);
    const investing = stage.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await until(1); // it has its day and waits for the balance

    stage.clock.moveTo('2026-03-03T00:00:00.005Z');
    const rolled = stage.replica().navs.today();
    await until(2); // the roll waits for it
    await release();
    const [made] = await Promise.all([investing, rolled]);

    expect(made.createdAt.toISOString()).toBe('2026-03-02T23:59:59.990Z');
    stage.clock.moveTo('2026-03-04T00:00:00Z');
    expect((await stage.replica().detail(user, made.id)).currentValue).toBe('500.130579'); // 500 × 1.000261157…
    expect(await earning()).toEqual(await open());
  });

  it('assigns the new day to an investment that waited past midnight', async () => {
    stage = await startStage(`${FIRST}T23:59:59.990Z`);
    const user = await stage.user('500');
    await stage.navs.today();
    const release = await hold(`select pg_advisory_xact_lock(hashtextextended('strategy balanced-10', 0))`);
    const investing = stage.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    await until(1);
    stage.clock.moveTo('2026-03-03T00:00:00.005Z');
    await release();
    const made = await investing;
    expect(toInvestmentResponse(made)).toMatchObject({
      createdAt: '2026-03-03T00:00:00.005Z',
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
  });

  it('makes a process with a slow clock write on the day that another process has begun', async () => {
    stage = await startStage(`${FIRST}T23:59:59.900Z`);
    const user = await stage.user('500');
    await stage.navs.today();
    await stage.replica(new FrozenClock(new Date('2026-03-03T00:00:00.100Z'))).navs.today();
    const made = await stage.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    expect(toInvestmentResponse(made)).toMatchObject({
      createdAt: '2026-03-03T00:00:00.000Z',
      nextYieldDate: '2026-03-05T00:00:00.000Z',
    });
    stage.clock.moveTo('2026-03-05T00:00:00Z');
    await stage.navs.today();
    expect(await earning()).toEqual(await open());
  });

  describe('if the clock of a process is ahead of the database', () => {
    /** A clock with an error that, unlike an offset, the database does not know. */
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

    it('begins no day before the database does, and dates writes with the last instant of the day before', async () => {
      stage = await startStage(`${FIRST}T23:59:50.000Z`);
      const user = await stage.user('500');
      const fast = stage.replica(new FastClock(`${FIRST}T23:59:50.000Z`, 30_000));
      expect((await fast.navs.today()).get('balanced-10')?.day).toBe(FIRST);
      const made = await fast.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
      expect(toInvestmentResponse(made)).toMatchObject({
        createdAt: '2026-03-02T23:59:59.999Z',
        nextYieldDate: '2026-03-04T00:00:00.000Z',
      });
      expect(await newest()).toBe('2026-03-03');
    });

    it.each([3_600_000 * 24, 3_600_000 * 24 * 365])(
      'pays no growth of future days: %d ms ahead',
      async (errorMs) => {
        stage = await startStage(`${FIRST}T12:00:00.000Z`);
        const user = await stage.user('10000');
        const { id } = await stage.investments.create(user, { strategyId: 'balanced-10', amount: '10000' });
        const fast = stage.replica(new FastClock(`${FIRST}T12:00:00.000Z`, errorMs));
        await fast.navs.today();
        const closed = await stage.investments.close(user, id);
        expect(closed.closing.value.toWire()).toBe('10000.00');
        expect(await newest()).toBe('2026-03-03');
      },
    );

    it('relies on the database, which rejects a value of the day after tomorrow', async () => {
      stage = await startStage(`${FIRST}T12:00:00.000Z`);
      const insert = (days: number) =>
        stage.dataSource.query(
          `insert into strategy_nav (strategy_id, day, nav, apy, source)
           values ('other', (clock_timestamp() at time zone 'UTC')::date + $1::int, 1, 0, 'first')`,
          [days],
        );
      await insert(1);
      await expect(insert(2)).rejects.toMatchObject({ constraint: 'strategy_nav_day_begun' });
    });

    const newest = async () => {
      const [row] = await stage.dataSource.query<{ day: string }[]>(
        `select max(day) as day from strategy_nav where strategy_id = 'balanced-10'`,
      );
      return row?.day;
    };
  });

  it('applies no lock-up of zero days for a process with a slow clock', async () => {
    stage = await startStage(`${FIRST}T12:00:00.000Z`);
    const user = await stage.user('500');
    const { id } = await stage.investments.create(user, { strategyId: 'balanced-10', amount: '500' });
    const slow = stage.replica(new FrozenClock(new Date(`${FIRST}T11:59:55.000Z`)));
    expect(await slow.investments.close(user, id)).toMatchObject({ investment: { status: 'closed' } });
  });

  /** The earning units of the newest accrual. */
  const earning = () =>
    single('select units from strategy_accrual where strategy_id = $1 order by day desc limit 1');
  const open = () =>
    single(`select sum(units) as units from investment where strategy_id = $1 and status = 'active'`);

  async function single(sql: string): Promise<string> {
    const [row] = await stage.dataSource.query<{ units: string }[]>(sql, ['balanced-10']);
    return row?.units ?? 'none';
  }

  /** Takes a lock and returns the function that releases it. */
  async function hold(sql: string, parameters: unknown[] = []): Promise<() => Promise<void>> {
    const runner = stage.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(sql, parameters);
    return async () => {
      await runner.commitTransaction();
      await runner.release();
    };
  }

  /** Resolves when the given number of statements wait for a lock. */
  const until = (count: number) =>
    eventually(async () => expect(await stage.dataSource.query(LOCK_WAITS)).toHaveLength(count));
});
