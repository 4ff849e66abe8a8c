import fc from 'fast-check';
import { Money } from '../../src/common/money.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { HOUR } from '../fixtures/expected-reports.js';
import { DAY } from '../fixtures/expected-values.js';
import type { TestAdmin } from '../fixtures/given.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

// Three years of a few users. Each month's balances are read from the users' own answers on its last day; at the end the books of all
// these days are compared with them, and with sums over all rows of the ledger.

const SEED = 20260401;
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');
const YEARS_IN_DAYS = 3 * 365 + 1; // 2028 is a leap year
const USERS = 4;
const BOOKS = '/api/admin/books';

interface Row {
  readonly at: number;
  readonly kind: string;
  readonly scope: string;
  readonly asset: string;
  readonly category: string;
  readonly amount: Money;
}

interface MonthEnd {
  readonly day: string;
  readonly available: Money;
  readonly invested: Money;
  readonly reserved: Money;
  /** The fees of closing all investments; null if tomorrow's value of one is lower, so that it would be closed below its value. */
  readonly fees: Money | null;
}

const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const exact = (amount: Money) => amount.toExact();
const sum = (rows: readonly Row[]) => Money.sum(rows.map(({ amount }) => amount));
const idOf = ({ kind, scope, asset }: Row) =>
  scope === '' ? `${kind}:${asset}` : `${kind}:${scope}:${asset}`;

describe('The books', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let rows: readonly Row[];
  const monthEnds: MonthEnd[] = [];

  beforeAll(async () => {
    platform = await startPlatform({
      at: new Date(FIRST_DAY).toISOString(),
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
    await liveThreeYears();
    rows = await readRows();
  });
  afterAll(() => platform?.stop());

  async function liveThreeYears(): Promise<void> {
    const fixtures = new DomainEventFixtures(platform.app);
    const histories: UserHistory[] = [];
    for (let count = 0; count < USERS; count++)
      histories.push(new UserHistory(platform, fixtures, await platform.given.user().withBalance('2000.00')));
    for (const step of FULL_HISTORY) await histories[0]?.apply(step);
    const steps = fc.sample(historyStep, { seed: SEED, numRuns: 2000 }).filter(({ does }) => does !== 'wait');
    for (let day = platform.clock.now().getTime() - FIRST_DAY; day < YEARS_IN_DAYS * DAY; day += 5 * DAY) {
      const at = FIRST_DAY + Math.floor(day / DAY) * DAY;
      platform.clock.moveTo(new Date(at + 13 * HOUR));
      for (const history of histories) await history.apply(steps.pop() as (typeof steps)[number]);
      if (new Date(at + 5 * DAY).getUTCMonth() !== new Date(at).getUTCMonth())
        monthEnds.push(await readBalances(histories, dayText(at)));
    }
    platform.clock.moveTo(new Date(FIRST_DAY + YEARS_IN_DAYS * DAY));
    await platform.as(admin).get(`${BOOKS}/trial-balance`); // publishes missing NAVs
  }

  /** What the users' own answers say after the last step of a day. */
  async function readBalances(histories: readonly UserHistory[], day: string): Promise<MonthEnd> {
    const answers: Record<string, string>[] = [];
    for (const { user } of histories) answers.push((await platform.as(user).get('/api/user/balance')).data);
    const total = (name: string) => Money.sum(answers.map((answer) => Money.of(answer[name] as string)));
    return {
      day,
      available: total('available'),
      invested: total('invested'),
      reserved: total('reserved'),
      fees: await readQuotedFees(histories),
    };
  }

  async function readQuotedFees(histories: readonly UserHistory[]): Promise<Money | null> {
    const fees: Money[] = [];
    for (const { user, investments } of histories)
      for (const id of investments) {
        const investment = (await platform.as(user).get(`/api/user/investments/${id}`)).data;
        if (!['active', 'paused'].includes(investment.status)) continue;
        const { data: quote } = await platform.as(user).get(`/api/user/investments/${id}/quote`);
        if (quote.finalValue !== investment.currentValue) return null;
        fees.push(Money.of(quote.finalValue).minus(Money.of(quote.withdrawnAmount)));
      }
    return Money.sum(fees);
  }

  async function readRows(): Promise<Row[]> {
    const read = await platform.dataSource.query<
      (Omit<Row, 'at' | 'amount'> & { at: Date; amount: string })[]
    >(
      `select entry.effective_at as at, kind, scope, account.asset, category, amount
         from ledger_entry as entry join ledger_account as account on account.id = entry.account_id order by entry.id`,
    );
    return read.map((row) => ({ ...row, at: row.at.getTime(), amount: Money.of(row.amount) }));
  }

  const until = (day: string) => rows.filter(({ at }) => at < Date.parse(day) + DAY);
  const read = async (path: string) => (await platform.as(admin).get(`${BOOKS}/${path}`)).data;

  it('show on each past day what users were told on it, and what all entries up to it add up to', async () => {
    expect(monthEnds.length).toBeGreaterThan(30);
    for (const { day, available, invested, reserved } of monthEnds) {
      const { accounts, totals } = await read(`trial-balance?date=${day}`);
      const creditOf = (id: string) =>
        accounts.find((account: { id: string }) => account.id === id)?.credit ?? '0.00';
      expect([day, creditOf('user.available:USDC')]).toEqual([day, exact(available)]);
      expect([day, creditOf('user.invested:USDC')]).toEqual([day, exact(invested)]);
      expect([day, creditOf('user.reserved:USDC')]).toEqual([day, exact(reserved)]);

      const entries = until(day);
      const expected = [...new Set(entries.map(idOf))].map((id) => [
        id,
        exact(sum(entries.filter((row) => idOf(row) === id))),
      ]);
      const balanceOf = ({ debit, credit }: { debit: string; credit: string }) =>
        exact(Money.of(credit).minus(Money.of(debit)));
      const shown = accounts.map((account: { id: string; debit: string; credit: string }) => [
        account.id,
        balanceOf(account),
      ]);
      expect(shown.toSorted()).toEqual(expected.toSorted());
      for (const { asset, debit, credit } of totals)
        expect([day, asset, debit]).toEqual([day, asset, credit]);
    }
  });

  it('explain the result of any range of days by fees, paid yield and the growth of users', async () => {
    const ranges = fc.sample(fc.tuple(fc.nat(YEARS_IN_DAYS - 1), fc.nat(YEARS_IN_DAYS - 1)), {
      seed: SEED,
      numRuns: 40,
    });
    for (const [a, b] of ranges) {
      const from = dayText(FIRST_DAY + Math.min(a, b) * DAY);
      const to = dayText(FIRST_DAY + Math.max(a, b) * DAY);
      const entries = until(to).filter(({ at }) => at >= Date.parse(from));
      const total = (kind: string, category?: string) =>
        sum(
          entries.filter(
            (row) =>
              row.kind === kind &&
              row.asset === 'USDC' &&
              (category === undefined || row.category === category),
          ),
        );
      const { income, expense, result } = await read(`profit-and-loss?startDate=${from}&endDate=${to}`);
      expect([from, to, income]).toEqual([
        from,
        to,
        {
          managementFees: exact(total('income.management-fee')),
          performanceFees: exact(total('income.performance-fee')),
          strategyYield: exact(total('income.strategy-yield')),
        },
      ]);
      const paidToUsers = total('user.available', 'earning');
      const owedToUsers = total('strategy.accrued');
      expect([from, to, expense]).toEqual([
        from,
        to,
        { yieldRealised: exact(paidToUsers), yieldAccrued: exact(owedToUsers) },
      ]);
      const incomes = Money.sum(Object.values<string>(income).map((amount) => Money.of(amount)));
      expect(result).toBe(exact(incomes.minus(paidToUsers).minus(owedToUsers)));
    }
  });

  it('show on each past day the fees that closing all investments on it would have charged', async () => {
    const known = monthEnds.filter(({ fees }) => fees !== null && !fees.isZero());
    expect(known.length).toBeGreaterThan(10);
    for (const { day, fees } of known)
      expect([day, (await read(`profit-and-loss?endDate=${day}`)).feesAccruedNotCharged]).toEqual([
        day,
        fees?.toWire(),
      ]);
  });

  it('list the entries of every account page by page, with a balance that leads from the opening to the closing one', async () => {
    const startDate = '2026-06-15';
    const endDate = '2028-03-01';
    for (const { id } of await read('accounts')) {
      const own = rows.filter((row) => idOf(row) === id && row.at < Date.parse(endDate) + DAY);
      const path = `accounts/${id}/entries`;
      let query = `startDate=${startDate}&endDate=${endDate}&limit=50`;
      const listed: { amount: string; balance: string }[] = [];
      for (;;) {
        const { data, body } = await platform.as(admin).get(`${BOOKS}/${path}?${query}`);
        const before = own.filter(({ at }) => at < Date.parse(startDate));
        expect([data.opening, data.closing]).toEqual(
          [before, own].map((entries) => exact(sum(entries).negated())),
        );
        listed.push(...data.entries);
        if (body.pagination.next === null) break;
        query = `cursor=${body.pagination.next}`;
      }
      const expected = own.filter(({ at }) => at >= Date.parse(startDate));
      expect([id, listed.map(({ amount }) => amount).toSorted()]).toEqual([
        id,
        expected.map(({ amount }) => exact(amount.negated())).toSorted(),
      ]);
      let balance = sum(own.filter(({ at }) => at < Date.parse(startDate))).negated();
      for (const entry of listed) {
        balance = balance.plus(Money.of(entry.amount));
        expect(entry.balance).toBe(exact(balance));
      }
    }
  });
});
