import { verifyLiability } from '../../../client/verify.js';
import { addDays, type Day } from '../../../src/common/days.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { downloadPack, runVerifier } from '../../fixtures/audit-packs.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { LIABILITIES, LiabilitySteps } from '../../fixtures/liability-steps.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { eventually } from '../../harness/eventually.js';
import type { TestPlatform } from '../../harness/platform.js';

const DAY: Day = '2026-03-02';
const NEXT_DAY = addDays(DAY, 1);
const SECOND_MS = 1000;

/**
 * The amount that is below zero at midnight, the end of the error message, and the SQL that changes the amount and undoes the
 * change; `$name` is a name of `ids`. A balance at midnight is the present one minus the entries since midnight: if an entry that is larger
 * than the balance moves to the next day, the balance at midnight is below zero. An investment that was changed after midnight and held
 * deposits are computed from their entries instead: entries with the other sign make them negative.
 */
const CHANGES: readonly [amount: string, message: string, change: string, undo: string][] = [
  [
    'an available balance',
    'USDC are below zero: available of user $ann',
    `update ledger_entry set effective_at = effective_at + interval '1 day' where account_id = $available and amount > 0`,
    `update ledger_entry set effective_at = effective_at - interval '1 day' where account_id = $available and amount > 0`,
  ],
  [
    'a reserved balance',
    'USDC are below zero: reserved of user $ann',
    `update ledger_entry set effective_at = effective_at + interval '1 day', amount = amount * 2 where account_id = $reserved`,
    `update ledger_entry set effective_at = effective_at - interval '1 day', amount = amount / 2 where account_id = $reserved`,
  ],
  [
    'one of several investments',
    'USDC are below zero: invested of user $ann',
    `update investment set updated_at = updated_at + interval '1 day' where amount = 300;
     update ledger_entry set amount = -amount where account_id = $invested and amount = 300`,
    `update investment set updated_at = updated_at - interval '1 day' where amount = 300;
     update ledger_entry set amount = -amount where account_id = $invested and amount = -300`,
  ],
  [
    'the held deposits of a user',
    'USDC are below zero: held of user $eve',
    `update ledger_entry set amount = -amount where account_id = $suspense`,
    `update ledger_entry set amount = -amount where account_id = $suspense`,
  ],
  [
    'the only balance in an asset',
    'ETH are below zero: available of user $bob',
    `update ledger_entry set effective_at = effective_at + interval '1 day', amount = amount * 2 where account_id = $ether`,
    `update ledger_entry set effective_at = effective_at - interval '1 day', amount = amount / 2 where account_id = $ether`,
  ],
];

describe('A day on which an amount is below zero', () => {
  let scenario: DepositScenario;
  let platform: TestPlatform;
  let steps: LiabilitySteps;
  let ann: TestUser;
  let kim: TestUser;
  /** The ids for which the names in `CHANGES` stand. */
  let ids: Record<string, string>;

  // Ann has 1500.00, of which she invests 700.00 and 300.00 and withdraws 120.00; Bob has 2 ETH; 200.00 are held for Eve. Kim
  // withdraws 30.00 before midnight, which her deposit of the next day covers.
  beforeAll(async () => {
    scenario = await DepositScenario.start({ LOG_SEAL_SECONDS: '3600' });
    platform = scenario.platform;
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    const events = new DomainEventFixtures(platform.app);
    ann = await platform.given.user().withBalance('1500.00');
    for (const amount of ['700.00', '300.00'])
      await platform.as(ann).post('/api/user/investments', { strategyId: 'balanced-10', amount });
    await events.withdraw(ann.id, '120.00');
    const bob = await platform.given.user();
    await events.deposit('deposit.completed', { userId: bob.id, amount: '2', currency: 'ETH' });
    const { user: eve, address } = await scenario.userWithAddress('USDC', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '200' });
    kim = await platform.given.user();
    steps.moveClock(NEXT_DAY, 2 * SECOND_MS); // the clock of a process that is ahead and credits the deposit
    await events.deposit('deposit.completed', { userId: kim.id, amount: '30' });
    steps.moveClock(NEXT_DAY, -SECOND_MS);
    await events.withdraw(kim.id, '30.00');
    await new LogReader(platform).seal();
    steps.moveClock(NEXT_DAY, HOUR_MS);
    await steps.publishNavs();
    const account = async (kind: string, owner?: TestUser, asset = 'USDC'): Promise<string> => {
      const [row] = await platform.dataSource.query<{ id: string }[]>(
        'select id from ledger_account where kind = $1 and asset = $2 and ($3::uuid is null or owner_id = $3)',
        [kind, asset, owner?.id ?? null],
      );
      return row!.id;
    };
    ids = {
      $ann: ann.id,
      $bob: bob.id,
      $eve: eve.id,
      $suspense: await account('suspense'),
      $available: await account('user.available', ann),
      $reserved: await account('user.reserved', ann),
      $invested: await account('user.invested', ann),
      $ether: await account('user.available', bob, 'ETH'),
    };
  });
  afterAll(() => scenario?.stop());

  const withIds = (text: string) => text.replace(/\$\w+/g, (name) => ids[name] as string);
  const execute = (sql: string) => executeWithoutTriggers(platform, withIds(sql));

  it.each(CHANGES)('is not closed if the amount is %s', async (_, message, change, undo) => {
    await execute(change);
    try {
      // Retries: `closeDueDays` closes no day while an older transaction is open on the server, even one of another test.
      await eventually(() => expect(steps.closeDueDays()).rejects.toThrow(`${DAY} in ${withIds(message)}`));
      expect((await steps.readWithoutSignIn(`${LIABILITIES}/${DAY}`)).status).toBe(404);
    } finally {
      await execute(undo);
    }
  });

  it('is closed, and the amount counts as zero, if a credit shortly after midnight covers it', async () => {
    await steps.closeDaysUpTo(DAY);
    const proof = await steps.getProof(kim, `day=${DAY}`);
    expect(proof.components).toEqual({
      available: '0.00',
      reserved: '30.00',
      invested: '0.00',
      held: '0.00',
    });
    await verifyLiability(proof, await steps.getPublishedTotals(DAY), kim.id);
    expect((await steps.getPublishedTotals(DAY)).total).toBe('1730.00'); // 1500 (Ann) + 200 (Eve) + 30 (Kim)
  });

  describe('has an audit pack', () => {
    const verifyPackOf = async (day: string) => {
      const { token } = await platform.given.admin();
      return runVerifier(await downloadPack(platform, token, { from: day, to: day }));
    };

    it('of the day, which ends with a balance below zero that is listed as not verified', async () => {
      const { status, output } = await verifyPackOf(DAY);
      const listed = `not verified: 1 closing balances of users below zero, the first user.available/${kim.id} USDC -30.00: `;
      expect([status, output]).toEqual([0, expect.stringContaining(listed)]);
    });

    it('of the next day, which begins with a balance below zero that the credit shortly after midnight covers', async () => {
      const { status, output } = await verifyPackOf(NEXT_DAY);
      expect([status, output]).toEqual([0, expect.not.stringContaining('below zero')]);
    });
  });
});
