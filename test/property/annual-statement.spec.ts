import fc from 'fast-check';
import { Money } from '../../src/common/money.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { DAY } from '../fixtures/expected-values.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const SEED = 20261001;
const FIRST_DAY = '2026-10-01';
const DAYS = 500; // until February 2028
const USERS = 3;
const YEARS = [2026, 2027, 2028] as const;
const METHODS = ['fifo', 'average'] as const;

const sum = (amounts: readonly string[]) => Money.sum(amounts.map((amount) => Money.of(amount)));

// Random histories of some users over two turns of the year. The annual statements are compared with the statements of account, the trial
// balance and profit and loss.
describe('Annual statements', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let users: TestUser[];

  beforeAll(async () => {
    platform = await startPlatform({
      at: `${FIRST_DAY}T10:00:00.000Z`,
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
    const fixtures = new DomainEventFixtures(platform.app);
    const histories: UserHistory[] = [];
    for (let count = 0; count < USERS; count++)
      histories.push(new UserHistory(platform, fixtures, await platform.given.user().withBalance('2000.00')));
    users = histories.map(({ user }) => user);
    for (const step of FULL_HISTORY) await histories[0]?.apply(step);
    const steps = fc.sample(historyStep, { seed: SEED, numRuns: 1500 }).filter(({ does }) => does !== 'wait');
    const end = Date.parse(FIRST_DAY) + DAYS * DAY;
    for (let at = platform.clock.now().getTime(); at < end; at += 3 * DAY) {
      platform.clock.moveTo(new Date(at));
      for (const history of histories) await history.apply(steps.pop() as (typeof steps)[number]);
    }
    platform.clock.moveTo(new Date(end));
  });
  afterAll(() => platform?.stop());

  async function annual(user: TestUser, year: number, method: string): Promise<any> {
    const { data } = await platform.as(user).get(`/api/user/statement/annual?year=${year}&method=${method}`);
    return JSON.parse(data.payload);
  }
  async function statement(user: TestUser, { from, to }: { from: string; to: string }): Promise<any> {
    return (await platform.as(user).get(`/api/user/statement?from=${from}&to=${to}`)).data;
  }
  const books = async (path: string) => (await platform.as(admin).get(`/api/admin/books/${path}`)).data;

  it('agree with the statements of account, and their amounts lead from the first value to the last', async () => {
    let months = 0;
    for (const user of users)
      for (const year of YEARS) {
        const yearly = await annual(user, year, 'fifo');
        const { opening, closing, movements, growth } = await statement(user, yearly);
        for (const name of ['available', 'reserved', 'invested', 'accruedEarnings'])
          expect([year, name, yearly.opening[name], yearly.closing[name]]).toEqual([
            year,
            name,
            opening[name],
            closing[name],
          ]);
        const amountsOf = (type: string) =>
          sum(movements.filter((movement: any) => movement.type === type).map(({ amount }: any) => amount));
        expect(yearly.deposits).toBe(amountsOf('deposit').toWire());
        expect(yearly.fees.total).toBe(amountsOf('fee').negated().toWire());
        const reservedBy = (type: string) =>
          sum(
            movements
              .filter((movement: any) => movement.type === type)
              .map((each: any) => each.reservedAmount),
          );
        expect(yearly.withdrawals).toBe(reservedBy('withdrawal-paid').negated().toWire());
        expect(yearly.income.growth).toBe(sum(growth.map((day: any) => day.growth)).toWire());

        const { income, lateGrowth, fees } = yearly;
        const value = sum([
          yearly.opening.value,
          lateGrowth.opening,
          yearly.deposits,
          `-${yearly.withdrawals}`,
          income.income,
          `-${fees.total}`,
        ]).minus(Money.of(lateGrowth.closing));
        expect([year, yearly.closing.value]).toEqual([year, value.toWire()]);
        months += income.months.length;
      }
    expect(months).toBeGreaterThan(30);
  });

  it('explain the gains of both methods by the growth that the ledger booked', async () => {
    let disposalCount = 0;
    for (const user of users)
      for (const method of METHODS) {
        let difference = Money.ZERO;
        for (const year of YEARS) {
          const { disposals, holdings, closing, from, to } = await annual(user, year, method);
          const { movements } = await statement(user, { from, to });
          const growth = sum(
            movements.filter(({ type }: any) => type === 'earning').map(({ amount }: any) => amount),
          );
          expect([year, disposals.lotGain]).toEqual([year, growth.toWire()]);
          const gainBeyondLots = Money.of(disposals.gain).minus(Money.of(disposals.lotGain));
          expect(disposals.difference).toBe(gainBeyondLots.toWire());
          difference = difference.plus(Money.of(disposals.difference));
          const carried = sum(holdings.map(({ cost }: any) => cost));
          const principal = sum(holdings.map(({ lotCost }: any) => lotCost));
          expect([year, method, difference.toWire()]).toEqual([
            year,
            method,
            carried.minus(principal).toWire(),
          ]);
          expect(principal.isMoreThan(Money.of(closing.invested))).toBe(false); // pending investments have no units
          disposalCount += disposals.list.length;
        }
      }
    expect(disposalCount).toBeGreaterThan(50);
  });

  it('of all users together are what the books show at the end of each year', async () => {
    for (const year of YEARS) {
      const statements: any[] = [];
      for (const user of users) statements.push(await annual(user, year, 'average'));
      const [{ from, to }] = statements;
      const { accounts } = await books(`trial-balance?date=${to}`);
      const creditOf = (kind: string) =>
        accounts.find(({ id }: any) => id === `user.${kind}:USDC`)?.credit ?? '0.00';
      for (const kind of ['available', 'invested', 'reserved'])
        expect([year, kind, sum(statements.map(({ closing }) => closing[kind])).toWire()]).toEqual([
          year,
          kind,
          creditOf(kind),
        ]);
      const { income } = await books(`profit-and-loss?startDate=${from}&endDate=${to}`);
      expect([year, income]).toEqual([
        year,
        expect.objectContaining({
          managementFees: sum(statements.map(({ fees }) => fees.management)).toWire(),
          performanceFees: sum(statements.map(({ fees }) => fees.performance)).toWire(),
        }),
      ]);
    }
  });
});
