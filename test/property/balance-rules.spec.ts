import fc from 'fast-check';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { Money } from '../../src/kernel/money.js';
import { InvestmentMoves } from '../../src/modules/investments/investment-moves.service.js';
import { Investments } from '../../src/modules/investments/investments.service.js';
import type { WithdrawalFact } from '../../src/modules/withdrawals/withdrawal.facts.js';
import type { TestUser } from '../support/given.js';
import { Happenings, type ToldWithdrawal } from '../support/happenings.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';

const DAY_MS = 86_400_000;
const STRATEGIES = ['conservative-5', 'balanced-10', 'aggressive-20'];
const ENDS: WithdrawalFact['name'][] = [
  'withdrawal.cancelled',
  'withdrawal.rejected',
  'withdrawal.completed',
  'withdrawal.failed',
];

/** From a millionth to the most, in whole micro-units. */
const upTo = (dollars: bigint): fc.Arbitrary<string> =>
  fc.bigInt(1n, dollars * 1_000_000n).map((micro) => {
    const digits = micro.toString().padStart(7, '0');
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  });
const which = fc.nat(7);
// Weighed so that many investments are old enough to have grown when they are closed.
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('deposit' as const), amount: upTo(2000n) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('invest' as const), amount: upTo(900n), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('close' as const), which }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), which, to: which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('cancel', 'approve', 'reject'), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('withdraw' as const), amount: upTo(900n) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('settle' as const), which, end: fc.constantFrom(...ENDS) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One user to whom things happen; what is refused changes nothing and is passed over. */
class Life {
  private readonly investments: string[] = [];
  private readonly open: ToldWithdrawal[] = [];

  constructor(
    private readonly platform: TestPlatform,
    private readonly happens: Happenings,
    readonly user: TestUser,
  ) {}

  async live(next: Step): Promise<void> {
    try {
      await this.take(next);
    } catch (error) {
      if (!(error instanceof DomainError) && !/ledger_account_balance_not_negative/.test(String(error)))
        throw error;
    }
  }

  private async take(next: Step): Promise<void> {
    const investments = this.platform.app.get(Investments);
    const chosen = 'which' in next ? this.investments[next.which % this.investments.length] : undefined;
    switch (next.does) {
      case 'deposit':
        return this.platform.given.deposit(this.user.id, next.amount);
      case 'invest': {
        const strategyId = STRATEGIES[next.which % STRATEGIES.length] as string;
        const { id } = await investments.create(this.user.id, { strategyId, amount: next.amount });
        this.investments.push(id);
        return;
      }
      case 'move': {
        if (chosen === undefined) return;
        const strategyId = STRATEGIES[next.to % STRATEGIES.length] as string;
        const moved = await this.platform.app.get(InvestmentMoves).move(this.user.id, chosen, strategyId);
        this.investments.push(moved.id);
        return;
      }
      case 'withdraw':
        this.open.push(await this.happens.withdraw(this.user.id, next.amount));
        return;
      case 'settle': {
        const [withdrawal] = this.open.splice(next.which % Math.max(1, this.open.length), 1);
        if (withdrawal) await this.happens.withdrawal(next.end, withdrawal);
        return;
      }
      case 'wait':
        return this.platform.clock.advance(next.days * DAY_MS);
      default:
        return chosen === undefined ? undefined : this.decide(investments, next.does, chosen);
    }
  }

  private async decide(investments: Investments, verb: string, id: string): Promise<void> {
    if (verb === 'close') await investments.close(this.user.id, id);
    if (verb === 'cancel') await investments.cancel(this.user.id, id);
    if (verb === 'approve') await investments.approve(id, 'operator@example.com');
    if (verb === 'reject') await investments.reject(id);
  }
}

describe('After anything that can happen to a user', () => {
  let platform: TestPlatform;
  let happens: Happenings;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10' },
    });
    happens = new Happenings(platform.app);
  });
  afterAll(() => platform.stop());

  const sum = (texts: string[]) => Money.sum(texts.map((text) => Money.of(text)));

  async function requireRules(user: TestUser): Promise<void> {
    const { data } = await platform.as(user).get('/api/user/balance');
    const [total, available, invested] = [data.total, data.available, data.invested].map((text) =>
      Money.of(text),
    ) as [Money, Money, Money];
    const { deposits, withdrawals, earnings, fees } = data.breakdown;
    expect(total.toWire()).toBe(available.plus(invested).toWire());
    const explained = sum([deposits, earnings])
      .minus(sum([withdrawals, fees]))
      .minus(invested);
    expect(available.toWire()).toBe(explained.toWire());
    const positions = data.investments as { amount: string; currentValue: string }[];
    expect(invested.toWire()).toBe(sum(positions.map((position) => position.amount)).toWire());
    expect(data.accruedEarnings).toBe(
      sum(positions.map((p) => p.currentValue))
        .minus(invested)
        .toWire(),
    );
    expect(available.isNegative() || invested.isNegative()).toBe(false);
    expect(available.toWire()).toBe(await sumOfTransactions(user));
  }

  /** From the wire alone: what each transaction has done to the available balance. */
  async function sumOfTransactions(user: TestUser): Promise<string> {
    const changes: string[] = [];
    for (let page = 1, more = true; more; page++) {
      const { data, body } = await platform.as(user).get(`/api/user/transactions?limit=100&page=${page}`);
      changes.push(...data.map((t: { metadata: { balanceChange: string } }) => t.metadata.balanceChange));
      more = body.pagination.hasNext;
    }
    return sum(changes).toWire();
  }

  it('the rules of the balance hold, and the transactions add up to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        const life = new Life(platform, happens, await platform.given.user().withBalance('2000.00'));
        for (const next of steps) await life.live(next);
        await requireRules(life.user);
      }),
      { numRuns: 30 },
    );
    const [{ kinds }] = await platform.dataSource.query(
      "select array_agg(distinct type || ' ' || status order by type || ' ' || status) as kinds from user_transaction",
    );
    const [{ moved }] = await platform.dataSource.query(
      'select count(moved_from)::int as moved from investment',
    );
    expect(moved).toBeGreaterThan(0);
    expect(kinds).toEqual([
      'deposit completed',
      'divestment completed',
      'earning completed',
      'fee completed',
      'investment completed',
      'withdrawal cancelled',
      'withdrawal completed',
      'withdrawal failed',
      'withdrawal pending',
    ]); // or the lives were too dull to prove anything
  }, 120_000);
});
