import { randomUUID } from 'node:crypto';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { DAY_MS } from '../../src/common/durations.js';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { INVARIANTS } from '../../src/modules/assurance/integrity/invariants.repository.js';
import {
  move,
  platformAccount,
  userAccount,
  type Posting,
} from '../../src/modules/core/ledger/domain/chart-of-accounts.js';
import { LedgerService } from '../../src/modules/core/ledger/ledger.service.js';
import { treasuryMoved } from '../../src/modules/core/ledger/domain/treasury-postings.js';
import {
  insertUnbalancedEntries,
  updateWithUndo,
  executeWithoutTriggers,
} from '../fixtures/ledger-corruption.js';
import { testPosting } from '../fixtures/ledger-fixtures.js';
import { forgedReport, recordCorruptions, type Corruption } from '../fixtures/record-corruptions.js';
import { LogReader } from '../fixtures/log-reader.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { transferToCustody } from '../fixtures/transfers.js';
import { violationsOf, withoutGerman, type Figures } from '../fixtures/violations.js';
import { withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';

const CHECK = '/api/admin/integrity';

describe('A violation of an invariant', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let ann: TestUser;
  let withdrawalId = '';
  let investmentId = '';
  /** Account ids by kind, of the platform and of ann. */
  let accounts: Record<string, string>;
  let units: string; // of Ann's investment
  let accrued: string; // growth of five days, posted to strategy.accrued

  const sql = (text: string, parameters: unknown[] = []) => platform.dataSource.query(text, parameters);
  const check = async () => (await platform.as(steps.admin).get(CHECK)).data;
  const resume = () => platform.as(steps.admin).post(`${CHECK}/resume`, { reason: 'Put right' });
  const plus = (text: string, more: string) => Money.of(text).plus(Money.of(more)).toString();
  const digits = (text: string) => plus(text, '0'); // without zeros at the end, as the report writes figures

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off', LOG_SEAL_SECONDS: '3600' } });
    await platform.app.get(Jobs).get('liabilities-closing').end();
    steps = await withdrawalSteps(platform);
    ann = await platform.given.user().withBalance('1000.00');
    const order = { strategyId: 'balanced-10', amount: '100.00' };
    investmentId = (await platform.as(ann).post('/api/user/investments', order)).data.id;
    platform.clock.advance(5 * DAY_MS);
    withdrawalId = (await steps.request(ann, '50.00')).data.id; // 1000.00 − 100.00 − 50.00 = 850.00 available
    await platform.as(ann).get('/api/user/balance'); // posts the growth of five days
    await transferToCustody(platform, '1.00');
    const rows = await sql('select kind, id from ledger_account where asset <> $1', ['USDT']);
    accounts = Object.fromEntries(rows.map(({ kind, id }: { kind: string; id: string }) => [kind, id]));
    [{ units }] = await sql('select units::text from investment');
    [{ accrued }] = await sql('select sum(growth)::text as accrued from strategy_accrual');
    expect(await check()).toMatchObject({ status: 'holds', pause: null }); // each test restores this
  });
  afterAll(() => platform?.stop());
  const post = (posting: Posting) =>
    platform.app.get(UnitOfWork).runInTransaction((tx) => platform.app.get(LedgerService).post(tx, posting));
  /** Inserts entries, stores the ids of their transactions in `ids`, and returns the statements that delete them. */
  async function addEntries(...entries: Parameters<typeof insertUnbalancedEntries>[1]): Promise<string[]> {
    const added = await insertUnbalancedEntries(platform, entries);
    ids = added.ids;
    return added.undo;
  }
  /** Updates a column; `undo` is the expression that sets it back. */
  const setColumn = (table: string, column: string, to: string, undo: string, where: string) =>
    updateWithUndo(platform, table, `${column} = ${to}`, `${column} = ${undo}`, where);
  const addToColumn = (table: string, column: string, amount: number, where: string) =>
    setColumn(table, column, `${column} + ${amount}`, `${column} - ${amount}`, where);
  /** Posts balanced entries that violate an invariant; `credited` is what they add to Ann's available balance. */
  async function postViolation(posting: Posting, credited: string): Promise<string[]> {
    await post(posting);
    const transactions = `(select id from ledger_transaction where reference_id = '${posting.reference.id}')`;
    return [
      `update ledger_account set balance = balance - ${credited} where id = ${accounts['user.available']}`,
      `delete from ledger_entry where transaction_id in ${transactions}`,
      `delete from ledger_transaction where reference_id = '${posting.reference.id}'`,
    ];
  }

  const provider = () => accounts['asset.deposit-provider'] as string;
  const available = () => `id = ${accounts['user.available']}`;
  const entriesOfAnn = () => `account_id = ${accounts['user.available']}`;
  const ofPlatform = (...figures: Figures) => violationsOf(null, figures);
  const ofAnn = (...figures: Figures) => violationsOf(ann.id, figures);
  /** Ids that `corrupt` of a test leaves for its `violations`. */
  let ids: string[] = [];

  const corruptions: Corruption[] = [
    {
      invariant: 'trial-balance',
      corrupt: () => addEntries({ account: provider(), amount: '-7' }),
      violations: () => ofPlatform('USDC', '0', '-7', '-7'),
    },
    {
      invariant: 'transactions', // two violations that cancel out in the trial balance
      corrupt: () => addEntries({ account: provider(), amount: '-7' }, { account: provider(), amount: '7' }),
      violations: () =>
        [
          ...ofPlatform(`transaction ${ids[0]} in USDC`, '0', '-7', '-7'),
          ...ofPlatform(`transaction ${ids[1]} in USDC`, '0', '7', '7'),
        ].sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    },
    {
      invariant: 'accounts', // an entry of an account that does not exist
      corrupt: () => {
        const transactionId = randomUUID();
        return addEntries(
          { account: '987654', amount: '7', transactionId },
          { account: provider(), amount: '-7', transactionId },
        );
      },
      violations: () => ofPlatform('account 987654 in USDC', '0', '7', '7'),
    },
    {
      invariant: 'accounts', // an entry in another asset than its account
      corrupt: () => {
        const otherAsset = { account: provider(), asset: 'USDT', transactionId: randomUUID() };
        return addEntries({ ...otherAsset, amount: '7' }, { ...otherAsset, amount: '-7' });
      },
      violations: () => ofPlatform(`account ${provider()} in USDT`, '0', '14', '14'), // |7| + |−7|
    },
    {
      invariant: 'balances',
      corrupt: () => addToColumn('ledger_account', 'balance', 5, available()),
      violations: () =>
        ofAnn(`user.available USDC of account ${accounts['user.available']}`, '850', '855', '5'),
    },
    {
      invariant: 'balance-chain',
      corrupt: async () => {
        const entries = await sql(`select id from ledger_entry where ${entriesOfAnn()} order by id`);
        ids = entries.map(({ id }: { id: string }) => id);
        return addToColumn('ledger_entry', 'balance_after', 1, `id = ${ids[0]}`);
      },
      violations: () => {
        const inAccount = `in user.available USDC of account ${accounts['user.available']}`;
        return [
          ...ofAnn(`entry ${ids[0]} ${inAccount}`, '1000', '1001', '1'),
          ...ofAnn(`entry ${ids[1]} ${inAccount}`, '901', '900', '-1'), // 1001 − 100, computed from the corrupted balance
        ];
      },
    },
    {
      invariant: 'backing', // the entry, the balances after it and the stored balance agree with each other
      corrupt: async () => {
        const firstEntry = `id = (select min(id) from ledger_entry where ${entriesOfAnn()})`;
        return [
          ...(await addToColumn('ledger_account', 'balance', 5, available())),
          ...(await addToColumn('ledger_entry', 'amount', 5, firstEntry)),
          ...(await addToColumn('ledger_entry', 'balance_after', 5, entriesOfAnn())),
        ];
      },
      violations: () => ofPlatform('USDC', '1000', '1005', '5'), // 1000 deposited; 855 + 100 + 50 owed
    },
    {
      invariant: 'assets',
      corrupt: () => {
        const at = platform.clock.now();
        const transfer = { transferId: newId(), network: 'ERC20', amount: Money.of('-6.00'), at };
        return postViolation(treasuryMoved(transfer), '0');
      },
      violations: () =>
        ofPlatform(`asset.custody USDC of account ${accounts['asset.custody']}`, '0', '-5', '-5'), // 1 − 6 < 0
    },
    {
      invariant: 'reserved',
      corrupt: () => setColumn('withdrawal', 'amount', '60', '50', `id = '${withdrawalId}'`),
      violations: () => ofAnn(`user.reserved USDC of user ${ann.id}`, '60', '50', '-10'),
    },
    {
      invariant: 'invested',
      corrupt: () => setColumn('investment', 'amount', '101', '100', `id = '${investmentId}'`),
      violations: () => ofAnn(`user.invested USDC of user ${ann.id}`, '101', '100', '-1'),
    },
    {
      invariant: 'units',
      corrupt: () => addToColumn('investment', 'units', 1, `id = '${investmentId}'`),
      violations: () =>
        ofAnn(`user.units UNIT:balanced-10 of user ${ann.id}`, plus(units, '1'), digits(units), '-1'),
    },
    {
      invariant: 'issued-units',
      corrupt: () =>
        addEntries({
          account: accounts['strategy.units'] as string,
          asset: 'UNIT:balanced-10',
          amount: '-1',
        }),
      violations: () => ofPlatform('UNIT:balanced-10', digits(units), plus(units, '1'), '1'),
    },
    {
      invariant: 'accrued-growth',
      corrupt: () => addEntries({ account: accounts['strategy.accrued'] as string, amount: '3' }),
      violations: () => ofPlatform('strategy.accrued balanced-10', digits(accrued), plus(accrued, '3'), '3'),
    },
    {
      invariant: 'days-begun', // 2026-03-07 has begun, so that the last value is of 2026-03-08
      corrupt: async () => {
        const row = `'balanced-10', '2027-03-08', 1.1, 10, 1, 'target'`; // strategy, day, NAV, APY, correction, source
        await executeWithoutTriggers(platform, `insert into strategy_nav values (${row})`);
        return [`delete from strategy_nav where day > '2026-03-08'`];
      },
      violations: () => ofPlatform('value of balanced-10 for 2027-03-08', '0', '365', '365'), // days after 2026-03-08
    },
    {
      invariant: 'conversion', // a conversion without a deposit
      corrupt: () => {
        const [conversion, user] = [platformAccount('conversion'), userAccount(ann.id, 'user.available')];
        const exchange = { at: platform.clock.now(), description: 'Exchanged for nothing' };
        return postViolation(testPosting(move(Money.of('9.00'), conversion, user), exchange), '9');
      },
      violations: () => ofPlatform('conversion USDC', '0', '-9', '-9'),
    },
    {
      invariant: 'transaction-history',
      corrupt: () =>
        setColumn('user_transaction', 'balance_change', '0', 'amount', `type = 'deposit' and amount = 1000`),
      violations: () => ofAnn(`available USDC of user ${ann.id}`, '850', '-150', '-1000'), // 0 − 100 − 50
    },
    ...recordCorruptions({
      platform: () => platform,
      user: () => ann,
      withdrawalId: () => withdrawalId,
      setColumn,
      postViolation,
    }),
    {
      invariant: 'sealed-history',
      corrupt: async () => {
        await new LogReader(platform).seal();
        const [first] = await sql('select * from proof_leaf where text is null order by leaf_index'); // of a deposit
        ids = [first.transaction_id, first.leaf_index];
        return setColumn('ledger_transaction', 'type', `'fee'`, `'deposit'`, `id = '${ids[0]}'`);
      },
      violations: () => ofPlatform(`leaf ${ids[1]} of transaction ${ids[0]}`, '1', '0', '-1'),
    },
    forgedReport(() => platform),
  ];

  it('is tested for every invariant', () => {
    const tested = new Set(corruptions.map(({ invariant }) => invariant));
    expect([...tested]).toEqual(INVARIANTS.map(({ name }) => name));
  });

  it.each(corruptions.map((corruption) => [corruption.invariant, corruption] as const))(
    'is reported, and pauses withdrawals if it concerns money owed to users: %s',
    async (invariant, corruption) => {
      const { severity } = INVARIANTS.find(({ name }) => name === invariant) as (typeof INVARIANTS)[number];
      const undo = await corruption.corrupt();
      try {
        const report = await check();
        const violations = corruption.violations();
        const reported = report.laws.find(({ name }: { name: string }) => name === invariant);
        expect(reported).toMatchObject({ status: 'broken', severity, breakCount: violations.length });
        expect(reported.breaks).toEqual(violations);
        expect(await withoutGerman(reported.breaks)).toEqual([]);
        const { status, code, data } = await steps.request(ann, '10.00');
        if (severity === 'owed') {
          expect(report).toMatchObject({ status: 'broken', pause: { pausedBy: 'system' } });
          expect(report.pause.reason).toContain(`${invariant} (${violations.length})`);
          expect([status, code]).toEqual([503, 'WITHDRAWALS_PAUSED']);
        } else if (report.status === 'warning') {
          expect(report).toMatchObject({ status: 'warning', pause: null });
          expect(status).toBe(201);
          await steps.cancel(data.id, ann);
        }
      } finally {
        await executeWithoutTriggers(platform, ...undo);
      }
      if (severity === 'owed' || invariant === 'transaction-history')
        // its change violates `history`, too
        expect((await resume()).data.stillBroken).toEqual([]);
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
    },
  );

  it('is counted even if it is not among the one hundred that are listed', async () => {
    const undo = await addEntries(...Array(120).fill({ account: provider(), amount: '-1' }));
    const reported = (await check()).laws.find(({ name }: { name: string }) => name === 'transactions');
    expect([reported.breakCount, reported.breaks.length]).toEqual([120, 100]);
    await executeWithoutTriggers(platform, ...undo);
    await resume();
  });
});
