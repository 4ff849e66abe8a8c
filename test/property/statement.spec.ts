import fc from 'fast-check';
import { addDays, daysBetween, dayOf } from '../../src/common/days.js';
import { Money } from '../../src/common/money.js';
import type { TestUser } from '../fixtures/given.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

const WAIT_FACTOR = 3; // multiplies waits, so that investments grow

interface Statement {
  from: string;
  to: string;
  opening: Record<'total' | 'available' | 'invested' | 'reserved' | 'accruedEarnings', string>;
  closing: Statement['opening'];
  movements: {
    type: string;
    date: string;
    amount: string;
    balance: string;
    reservedAmount: string;
    reservedBalance: string;
    txHash: string | null;
  }[];
  growth: { date: string; strategyId: string; growth: string }[];
}

describe('Statements', () => {
  let platform: TestPlatform;
  let eventFixtures: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    eventFixtures = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const sum = (texts: string[]) => Money.sum(texts.map((text) => Money.of(text)));
  const readStatement = async (user: TestUser, from: string, to: string): Promise<Statement> =>
    (await platform.as(user).get(`/api/user/statement?from=${from}&to=${to}`)).data;

  /** The rows of the CSV file, each by the names of the columns. */
  async function readCsv(user: TestUser, from: string, to: string): Promise<Record<string, string>[]> {
    const { text } = await sendRequest(
      `${platform.baseUrl}/api/user/statement?from=${from}&to=${to}&format=csv`,
      {
        headers: { authorization: `Bearer ${user.token}` },
      },
    );
    const [header = '', ...lines] = text.split('\r\n').slice(0, -1);
    const columns = header.split(',');
    return lines.map((line) => {
      const fields = line.replace(/"[^"]*"/g, 'quoted').split(',');
      return Object.fromEntries(columns.map((name, index) => [name, fields[index] as string]));
    });
  }

  /** Forfeited growth, and growth of earlier legs that a cancellation took back. */
  async function forfeitedGrowth(user: TestUser): Promise<Money> {
    const [row] = await platform.dataSource.query<{ growth: string }[]>(
      `select coalesce(sum(amount), 0) as growth
         from ledger_entry as entry join ledger_transaction as posted on posted.id = entry.transaction_id
         join ledger_account as account on account.id = entry.account_id
        where posted.type in ('forfeit', 'earning') and kind = 'expense.yield'
          and split_part(reference_id, ':', 1) in (select id::text from investment where user_id = $1)`,
      [user.id],
    );
    return Money.of(row?.growth ?? '0');
  }

  function requireAddsUp({ opening, closing, movements }: Statement): void {
    let balance = Money.of(opening.available);
    let reserved = Money.of(opening.reserved);
    for (const movement of movements) {
      balance = balance.plus(Money.of(movement.amount));
      expect(movement.balance).toBe(balance.toWire());
      reserved = reserved.plus(Money.of(movement.reservedAmount));
      expect(movement.reservedBalance).toBe(reserved.toWire());
      if (movement.type !== 'withdrawal-paid') expect(movement.txHash).toBeNull();
    }
    expect(closing.available).toBe(balance.toWire());
    expect(closing.reserved).toBe(reserved.toWire());
    expect(movements.map(({ date }) => date)).toEqual(movements.map(({ date }) => date).sort());
  }

  it('add up, continue each other without a gap, and contain the same as JSON and CSV', async () => {
    let movementCount = 0;
    let growthCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 30, size: 'max' }),
        fc.nat(1000),
        async (steps, split) => {
          const user = await platform.given.user().withBalance('2000.00');
          const history = new UserHistory(platform, eventFixtures, user);
          const first = dayOf(platform.clock.now());
          for (const step of steps) {
            await history.apply(step.does === 'wait' ? { ...step, days: WAIT_FACTOR * step.days } : step);
          }
          const today = dayOf(platform.clock.now());
          const middle = addDays(first, split % Math.max(1, daysBetween(first, today)));

          const whole = await readStatement(user, first, today);
          requireAddsUp(whole);
          expect(whole.opening).toEqual({
            total: '0.00',
            available: '0.00',
            invested: '0.00',
            reserved: '0.00',
            accruedEarnings: '0.00',
          });
          const { data: balance } = await platform.as(user).get('/api/user/balance');
          expect(whole.closing).toEqual(
            Object.fromEntries(Object.keys(whole.closing).map((name) => [name, balance[name]])),
          );

          // growth = realised + accrued + forfeited
          const growth = sum(whole.growth.map((day) => day.growth));
          const realised = sum(whole.movements.filter(({ type }) => type === 'earning').map((m) => m.amount));
          const accrued = Money.of(whole.closing.accruedEarnings);
          expect(growth.toWire()).toBe(
            realised
              .plus(accrued)
              .plus(await forfeitedGrowth(user))
              .toWire(),
          );

          if (middle < today) {
            const parts = [
              await readStatement(user, first, middle),
              await readStatement(user, addDays(middle, 1), today),
            ] as const;
            parts.forEach(requireAddsUp);
            expect(parts[0].closing).toEqual(parts[1].opening);
            expect(parts.flatMap(({ movements }) => movements)).toEqual(whole.movements);
            expect(parts.flatMap((part) => part.growth)).toEqual(whole.growth);
          }

          const csv = await readCsv(user, first, today);
          const rowsOf = (kind: string) => csv.filter(({ record }) => record === kind);
          expect(
            rowsOf('movement').map((row) => [
              row.amount,
              row.balance,
              row.reservedAmount,
              row.reservedBalance,
            ]),
          ).toEqual(
            whole.movements.map((movement) => [
              movement.amount,
              movement.balance,
              movement.reservedAmount,
              movement.reservedBalance,
            ]),
          );
          expect(
            rowsOf('growth').map(({ date, strategyId, amount }) => ({ date, strategyId, growth: amount })),
          ).toEqual(whole.growth);
          expect(
            [...rowsOf('opening'), ...rowsOf('closing')].map((row) => [
              row.balance,
              row.reservedBalance,
              row.invested,
              row.accruedEarnings,
            ]),
          ).toEqual(
            [whole.opening, whole.closing].map((balance) => [
              balance.available,
              balance.reserved,
              balance.invested,
              balance.accruedEarnings,
            ]),
          );
          movementCount += whole.movements.length;
          growthCount += whole.growth.length;
        },
      ),
      { numRuns: repetitions(20), examples: [[FULL_HISTORY, 500]] },
    );
    expect(movementCount).toBeGreaterThan(20); // FULL_HISTORY alone has more
    expect(growthCount).toBeGreaterThan(70);
  });
});
