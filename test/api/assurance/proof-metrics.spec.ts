import { addDays } from '../../../src/common/days.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { LiabilitySteps } from '../../fixtures/liability-steps.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { eventually } from '../../harness/eventually.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { skipTime } from '../../harness/skip-time.js';

const CACHE_MS = 5000; // figures of the database are cached for five seconds

describe('The metrics of proofs', () => {
  let platform: TestPlatform;
  let steps: LiabilitySteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600' } }); // no job seals during the test
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
  });
  afterAll(() => platform?.stop());

  const page = () => MetricsPage.fetch(platform.baseUrl);
  async function freshValue(name: string): Promise<number | undefined> {
    skipTime(CACHE_MS);
    return (await page()).value(name);
  }

  it('show the age of the oldest transaction that is not sealed', async () => {
    await platform.given.user().withBalance('10.00');
    await sealLog(platform);
    expect(await freshValue('log_unsealed_age_seconds')).toBe(0);
    await platform.given.user().withBalance('10.00');
    await executeWithoutTriggers(
      platform,
      `update ledger_transaction set recorded_at = recorded_at - interval '1 hour'
        where id not in (select transaction_id from proof_leaf where transaction_id is not null)`,
    );
    await platform.given.user().withBalance('10.00'); // a younger transaction
    const age = await freshValue('log_unsealed_age_seconds');
    expect(age).toBeGreaterThanOrEqual(3600);
    expect(age).toBeLessThan(4000); // the hour and the duration of the test
    await sealLog(platform);
    expect(await freshValue('log_unsealed_age_seconds')).toBe(0);
  });

  it('show the number of days that are over and not closed', async () => {
    expect(await freshValue('liabilities_unclosed_days')).toBe(0);
    const today = platform.clock.today();
    steps.moveClock(addDays(today, 3), 0);
    expect(await freshValue('liabilities_unclosed_days')).toBe(3);
    await steps.closeDaysUpTo(addDays(today, 2));
    expect(await freshValue('liabilities_unclosed_days')).toBe(0);
  });

  it('do not count a pending proof as a failure, but count an internal error', async () => {
    const user = await platform.given.user().withBalance('10.00');
    const [{ id }] = (await platform.as(user).get('/api/user/transactions')).data;
    const before = await page();
    const failures = (metrics: MetricsPage) => metrics.value('http_request_failures_total') as number;
    const pending = await platform.as(user).get(`/api/user/transactions/${id}/proof`);
    await platform.dataSource.query('alter table notification rename to notification_away');
    const failed = await platform.as(user).get('/api/user/notifications');
    await platform.dataSource.query('alter table notification_away rename to notification');
    expect([pending.status, pending.code, failed.status]).toEqual([503, 'PROOF_PENDING', 500]);
    await eventually(async () => {
      const after = await page();
      const served = (status: string) =>
        after.value('http_request_duration_seconds_count', { method: 'GET', status });
      expect([served('503'), served('500')]).toEqual([1, 1]);
      expect(failures(after) - failures(before)).toBe(1);
    });
  });
});
