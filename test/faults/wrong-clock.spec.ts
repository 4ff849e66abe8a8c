import { pathToFileURL } from 'node:url';
import { SystemClock } from '../../src/common/clock.js';
import { DAY_MS, HOUR_MS } from '../../src/common/durations.js';
import { ApiProcess } from '../harness/api-process.js';
import type { TestUser } from '../fixtures/given.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const SHIFT_CLOCK = pathToFileURL('test/harness/wrong-clock.mjs').href;
const INVESTMENTS = '/api/user/investments';

describe('A process whose clock is wrong', () => {
  let platform: TestPlatform;
  let user: TestUser;
  let investmentId: string;

  beforeAll(async () => {
    platform = await startPlatform({ at: new SystemClock().now().toISOString() });
    user = await platform.given.user().withBalance('20000.00');
    const order = { strategyId: 'aggressive-20', amount: '10000.00' };
    investmentId = (await platform.as(user).post(INVESTMENTS, order)).data.id;
  });
  afterAll(() => platform?.stop());

  /**
   * The balances, the last NAV and the row counts that payments, NAV publishing and clean-up jobs would change. A
   * process whose clock is wrong by an hour or more would write future or old minutes to `sla_minute`.
   */
  const state = async () => [
    await platform.ledgerState(),
    await platform.dataSource.query(
      `select (select max(day) from strategy_nav) as day, (select count(*) from session) as sessions,
              (select count(*) from refresh_token) as "refreshTokens", (select count(*) from wallet_nonce) as nonces,
              (select count(*) from idempotency_result) as results, (select count(*) from webhook_event) as callbacks,
              (select max(minute) < now() + interval '1 minute' from sla_minute) as "noFutureMinute",
              (select min(minute) > now() - interval '50 minutes' from sla_minute) as "noOldMinute"`,
    ),
  ];

  it.each([
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
    ['a year ahead', 365 * DAY_MS],
    ['a year behind', -365 * DAY_MS],
  ])('%s is not ready, pays nothing, publishes no NAV and deletes nothing', async (_description, errorMs) => {
    await platform.as(user).get('/api/user/balance'); // publishes missing NAVs
    await platform.dataSource.query(
      `update alert set resolved_at = now(), resolved_by = 'system', reason = 'Before' where resolved_at is null`,
    );
    const before = await state();
    const api = await ApiProcess.launch({
      ...platform.env,
      LOG_LEVEL: 'info',
      DEPOSIT_POLL_SECONDS: '1',
      NODE_OPTIONS: `--import ${SHIFT_CLOCK}`,
      CLOCK_ERROR_MS: String(errorMs),
    });
    try {
      await eventually(async () =>
        expect((await sendRequest(`${api.url}/api/health/live`)).status).toBe(200),
      );
      expect((await sendRequest(`${api.url}/api/health/ready`)).status).toBe(503);
      expect(api.output).toMatch(
        /the clock of this process is \d+ s (ahead of|behind) the clock of the database/,
      );

      const signedIn = platform.as(user, api.url);
      const anonymous = platform.as(null, api.url);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const order = { strategyId: 'aggressive-20', amount: '100.00' };
      const withdrawal = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };

      const closingReply = await signedIn.delete(`${INVESTMENTS}/${investmentId}`);
      const investmentReply = await signedIn.post(INVESTMENTS, order, { headers });
      const balance = await signedIn.get('/api/user/balance');
      const walletCheck = await anonymous.post('/api/auth/wallet/check', { address: `0x${'ab'.repeat(20)}` });
      const withdrawalReply = await signedIn.post('/api/user/withdrawals', withdrawal);

      // For a clock that is a day or more ahead the token has expired.
      const refusals = ['SERVICE_UNAVAILABLE', 'TOKEN_EXPIRED'];
      for (const { code } of [closingReply, investmentReply, withdrawalReply])
        expect(refusals).toContain(code);
      expect(walletCheck.code).toBe('SERVICE_UNAVAILABLE');
      if (balance.status !== 200) expect(refusals).toContain(balance.code);
      await eventually(async () => {
        const [alert] = await platform.dataSource.query<{ isNow: boolean }[]>(
          `select created_at between now() - interval '5 minutes' and now() + interval '5 minutes' as "isNow"
             from alert where kind = 'clock-apart' and resolved_at is null`,
        );
        expect(alert).toEqual({ isNow: true });
      });
    } finally {
      await api.terminate();
    }
    expect(await state()).toEqual(before);
    const investment = await platform.as(user).get(`${INVESTMENTS}/${investmentId}`);
    expect(investment.data).toMatchObject({ status: 'active', currentValue: '10000.00' });
  });
});
