import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { repetitions } from '../../harness/repetitions.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const ROUNDS = repetitions(5);

describe('Two admins concurrently', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const countPostings = async (reference: string): Promise<number> => {
    const [row] = await platform.dataSource.query(
      'select count(*)::int as count from ledger_transaction where reference_id = $1',
      [reference],
    );
    return row.count;
  };
  const expectOneSuccess = (replies: Reply[]) => {
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const refusals = replies.filter(({ status }) => status !== 200);
    for (const { code } of refusals) expect(code).toBe('INVALID_STATE');
  };
  const repeat = async (work: () => Promise<void>) => {
    for (let round = 0; round < ROUNDS; round++) await work();
  };
  const createDeposit = async () => {
    const ann = await platform.given.user();
    return (await steps.create({ type: 'deposit', userId: ann.id })).data.id as string;
  };

  it('approve a transaction by hand: one succeeds', () =>
    repeat(async () => {
      const id = await createDeposit();
      // The creator is changed, so that both admins may approve.
      await queryWithoutTriggers(platform, 'update admin_transaction set created_by = $2 where id = $1', [
        id,
        'third',
      ]);
      expectOneSuccess(await Promise.all([steps.approve(id, steps.admin), steps.approve(id, steps.admin2)]));
      expect((await steps.auditEntries(id)).filter((entry) => entry.endsWith('approve'))).toHaveLength(1);
    }));

  it('confirm a deposit by hand: one succeeds and posts once', () =>
    repeat(async () => {
      const ann = await platform.given.user();
      const id = await steps.createApproved({ type: 'deposit', userId: ann.id, amount: '10.00' });
      expectOneSuccess(
        await Promise.all([
          steps.confirm(id),
          steps.confirm(id, {}, steps.admin2),
          steps.confirm(id, {}, steps.admin2),
        ]),
      );
      expect(await countPostings(id)).toBe(1);
      expect(await steps.balance(ann)).toMatchObject({ available: '10.00' });
    }));

  it('reject a transaction by hand: one succeeds', () =>
    repeat(async () => {
      const id = await createDeposit();
      expectOneSuccess(await Promise.all([steps.reject(id), steps.reject(id, 'No', steps.admin2)]));
    }));

  it('confirm and reject a deposit by hand: one succeeds', () =>
    repeat(async () => {
      const ann = await platform.given.user();
      const id = await steps.createApproved({ type: 'deposit', userId: ann.id, amount: '10.00' });
      const [confirmed, rejected] = await Promise.all([
        steps.confirm(id),
        steps.reject(id, 'No', steps.admin2),
      ]);
      expectOneSuccess([confirmed, rejected]);
      expect(await countPostings(id)).toBe(confirmed.status === 200 ? 1 : 0);
      expect((await steps.detail(id)).status).toBe(confirmed.status === 200 ? 'confirmed' : 'failed');
    }));

  it('confirm two withdrawals of the same money: one succeeds', () =>
    repeat(async () => {
      const ann = await platform.given.user().withBalance('100.00');
      const withdrawal = { type: 'withdrawal', userId: ann.id, amount: '60.00' };
      const ids = [await steps.createApproved(withdrawal), await steps.createApproved(withdrawal)];
      const replies = await Promise.all(ids.map((id) => steps.confirm(id)));
      expect(replies.map(({ code }) => code ?? 'done').sort()).toEqual(['INSUFFICIENT_BALANCE', 'done']);
      expect(await steps.balance(ann)).toMatchObject({ available: '40.00' }); // 100.00 − 60.00
    }));

  it('confirm a reversal: one succeeds and posts once', () =>
    repeat(async () => {
      const { withdrawalId, ann } = await steps.failedWithdrawal('100.00');
      const id = await steps.createApproved({ type: 'reversal', withdrawalId });
      expectOneSuccess(await Promise.all([steps.confirm(id), steps.confirm(id, {}, steps.admin2)]));
      expect(await countPostings(withdrawalId)).toBe(2); // reserved and released once
      expect(await steps.balance(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' }); // as before the withdrawal
    }));

  it('complete a request: one succeeds and posts once', () =>
    repeat(async () => {
      const { id, requestId } = await steps.transferWithRequest();
      expectOneSuccess(
        await Promise.all([
          steps.complete(requestId),
          steps.complete(requestId, undefined, {}, steps.admin2),
        ]),
      );
      expect(await countPostings(id)).toBe(1);
    }));

  it('complete a request and reject its transfer: one succeeds', () =>
    repeat(async () => {
      const { id, requestId } = await steps.transferWithRequest();
      const [completed, rejected] = await Promise.all([
        steps.complete(requestId),
        steps.reject(id, 'No', steps.admin2),
      ]);
      expectOneSuccess([completed, rejected]);
      expect(await countPostings(id)).toBe(completed.status === 200 ? 1 : 0);
      const [request] = (await steps.requests()).filter((row: { id: string }) => row.id === requestId);
      expect(request.status).toBe(completed.status === 200 ? 'completed' : 'rejected');
    }));

  it('execute approved transfers: a request for each transfer is created once', () =>
    repeat(async () => {
      const ids = [
        await steps.createApproved({ type: 'transfer' }),
        await steps.createApproved({ type: 'transfer' }),
      ];
      const replies = await Promise.all([steps.execute(), steps.execute({}, steps.admin2), steps.execute()]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      const requestedTransfers = replies.flatMap(({ data }) =>
        data.requests.map((row: any) => row.transactionId),
      );
      expect(requestedTransfers.sort()).toEqual(ids.sort());
    }));

  it('generate treasury runs: an investment is counted once', () =>
    repeat(async () => {
      await steps.generateWithRetry(); // processes the entries of earlier rounds and tests
      const ann = await platform.given.user().withBalance('100.00');
      const body = { strategyId: 'balanced-10', amount: '25.00' };
      expect((await platform.as(ann).post('/api/user/investments', body)).status).toBe(201);
      const replies = await Promise.all([
        steps.generateWithRetry(),
        steps.generateWithRetry(steps.admin2),
        steps.generateWithRetry(),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
      const allocated = replies.flatMap(({ data }) =>
        data.transactions.filter(({ byAdmins }: any) => byAdmins.purpose === 'allocate'),
      );
      expect(allocated.map(({ amount }: any) => amount)).toEqual(['25.00']);
    }));
});
