import fc from 'fast-check';
import { Money } from '../../src/common/money.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { INVESTMENTS } from '../fixtures/investments.js';
import {
  ANY_YIELD,
  FULL_HISTORY,
  UserHistory,
  historyStep,
  type Step,
} from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

type ClosingStep = Step & { does: 'close' | 'closePart' };

describe('The quote of a closing', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const availableOf = async (user: TestUser) =>
    Money.of((await platform.as(user).get('/api/user/balance')).data.available);

  /** Closes all of an investment as its user, or the part `amount` as an admin. The figures have the names of a quote. */
  async function close(user: TestUser, id: string, amount: string | undefined) {
    if (amount === undefined) {
      const { code, data } = await platform.as(user).delete(`${INVESTMENTS}/${id}`);
      return {
        code,
        figures: data && {
          value: data.finalValue,
          principal: data.initialInvestment,
          earnings: data.totalEarnings,
          fees: data.fees,
          payout: data.withdrawnAmount,
        },
      };
    }
    const { code, data } = await platform.as(admin).post(`/api/admin/investments/${id}/close`, { amount });
    return {
      code,
      figures: data && {
        value: data.closedValue,
        principal: data.closedPrincipal,
        earnings: data.realisedEarnings,
        fees: data.fees,
        payout: data.withdrawnAmount,
      },
    };
  }

  /** Asserts that a closing pays what the quote of the same moment says; returns the cases that the closing covers. */
  async function requireExactQuote(history: UserHistory, step: ClosingStep): Promise<string[]> {
    const { user } = history;
    const id = history.investmentOf(step);
    if (id === undefined) return [];
    const amount = step.does === 'closePart' ? step.amount : undefined;
    const path = `${INVESTMENTS}/${id}`;
    const { currentValue } = (await platform.as(user).get(path)).data;
    const quote = await platform
      .as(user)
      .get(`${path}/quote${amount === undefined ? '' : `?amount=${amount}`}`);
    const before = await availableOf(user);
    const { code, figures } = await close(user, id, amount);
    expect(quote.code).toBe(code);
    const after = await availableOf(user);
    if (quote.status !== 200) {
      expect(after).toEqual(before);
      return ['refused'];
    }
    const { value, principal, earnings, fees, payout } = quote.data;
    expect({ value, principal, earnings, fees, payout }).toEqual(figures);
    expect(after.minus(before).toWire()).toBe(payout);
    if (amount !== undefined) expect(quote.data.amount).toBe(Money.of(amount).toWire());
    const cases = [amount === undefined || value === currentValue ? 'whole' : 'part'];
    if (fees.carriedFees !== '0.00') cases.push('moved');
    const isBelowValue = Money.of(value).isLessThan(Money.of(currentValue));
    if (amount === undefined && isBelowValue) cases.push('loss of tomorrow');
    return cases;
  }

  it('equals the payment of a closing at the same moment, whole and in part, after moves and before a loss', async () => {
    const cases = new Set<string>();
    const untilLastMove = FULL_HISTORY.slice(0, 40);
    // Until then the user has eleven investments, including those that moves opened.
    const closeEverything: Step[] = Array.from({ length: 11 }, (_, which) => ({ does: 'close', which }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 40, size: 'max' }),
        async (steps) => {
          const user = await platform.given.user().withBalance('2000.00');
          const history = new UserHistory(platform, new DomainEventFixtures(platform.app), user);
          for (const step of steps) {
            if (step.does !== 'close' && step.does !== 'closePart') {
              await history.apply(step);
              continue;
            }
            for (const name of await requireExactQuote(history, step as ClosingStep)) cases.add(name);
          }
        },
      ),
      {
        numRuns: repetitions(30),
        examples: [[FULL_HISTORY], [[...untilLastMove, ...closeEverything]]],
      },
    );
    expect([...cases].sort()).toEqual(['loss of tomorrow', 'moved', 'part', 'refused', 'whole']);
  });
});
