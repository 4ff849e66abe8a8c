import { randomUUID } from 'node:crypto';
import { YieldReportsService } from '../../src/modules/investing/strategies/yield-reports.service.js';
import { AdminInvestmentSteps } from '../fixtures/admin-investments.js';
import type { TestUser } from '../fixtures/given.js';
import { ProviderCallbacks } from '../fixtures/provider-callbacks.js';
import { ReconciliationSteps } from '../fixtures/reconciliations.js';
import { treasurySteps, type TreasurySteps } from '../fixtures/treasury.js';
import type { TestPlatform } from '../harness/platform.js';

/** For `startConsole`: investments of 1,000.00 and more wait for an approval, and only callbacks report deposits. */
export const DESK_SETTINGS = { INVESTMENT_APPROVAL_THRESHOLD: '1000', DEPOSIT_POLL_SECONDS: '3600' };
/** With six decimals, and long. */
export const LONG_AMOUNT = '123456.123456';

/** Makes the records that the screens about money show. */
export class DeskRecords {
  readonly investing: AdminInvestmentSteps;

  private constructor(
    private readonly platform: TestPlatform,
    readonly treasury: TreasurySteps,
  ) {
    this.investing = new AdminInvestmentSteps(platform, treasury.admin);
  }

  static async of(platform: TestPlatform): Promise<DeskRecords> {
    return new DeskRecords(platform, await treasurySteps(platform));
  }

  user = (): Promise<TestUser> => Promise.resolve(this.platform.given.user().withBalance('200000.00'));

  /** A confirmed deposit of the user below the minimum. */
  async heldDeposit(user: TestUser): Promise<string> {
    const caller = this.platform.as(user);
    const { data } = await caller.get('/api/user/deposits/address?currency=USDC&network=TRC20');
    const report = { currency: 'USDC', address: data.address as string, amount: '50.123456' };
    await new ProviderCallbacks(this.platform).reportDeposit(report);
    const deposits = (await caller.get('/api/user/deposits')).data as { id: string; network: string }[];
    return deposits.find(({ network }) => network === 'TRC20')?.id as string;
  }

  /** A yield report that waits for a decision. */
  async waitingReport(): Promise<string> {
    const eventId = randomUUID();
    await this.platform.app.get(YieldReportsService).record({
      eventId,
      strategyId: 'balanced-10',
      day: this.platform.clock.today(),
      apy: '18',
      realisedAmount: '1.123456',
    });
    const path = '/api/admin/yield-reports?status=all&limit=100';
    const { data } = await this.platform.as(this.treasury.admin).get(path);
    return data.find((report: { eventId: string }) => report.eventId === eventId).id;
  }

  /** A reconciliation of a statement that has a line which the ledger lacks. */
  async reconciliationWithBreak(): Promise<string> {
    const line = { reference: randomUUID(), amount: LONG_AMOUNT, currency: 'USDC', direction: 'out' };
    const reconciling = new ReconciliationSteps(this.platform, this.treasury.admin);
    return (await reconciling.createFromCustody([{ ...line, date: this.platform.clock.today() }])).data.id;
  }
}
