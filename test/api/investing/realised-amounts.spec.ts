import type { Day } from '../../../src/common/days.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { ASSETS, LiabilitySteps } from '../../fixtures/liability-steps.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { processDueCallbacks } from '../../fixtures/provider-callbacks.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const REPORTS = '/api/admin/yield-reports';
const STRATEGY_ID = 'balanced-10';

describe('A signed yield report whose realised amount the invested value does not explain', () => {
  let platform: TestPlatform;
  let steps: LiabilitySteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' } });
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    const user = await platform.given.user().withBalance('300000.00');
    await platform.as(user).post(INVESTMENTS, { strategyId: STRATEGY_ID, amount: '100000.00' });
    await new LogReader(platform).seal(); // no day is closed before the log has a checkpoint
    await steps.closeDaysUpTo('2026-03-04');
  });
  afterAll(() => platform?.stop());

  /** Sends the provider's signed callback about 4 March and returns the report as the admins' list has it. */
  async function report(realisedAmount: string) {
    const { custody } = platform.outside.providers;
    await custody.report({ strategyId: STRATEGY_ID, day: '2026-03-04', apy: '10', realisedAmount }).delivery;
    await processDueCallbacks(platform);
    const { data } = await platform.as(await platform.given.admin()).get(REPORTS);
    return data.find((listed: { realisedAmount: string }) => listed.realisedAmount === realisedAmount);
  }
  const totalsOf = async (day: Day) => (await steps.readWithoutSignIn(`${ASSETS}/${day}`)).data.totals[0];

  it('waits for an admin with its reason, and leaves the ledger and the published coverage unchanged [SEC-342]', async () => {
    const before = await platform.ledgerState();
    expect(await report('5000000000.00')).toMatchObject({
      status: 'waiting',
      waitingFor: ['realisedAmount'],
      expectedAmount: '26.122608', // 100000 × 1.1^(1/365) × (1.1^(1/365) − 1)
      appliedOn: null,
    });
    expect(await platform.ledgerState()).toEqual(before);
    expect(await report('26.12')).toMatchObject({ status: 'fold', waitingFor: [] }); // control: an explained amount is applied
    await steps.closeDaysUpTo('2026-03-05');
    expect(await totalsOf('2026-03-05')).toEqual({
      asset: 'USDC',
      assets: '300026.12', // 300000 + 26.12 of the control
      liabilities: '300052.238396', // 300000 and the growth of 3 and 4 March: 26.115788 + 26.122608
      coverage: '0.999912', // 300026.12 / 300052.238396, rounded down
    });
  });
});
