import type { Address } from 'viem';
import { addDays, type Day } from '../../../src/common/days.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { READ_CHAIN_WITHIN_SECONDS } from '../../../src/modules/assurance/liabilities/liabilities.repository.js';
import { ASSETS, LiabilitySteps } from '../../fixtures/liability-steps.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { transferToCustody } from '../../fixtures/transfers.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const DAY: Day = '2026-03-02';
const READ_CHAIN_WITHIN_MS = READ_CHAIN_WITHIN_SECONDS * 1000;
const bookLine = (place: string, amount: string) => ({ place, asset: 'USDC', amount, source: 'books' });

describe('GET /api/proofs/assets/:day', () => {
  let platform: TestPlatform;
  let steps: LiabilitySteps;
  let custody: Address;

  // Each test starts a platform, because closed days cannot be opened again.
  beforeEach(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' } });
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    custody = platform.env.CUSTODY_ADDRESS as Address;
    await platform.given.user().withBalance('1000.00');
    await new LogReader(platform).seal(); // no day is closed before the log has a checkpoint
  });
  afterEach(() => platform?.stop());

  const assetsOf = async (day: Day) => (await steps.readWithoutSignIn(`${ASSETS}/${day}`)).data;
  /** Pays the amount to custody on the chain and posts the transfer at the time of the domain clock. */
  async function moveToCustody(amount: string): Promise<void> {
    await platform.outside.chain.payUsdc(custody, amount);
    await transferToCustody(platform, amount);
  }

  it('lists the amount of custody on chain for a day that was closed within READ_CHAIN_WITHIN_SECONDS after its end', async () => {
    await moveToCustody('100.00');
    await steps.closeDaysUpTo(DAY, READ_CHAIN_WITHIN_MS - MINUTE_MS);
    const { lines, totals } = await assetsOf(DAY);
    expect(lines).toEqual([
      {
        place: 'custody',
        asset: 'USDC',
        amount: '100.00',
        source: 'chain',
        address: custody,
        block: expect.any(Number),
      },
      bookLine('deposit-provider/ERC20', '900.00'), // 1000.00 − 100.00
    ]);
    expect(totals[0]).toMatchObject({ assets: '1000.00', liabilities: '1000.00', coverage: '1.00' });
  });

  it('counts a transfer to custody once while the ledger does not have it yet', async () => {
    await platform.outside.chain.payUsdc(custody, '400.00');
    await steps.closeDaysUpTo(DAY, READ_CHAIN_WITHIN_MS - MINUTE_MS);
    const { lines, totals } = await assetsOf(DAY);
    expect(lines).toMatchObject([
      { place: 'custody', amount: '400.00', source: 'chain' },
      bookLine('deposit-provider/ERC20', '600.00'), // 1000.00 − 400.00
    ]);
    expect(totals[0]).toMatchObject({ assets: '1000.00', coverage: '1.00' });
  });

  it('lists the ledger’s balances at midnight for a day that was closed late, so that no transfer counts twice', async () => {
    await moveToCustody('100.00');
    steps.moveClock(addDays(DAY, 1), MINUTE_MS);
    await moveToCustody('400.00');
    await steps.closeDaysUpTo(DAY, READ_CHAIN_WITHIN_MS + MINUTE_MS);
    const { lines, totals } = await assetsOf(DAY);
    // Without the 400.00 of the next day, which the chain shows at custody by now.
    expect(lines).toEqual([bookLine('custody', '100.00'), bookLine('deposit-provider/ERC20', '900.00')]);
    expect(totals[0]).toMatchObject({ assets: '1000.00', liabilities: '1000.00', coverage: '1.00' });
  });

  it('lists the ledger’s balances at each midnight for days closed together, also while the node does not answer', async () => {
    const nextDay = addDays(DAY, 1);
    await moveToCustody('500.00');
    steps.moveClock(nextDay, HOUR_MS);
    await moveToCustody('200.00');
    steps.moveClock(nextDay, DAY_MS + HOUR_MS);
    platform.outside.providers.faults.set('chain', 'error');
    try {
      await steps.closeDaysUpTo(nextDay);
    } finally {
      platform.outside.providers.faults.clear('chain');
    }
    expect((await assetsOf(DAY)).lines).toEqual([
      bookLine('custody', '500.00'),
      bookLine('deposit-provider/ERC20', '500.00'),
    ]);
    expect((await assetsOf(nextDay)).lines).toEqual([
      bookLine('custody', '700.00'), // 500.00 + 200.00
      bookLine('deposit-provider/ERC20', '300.00'), // 1000.00 − 700.00
    ]);
  });
});
