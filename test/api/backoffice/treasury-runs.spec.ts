import { DAY_MS } from '../../../src/common/durations.js';
import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { investmentMade } from '../../../src/modules/core/ledger/domain/postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { Hold } from '../../harness/hold.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { freezeTime } from '../../harness/skip-time.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';

describe('A treasury run', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { MANAGEMENT_FEE_PERCENT: '0' } });
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());
  /** Processes all movements and the surplus, so that the next test starts without them. */
  afterEach(async () => {
    await planTransfers();
    await confirmAll();
  });

  const invest = async (user: TestUser, amount: string, strategyId = 'balanced-10') =>
    (await platform.as(user).post('/api/user/investments', { strategyId, amount })).data.id as string;
  const close = (user: TestUser, id: string) => platform.as(user).delete(`/api/user/investments/${id}`);
  /** Generates a run and returns purpose, amount and strategy of each transfer that it plans. */
  const planTransfers = async (): Promise<string[]> => {
    const reply = await steps.generateWithRetry();
    expect(reply.status).toBe(201);
    return reply.data.transactions.map(
      ({ amount, byAdmins }: any) => `${byAdmins.purpose} ${amount} ${byAdmins.strategyId}`,
    );
  };
  /** Waits until the run has checked `times` times whether the other open transactions have ended. */
  const waitForChecks = async (times: number) => {
    const query = jest.spyOn(platform.dataSource, 'query');
    const checks = () => query.mock.calls.filter(([sql]) => String(sql).includes('pg_snapshot_xmin'));
    await eventually(async () => expect(checks().length).toBeGreaterThanOrEqual(times));
    query.mockRestore();
  };
  const confirmAll = async () => {
    const { data } = await platform
      .as(steps.admin)
      .get('/api/admin/transactions?type=transfer&status=pending');
    for (const { id } of data.transactions) await steps.approve(id);
    for (const { id } of (await steps.execute()).data.requests) await steps.complete(id);
  };
  /** USDC at the deposit provider and in custody; the ledger records assets as negative amounts. */
  const held = async () => {
    const [row] = await platform.dataSource.query(
      `select coalesce(-sum(amount) filter (where kind = 'asset.deposit-provider'), 0) as provider,
              coalesce(-sum(amount) filter (where kind = 'asset.custody'), 0) as custody
         from ledger_entry join ledger_account as account on account.id = account_id`,
    );
    return { provider: Money.of(row.provider), custody: Money.of(row.custody) };
  };
  const difference = (before: Money, after: Money) => after.minus(before).toWire();

  it('nets investments and closings by strategy', async () => {
    const [ann, bob] = [
      await platform.given.user().withBalance('1000.00'),
      await platform.given.user().withBalance('1000.00'),
    ];
    const first = await invest(ann, '300.00');
    await invest(bob, '100.00');
    await invest(ann, '50.00', 'aggressive-20');
    await close(ann, first);
    const { data } = await steps.generateWithRetry();
    expect(data.strategies).toEqual([
      { strategyId: 'aggressive-20', invested: '50.00', returned: '0.00', net: '50.00' },
      { strategyId: 'balanced-10', invested: '400.00', returned: '300.00', net: '100.00' }, // 300.00 + 100.00 − 300.00
    ]);
    // The deposit provider keeps the available balances: 2000.00 − 150.00 = 1850.00; nothing remains to be swept.
    expect(data.transactions).toMatchObject([
      { type: 'transfer', status: 'pending', amount: '50.00', byAdmins: { purpose: 'allocate' } },
      { type: 'transfer', status: 'pending', amount: '100.00', byAdmins: { strategyId: 'balanced-10' } },
    ]);
  });

  it('plans nothing without new movements', async () => {
    const before = await held();
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '300.00');
    expect(await planTransfers()).toEqual(['allocate 300.00 balanced-10']);
    expect(await planTransfers()).toEqual([]);
    await confirmAll(); // its own transfers are not new movements
    expect(await planTransfers()).toEqual([]);
    const after = await held();
    expect(difference(before.provider, after.provider)).toBe('700.00'); // 1000.00 − 300.00
    expect(difference(before.custody, after.custody)).toBe('300.00');
  });

  it('returns the payout of a closing, including growth', async () => {
    const before = await held();
    const ann = await platform.given.user().withBalance('1000.00');
    const id = await invest(ann, '1000.00');
    await planTransfers();
    await confirmAll();
    platform.clock.advance(10 * DAY_MS);
    expect((await close(ann, id)).status).toBe(200);
    const { available } = await steps.balance(ann);
    expect(Money.of(available).isMoreThan(Money.of('1000.00'))).toBe(true);
    expect(await planTransfers()).toEqual([`deallocate ${available} balanced-10`]); // principal and growth; both fees are 0 %
    await confirmAll();
    // The payout is available, and the deposit provider holds available money.
    expect(difference(before.provider, (await held()).provider)).toBe(available);
  });

  it('plans a move between strategies as deallocation and allocation', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const id = await invest(ann, '400.00');
    await planTransfers();
    await platform.as(ann).put(`/api/user/investments/${id}`, { strategyId: 'aggressive-20' });
    expect(await planTransfers()).toEqual(['allocate 400.00 aggressive-20', 'deallocate 400.00 balanced-10']);
  });

  it('sweeps the surplus into custody, from which withdrawals are paid', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '300.00');
    await steps.withdrawals.request(ann, '200.00');
    // 1000.00 − 300.00 allocated − 500.00 available = 200.00
    expect(await planTransfers()).toEqual(['allocate 300.00 balanced-10', 'sweep 200.00 null']);
    expect(await planTransfers()).toEqual([]);
  });

  it('sweeps the amount of a rejected transfer', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '300.00');
    const [allocate] = (await steps.generateWithRetry()).data.transactions;
    await steps.reject(allocate.id);
    expect(await planTransfers()).toEqual(['sweep 300.00 null']); // 1000.00 held − 700.00 available
  });

  it('does not sweep money held in suspense', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    await steps.putIntoSuspense('50.00', 'TRC20');
    expect(await planTransfers()).toEqual([]); // 100.00 + 50.00 held, 100.00 + 50.00 owed
    await steps.withdrawals.request(ann, '100.00');
    expect(await planTransfers()).toEqual(['sweep 100.00 null']); // 150.00 held − 50.00 in suspense
  });

  it('plans transfers that the admin who generated them cannot approve', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '300.00');
    const [{ id }] = (await steps.generateWithRetry()).data.transactions;
    expect(await steps.approve(id, steps.admin)).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    expect((await steps.approve(id, steps.admin2)).status).toBe(200);
  });

  it('counts an entry exactly once if it is committed after entries that were written later', async () => {
    const [ann, bob] = [
      await platform.given.user().withBalance('1000.00'),
      await platform.given.user().withBalance('1000.00'),
    ];
    const original = await invest(bob, '10.00'); // copied for the late posting, whose transaction stays open
    await planTransfers();
    const lateId = newId();
    await platform.dataSource.query(
      `insert into investment
       select (jsonb_populate_record(investment, jsonb_build_object('id', $2::text, 'user_id', $3::text))).*
         from investment where id = $1`,
      [original, lateId, ann.id],
    );
    const hold = new Hold();
    const investment = {
      investmentId: lateId,
      userId: ann.id,
      strategyId: 'balanced-10',
      principal: Money.of('70.00'),
      units: Money.of('70.00'),
      at: platform.clock.now(),
    };
    const lateTransaction = platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
      await platform.app.get(LedgerService).post(tx, investmentMade(investment));
      await tx.query('select'); // is answered after the posting is written
      await hold.wait();
    });
    await hold.reached;
    await invest(bob, '20.00'); // has later entries, which are committed earlier

    const time = freezeTime(); // otherwise the run could time out on a slow machine
    let hasEnded = false;
    const run = planTransfers().finally(() => (hasEnded = true));
    await waitForChecks(3);
    expect(hasEnded).toBe(false); // the run waits without blocking writers
    await invest(bob, '15.00');
    hold.release();
    await lateTransaction;
    expect(await run).toEqual(['allocate 90.00 balanced-10']); // 70.00 late + 20.00
    time.resume();
    expect(await planTransfers()).toEqual(['allocate 15.00 balanced-10']);
  });

  it('times out when a transaction stays open, and processes all entries in the next run', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await invest(ann, '30.00');
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select pg_current_xact_id()'); // gives the transaction an id, as its first write would
    const time = freezeTime();
    const pendingReply = steps.generateOnce();
    await waitForChecks(3);
    time.advance(5001); // the run waits for five seconds
    const refused = await pendingReply;
    time.resume();
    await holder.rollbackTransaction();
    await holder.release();
    expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(await planTransfers()).toEqual(['allocate 30.00 balanced-10']);
  });
});
