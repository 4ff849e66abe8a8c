import type { WithdrawalFact } from '../../src/modules/withdrawals/withdrawal.facts.js';
import { Withdrawals } from '../../src/modules/withdrawals/withdrawals.service.js';
import type { Happenings, ToldWithdrawal } from './happenings.js';
import type { TestPlatform } from './platform.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from './withdrawals.js';

/** For a `Life` whose withdrawals are made and moved on by the module that owns them. */
export class RealWithdrawals implements Pick<Happenings, 'withdraw' | 'withdrawal'> {
  private constructor(
    private readonly platform: TestPlatform,
    private readonly steps: WithdrawalSteps,
  ) {}

  static async on(platform: TestPlatform): Promise<RealWithdrawals> {
    return new RealWithdrawals(platform, await withdrawalSteps(platform));
  }

  async withdraw(userId: string, amount: string): Promise<ToldWithdrawal> {
    const wish = { amount, currency: 'USDC', toAddress: DESTINATION };
    const { id } = await this.platform.app.get(Withdrawals).request(userId, wish);
    return { id, userId, amount };
  }

  async withdrawal(name: WithdrawalFact['name'], { id, userId }: ToldWithdrawal): Promise<void> {
    switch (name) {
      case 'withdrawal.cancelled':
        await this.platform.app.get(Withdrawals).cancel(id, userId);
        return;
      case 'withdrawal.rejected':
        await this.steps.reject(id);
        return;
      case 'withdrawal.completed':
        await this.steps.take(id);
        await this.steps.complete(id);
        return;
      case 'withdrawal.failed':
        await this.steps.take(id);
        await this.steps.fail(id);
        return;
      default:
        throw new Error(`a life has no use for ${name}`);
    }
  }
}
