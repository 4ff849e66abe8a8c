import fc from 'fast-check';
import { addDays, startOfDay } from '../../src/common/days.js';
import { Money } from '../../src/common/money.js';
import { startNavFixture, STRATEGY_IDS, type NavFixture } from '../fixtures/nav-fixture.js';
import { repetitions } from '../harness/repetitions.js';

const FIRST = '2026-03-02';
const MICRO = Money.of('0.000001');
const THRESHOLD = Money.of('5000');

type Step =
  | { do: 'invest'; strategyId: string; amount: string }
  | { do: 'close' | 'cancel' | 'approve' | 'reject'; which: number } // the investment, modulo their number
  | { do: 'closePart'; which: number; thousandths: number }
  | { do: 'wait'; days: number };

const randomStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('invest' as const),
      strategyId: fc.constantFrom('balanced-10', 'balanced-10', 'aggressive-20'),
      amount: fc
        .integer({ min: 10_000_000, max: 2_000_000_000 })
        .map((n) => `${Math.floor(n / 1e5)}.${String(n % 1e5).padStart(5, '0')}`), // 100.00000 to 20000.00000
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('close' as const, 'cancel' as const), which: fc.nat(1000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('closePart' as const),
      which: fc.nat(1000),
      thousandths: fc.integer({ min: 1, max: 1000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('approve' as const, 'reject' as const), which: fc.nat(1000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.constantFrom(1, 1, 1, 2, 5) }),
  },
);

/** Figures of a strategy on a day; `expectedUnits` and `growth` are computed from the investments. */
interface AccrualCheck {
  units: string;
  expectedUnits: string;
  issued: string;
  growth: string;
  count: string;
}

describe('NAV publishing', () => {
  let fixture: NavFixture;
  afterEach(() => fixture.stop());

  /** Applies steps; skips those without a suitable investment. Calls `afterWait` after every wait. */
  async function applySteps(steps: Step[], afterWait: () => Promise<void>): Promise<void> {
    const user = await fixture.user('100000000');
    const open: string[] = [];
    const pending: string[] = [];
    const removeAt = (ids: string[], which: number) => ids.splice(which % ids.length, 1)[0] as string;
    for (const step of steps) {
      fixture.clock.advance(60_000);
      if (step.do === 'invest') {
        const { id, status } = await fixture.investments.create(user, step);
        (status === 'pending' ? pending : open).push(id);
      } else if (step.do === 'wait') {
        fixture.clock.moveTo(startOfDay(addDays(fixture.clock.today(), step.days)));
        await afterWait();
      } else if (step.do === 'close' && open.length > 0) {
        await fixture.investments.close(user, removeAt(open, step.which));
      } else if (step.do === 'closePart' && open.length > 0) {
        const id = open[step.which % open.length] as string;
        const status = await closePart(user, id, step.thousandths);
        if (status === 'closed') open.splice(open.indexOf(id), 1);
      } else if (step.do === 'cancel' && open.length + pending.length > 0) {
        await fixture.investments.cancel(user, removeAt(open.length > 0 ? open : pending, step.which));
      } else if (step.do === 'approve' && pending.length > 0) {
        const id = removeAt(pending, step.which);
        await fixture.investments.approve(id, 'admin@example.com');
        open.push(id);
      } else if (step.do === 'reject' && pending.length > 0) {
        await fixture.investments.reject(removeAt(pending, step.which), 'No', 'admin@example.com');
      }
    }
  }

  /** Closes a part as an admin, asserts that the value falls by exactly its amount, and returns the new status. */
  async function closePart(user: string, id: string, thousandths: number): Promise<string> {
    const value = Money.of((await fixture.detail(user, id)).currentValue);
    const amount = value
      .times(Money.of(String(thousandths)))
      .dividedBy(Money.of('1000'))
      .roundDown(6);
    const { after } = await fixture.closings.close(id, amount.toString(), { email: 'admin@example.com' });
    const { investment } = after;
    if (investment.status !== 'closed')
      expect((await fixture.detail(user, id)).currentValue).toBe(value.minus(amount).toWire());
    return investment.status;
  }

  /** The accrual of the current day, and the same figures computed from the investments. */
  async function readDay(strategyId: string): Promise<AccrualCheck> {
    const [row] = await fixture.dataSource.query<AccrualCheck[]>(
      `select (select units from strategy_accrual where strategy_id = $1 and day = $2) as units,
              (select coalesce(sum(units), 0) from investment
                where strategy_id = $1 and status = 'active' and issued_on <= $2::date - 2) as "expectedUnits",
              (select coalesce(sum(units), 0) from investment where strategy_id = $1 and status = 'active') as issued,
              (select coalesce(sum(round_half_even(units * nav, 6) - amount), 0) from investment, strategy_nav
                where investment.strategy_id = $1 and status = 'active' and issued_on <= $2::date - 2
                  and strategy_nav.strategy_id = $1 and day = $2) as growth,
              (select count(*) from investment where strategy_id = $1) +
              (select count(*) from investment_closing join investment on id = investment_id
                where strategy_id = $1) as count`,
      [strategyId, fixture.clock.today()],
    );
    return row as AccrualCheck;
  }

  it('counts the earning units and posts their growth for random sequences of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomStep, { minLength: 10, maxLength: 60 }), async (steps) => {
        fixture = await startNavFixture(`${FIRST}T08:00:00Z`, { INVESTMENT_APPROVAL_THRESHOLD: THRESHOLD });
        await applySteps(steps, async () => {
          await fixture.navs.publishMissingNavs();
          for (const strategyId of ['balanced-10', 'aggressive-20']) {
            const day = await readDay(strategyId);
            expect(Money.of(day.units).toString()).toBe(Money.of(day.expectedUnits).toString());
            const issued = (await fixture.platformBalance('strategy.units', strategyId)).negated();
            expect(issued.toString()).toBe(Money.of(day.issued).toString());
            // Rounding differs by at most half a micro-unit: twice per investment (value, payout), once per partial closing.
            const accrued = await fixture.platformBalance('strategy.accrued', strategyId);
            const difference = accrued.minus(Money.of(day.growth));
            const bound = MICRO.times(Money.of((parseInt(day.count, 10) + 1).toString()));
            expect(Money.max(difference, difference.negated()).isMoreThan(bound)).toBe(false);
          }
        });
        await fixture.stop();
      }),
      { numRuns: repetitions(12) },
    );
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`); // stopped in afterEach
  });

  it('posts amounts whose sum is the rounded total growth on every day, without accumulated rounding errors', async () => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    const user = await fixture.user('10');
    await fixture.investments.create(user, { strategyId: 'conservative-5', amount: '10' });
    fixture.clock.moveTo(startOfDay(addDays(FIRST, 101)));
    await fixture.navs.publishMissingNavs();
    // 10 USDC at 5 % grow by 0.0013368… a day; if each day was rounded alone, the sum would be off by micro-units
    const days = await fixture.dataSource.query<{ posted: string; grown: string }[]>(
      `select sum(growth) over (order by day) as posted,
              round(10 * power(1.05::numeric(60, 45), (day - $1::date - 1)::numeric(60, 45) / 365), 6) - 10 as grown
         from strategy_accrual where strategy_id = 'conservative-5' and day > $1::date + 1 order by day`,
      [FIRST],
    );
    expect(days).toHaveLength(100);
    const micros = (text: string) => Money.of(text).toFixed(6);
    expect(days.map(({ posted }) => micros(posted))).toEqual(days.map(({ grown }) => micros(grown)));
    expect((await fixture.platformBalance('strategy.accrued', 'conservative-5')).toFixed(6)).toBe(
      micros(days[99]?.grown ?? ''),
    );
  });

  /** Creates three investments on two days, and closes the first one. */
  async function createHistory(): Promise<void> {
    const user = await fixture.user('100000');
    const invest = (amount: string) =>
      fixture.investments.create(user, { strategyId: 'balanced-10', amount });
    const first = await invest('1000.50');
    await invest('77.000001');
    fixture.clock.moveTo('2026-03-03T23:00:00Z');
    await invest('20000');
    await fixture.investments.close(user, first.id);
  }

  async function storedNavData(): Promise<unknown> {
    return [
      await fixture.dataSource.query('select * from strategy_nav order by strategy_id, day'),
      await fixture.dataSource.query('select * from strategy_accrual order by strategy_id, day'),
      await fixture.dataSource.query(
        `select reference_id, posting.effective_at, amount
           from ledger_transaction as posting join ledger_entry on transaction_id = posting.id and amount > 0
          where type = 'yield' order by reference_id`,
      ),
    ];
  }

  it('gives the same result after 40 days without requests as with daily publishing', async () => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    await createHistory();
    for (let day = 1; day <= 41; day++) {
      fixture.clock.moveTo(startOfDay(addDays('2026-03-03', day)));
      await fixture.navs.publishMissingNavs();
    }
    const daily = await storedNavData();
    await fixture.stop();

    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    await createHistory();
    fixture.clock.moveTo(startOfDay(addDays('2026-03-03', 41)));
    await fixture.navs.publishMissingNavs();
    expect(await storedNavData()).toEqual(daily);
  });

  it('publishes each day once if five processes publish concurrently', async () => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    await createHistory();
    fixture.clock.moveTo('2026-03-23T00:00:00Z');
    const replicas = Array.from({ length: 5 }, () => fixture.newInstance());
    await Promise.all(replicas.map((replica) => replica.navs.getCurrentNavs()));
    const [row] = await fixture.dataSource.query<{ posted: string; rows: string; days: string }[]>(
      `select (select count(*) from ledger_transaction where type = 'yield') as posted,
              (select count(*) from strategy_nav where strategy_id = 'balanced-10') as rows,
              (select max(day) - min(day) + 1 from strategy_nav where strategy_id = 'balanced-10') as days`,
    );
    // 23 NAVs from 2 to 24 March; 20 growth postings from the 4th (second midnight) to the 23rd
    expect(row).toEqual({ posted: '20', rows: '23', days: 23 });
    expect((await readDay('balanced-10')).units).toBe((await readDay('balanced-10')).expectedUnits);
  });

  it('reads the NAVs of the current day without a query once they are cached', async () => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    await fixture.navs.publishMissingNavs();
    const connections = jest.spyOn(fixture.dataSource, 'createQueryRunner');
    for (let call = 0; call < 50; call++) await fixture.navs.getCurrentNavs();
    expect(connections).toHaveBeenCalledTimes(0);
    fixture.clock.moveTo('2026-03-03T00:00:00Z');
    await fixture.navs.publishMissingNavs();
    expect(connections).toHaveBeenCalled();
  });

  it.each([
    ['strategy_nav', 'update strategy_nav set nav = 2'],
    ['strategy_nav', 'delete from strategy_nav'],
    ['strategy_accrual', 'update strategy_accrual set units = 0'],
    ['strategy_accrual', 'truncate strategy_accrual'],
  ])('keeps published rows of %s unchanged: %s is refused', async (_table, sql) => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    await fixture.navs.publishMissingNavs();
    await expect(fixture.dataSource.query(sql)).rejects.toThrow('is refused');
  });

  it.each(STRATEGY_IDS)('starts %s with a NAV of 1', async (strategyId) => {
    fixture = await startNavFixture(`${FIRST}T08:00:00Z`);
    const days = await fixture.navs.getCurrentNavs();
    expect(days.get(strategyId)).toMatchObject({ day: FIRST, nav: Money.of('1') });
  });
});
