import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { investmentMade } from '../../../src/modules/core/ledger/domain/postings.js';
import { AccountLocksService } from '../../../src/modules/identity/users/account-restrictions.service.js';
import { givenKey } from '../../fixtures/api-keys.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { eventually } from '../../harness/eventually.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';

describe('Investment requests', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  beforeAll(async () => {
    platform = await startPlatform({ at: START });
    steps = new InvestmentSteps(platform);
  });
  afterAll(() => platform?.stop());

  describe('sent concurrently', () => {
    it('allow exactly one of forty investments of the whole balance', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const replies = await Promise.all(Array.from({ length: 40 }, () => steps.invest(ann, '500.00')));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(replies.filter(({ status }) => status !== 201).map(({ code }) => code))).toEqual(
        new Set(['INSUFFICIENT_BALANCE']),
      );
      expect(await steps.funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('cannot spend more than the balance even if no code checks it, because of a database constraint [SEC-004]', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const [unitOfWork, ledger] = [platform.app.get(UnitOfWork), platform.app.get(LedgerService)];
      const principal = Money.of('500');
      const investment = {
        userId: ann.id,
        strategyId: 'balanced-10',
        principal,
        units: Money.ZERO,
        at: new Date(START),
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, () =>
          unitOfWork.runInTransaction((tx) =>
            ledger.post(tx, investmentMade({ ...investment, investmentId: newId() })),
          ),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(String(outcome.reason)).toContain('ledger_account_balance_not_negative');
      }
      expect(await steps.funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('with one idempotency key create one investment, and the errors of the duplicates name its id', async () => {
      // The balance suffices for one investment: the key is checked before the balance.
      const ann = await platform.given.user().withBalance('100.00');
      const idempotencyKey = randomUUID();
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => steps.invest(ann, '100.00', { idempotencyKey })),
      );
      const created = replies.filter(({ status }) => status === 201);
      expect(created).toHaveLength(1);
      for (const duplicate of replies.filter(({ status }) => status !== 201)) {
        expect([duplicate.status, duplicate.code]).toEqual([409, 'DUPLICATE_INVESTMENT']);
        expect(duplicate.body.error.details).toEqual({ investmentId: created[0]?.data.id });
      }
      expect(await steps.funds(ann)).toMatchObject({ available: '0.00', invested: '100.00' });
    });

    it('end an investment once if many of them close or cancel it', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      const id = await steps.create(ann, '100.00');
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2
            ? platform.as(ann).delete(`${PATH}/${id}`)
            : platform.as(ann).post(`${PATH}/${id}/cancel`),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ code }) => code === 'INVESTMENT_ALREADY_CLOSED')).toHaveLength(9);
      expect(await steps.funds(ann)).toMatchObject({ available: '100.00', invested: '0.00' });
    });
  });

  describe('with an idempotency key', () => {
    it('can repeat the key of a rejected request or of another user, but not that of an accepted one, not even in upper case', async () => {
      const [ann, bob] = [await platform.given.user(), await platform.given.user().withBalance('100')];
      const idempotencyKey = randomUUID();
      expect((await steps.invest(ann, '100', { idempotencyKey })).code).toBe('INSUFFICIENT_BALANCE');
      await platform.given.deposit(ann.id, '200');
      expect((await steps.invest(ann, '100', { idempotencyKey })).status).toBe(201);
      const keyInUpperCase = { idempotencyKey: idempotencyKey.toUpperCase() };
      expect((await steps.invest(ann, '50', keyInUpperCase)).status).toBe(409);
      expect((await steps.invest(bob, '100', { idempotencyKey })).status).toBe(201);
    });
  });

  it('of an API key that were sent before a lock of the account, and wait for it, are refused [SEC-641]', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const key = platform.as(await givenKey(platform, ann));
    const id = await steps.create(ann, '500.00');
    const requests: (() => Promise<Reply>)[] = [
      () => key.post(PATH, { strategyId: 'balanced-10', amount: '500.00' }),
      () => key.put(`${PATH}/${id}`, { strategyId: 'conservative-5' }),
      () => key.post(`${PATH}/${id}/cancel`),
      () => key.delete(`${PATH}/${id}`),
    ];
    const sent: Promise<Reply>[] = [];
    await platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
      await platform.app.get(AccountLocksService).startLock(tx, ann.id, 'session');
      for (const request of requests) sent.push(request());
      await eventually(async () =>
        expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(requests.length),
      );
    });
    for (const { status, code } of await Promise.all(sent))
      expect([status, code]).toEqual([422, 'ACCOUNT_LOCKED']);
    expect(await steps.funds(ann)).toMatchObject({ available: '500.00', invested: '500.00' });
  });
});
