import { verifyPack } from '../../../client/audit-pack/verify-pack.js';
import { addDays, type Day } from '../../../src/common/days.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { depositCompleted } from '../../../src/modules/core/ledger/domain/postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { downloadPack } from '../../fixtures/audit-packs.js';
import type { TestUser } from '../../fixtures/given.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { LiabilitySteps } from '../../fixtures/liability-steps.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const FIRST_DAY: Day = '2026-03-02';
/** The day of the pack, on which Ann invests. */
const DAY = addDays(FIRST_DAY, 2);

describe('The verifier of an audit pack that the platform wrote after a change of its database', () => {
  let platform: TestPlatform;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600' } });
    const steps = new LiabilitySteps(platform);
    await steps.endJobs();
    ann = await platform.given.user().withBalance('1000.00');
    await sealLog(platform);
    for (let day = FIRST_DAY; day < DAY; day = addDays(day, 1)) await steps.closeDaysUpTo(day);
    steps.moveClock(DAY, 10 * HOUR_MS);
    await platform.as(ann).post('/api/user/investments', { strategyId: 'balanced-10', amount: '100.00' });
    await steps.closeDaysUpTo(DAY);
  });
  afterAll(() => platform?.stop());

  async function problemsOfPack(): Promise<string[]> {
    const { token } = await platform.given.admin();
    return (await verifyPack(await downloadPack(platform, token, { from: DAY, to: DAY }))).wrong;
  }

  it('finds a transaction that was moved to a day before those of the pack [SEC-427]', async () => {
    expect(await problemsOfPack()).toEqual([]);
    const [{ id, leafIndex }] = await platform.dataSource.query(
      `select id, leaf_index as "leafIndex" from ledger_transaction join proof_leaf on transaction_id = id
        where type = 'investment'`,
    );
    const move = async (days: number) => {
      for (const [table, column] of [
        ['ledger_transaction', 'id'],
        ['ledger_entry', 'transaction_id'],
      ])
        await queryWithoutTriggers(
          platform,
          `update ${table} set effective_at = effective_at + $2 * interval '1 day' where ${column} = $1`,
          [id, days],
        );
    };
    await move(-1);
    expect(await problemsOfPack()).toEqual([
      expect.stringMatching(`^other-leaves.jsonl: Leaf ${leafIndex} is not of a day before ${DAY}`),
    ]);
    await move(1);
  });

  it('finds that the published total of a day is less than the ledger owes [SEC-428]', async () => {
    const received = Money.of('300000.00');
    const at = new Date(`${DAY}T10:00:00Z`); // on a closed day, whose total does not have this money
    const deposit = { depositId: newId(), userId: ann.id, network: 'ERC20', asset: 'USDC', at };
    const posting = depositCompleted({ ...deposit, received, credited: received });
    await platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => platform.app.get(LedgerService).post(tx, posting));
    await sealLog(platform);
    expect(await problemsOfPack()).toEqual([
      // 1000.00 + 300000.00
      `liabilities.jsonl: The total of ${DAY} in USDC is 1000.00, and the ledger owes 301000.00.`,
    ]);
  });
});
