import { sealLog } from '../../fixtures/log-reader.js';
import { ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A receipt of a record that changes while it is read', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' } });
  });
  afterAll(() => platform?.stop());

  it('shows the record as it was when its transactions were read', async () => {
    const ann = await platform.given.user();
    const { address } = (await platform.as(ann).get('/api/user/deposits/address?currency=USDT')).data;
    await new ProviderCallbacks(platform).reportDeposit({ address, amount: '100' });
    const [{ id }] = (await platform.as(ann).get('/api/user/deposits')).data;
    await sealLog(platform);
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      // Blocks the statement that reads the transactions, after the record was read.
      await runner.query('lock table ledger_transaction in access exclusive mode');
      const reply = platform.as(ann).get(`/api/user/deposits/${id}/receipt`);
      await eventually(async () => {
        const waiting = await platform.dataSource.query<{ query: string }[]>(LOCK_WAITS);
        // The statement that reads the version of the record together with its transactions.
        expect(waiting.some(({ query }) => query.includes('record.version'))).toBe(true);
      });
      await runner.query('update deposit set confirmations = 77 where id = $1', [id]);
      await runner.commitTransaction();
      expect(JSON.parse((await reply).data.payload)).toMatchObject({
        id,
        confirmations: 77,
        transactions: [{ leafIndex: 0 }],
      });
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  });
});
