import fc from 'fast-check';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { InvestmentClosings } from '../../src/modules/investments/investment-closings.service.js';
import { InvestmentMoves } from '../../src/modules/investments/investment-moves.service.js';
import { Investments } from '../../src/modules/investments/investments.service.js';
import type { WithdrawalFact } from '../../src/modules/withdrawals/withdrawal.facts.js';
import type { TestUser } from './given.js';
import type { Happenings, ToldWithdrawal } from './happenings.js';
import type { TestPlatform } from './platform.js';

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
export const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('deposit' as const), amount: upTo(2000n) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('invest' as const), amount: upTo(900n), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('close' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('closePart' as const), which, amount: upTo(300n) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), which, to: which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('cancel', 'approve', 'reject'), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('withdraw' as const), amount: upTo(900n) }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('settle' as const), which, end: fc.constantFrom(...ENDS) }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One user to whom things happen; what is refused changes nothing and is passed over. */
export class Life {
  private readonly investments: string[] = [];
  private readonly open: ToldWithdrawal[] = [];

  constructor(
    private readonly platform: TestPlatform,
    private readonly happens: Pick<Happenings, 'withdraw' | 'withdrawal'>,
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
      case 'closePart': {
        const admin = { email: 'operator@example.com' };
        if (chosen === undefined) return;
        await this.platform.app.get(InvestmentClosings).close(chosen, next.amount, admin);
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
    if (verb === 'reject') await investments.reject(id, 'No', 'operator@example.com');
  }
}
