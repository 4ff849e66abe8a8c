import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/common/durations.js';
import { ApiProcess } from '../harness/api-process.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { testFolder } from '../harness/test-folder.js';

describe('Two API processes on one database', () => {
  let platform: TestPlatform;
  let processes: [ApiProcess, ApiProcess];
  let clockFile: string;

  const moveClock = (days: number) => writeFileSync(clockFile, JSON.stringify({ offsetMs: days * DAY_MS }));

  beforeAll(async () => {
    clockFile = join(testFolder('two-processes'), 'clock.json');
    moveClock(0);
    platform = await startPlatform({ at: new Date().toISOString() });
    const env = { ...platform.env, CLOCK_FILE: clockFile, DEPOSIT_POLL_SECONDS: '1' };
    processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
    for (const process of processes) await process.waitUntilReady();
  });
  afterAll(async () => {
    for (const process of processes) await process.kill();
    await platform.stop();
  });

  /** Calls both processes four times concurrently. */
  const atBoth = <Result>(call: (url: string) => Promise<Result>) =>
    Promise.all(Array.from({ length: 8 }, (_, turn) => call((processes[turn % 2] as ApiProcess).url)));

  it('publish the NAVs of a day once, and post its growth once, under concurrent requests', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    await platform
      .as(user, processes[0].url)
      .post('/api/user/investments', { strategyId: 'aggressive-20', amount: '1000.00' });
    for (let day = 1; day <= 5; day++) {
      moveClock(day);
      const balances = await atBoth((url) => platform.as(user, url).get('/api/user/balance'));
      expect(new Set(balances.map(({ data }) => data.accruedEarnings)).size).toBe(1);
    }
    const growth = await platform.dataSource.query(
      `select reference_id from ledger_transaction where type = 'yield'`,
    );
    expect(growth).toHaveLength(4); // the investment grows from the second midnight on: on four of five days
  });

  it('credit a deposit once that both find at the provider', async () => {
    const user = await platform.given.user();
    const { data: address } = await platform
      .as(user, processes[0].url)
      .get('/api/user/deposits/address?currency=USDC&network=TRC20');
    await platform.outside.providers.deposits.pay(address.address, '700.00');

    const available = async () =>
      (await platform.as(user, processes[1].url).get('/api/user/balance')).data.available as string;
    await eventually(async () => expect(await available()).toBe('700.00'));
    const credited = await platform.dataSource.query(
      `select 1 from ledger_transaction where type = 'deposit' and reference_type = 'deposit'
          and reference_id in (select id::text from deposit where user_id = $1)`,
      [user.id],
    );
    expect(credited).toHaveLength(1);
  });
});
