import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import { invested } from '../../src/modules/ledger/postings.js';
import type { TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';

const PATH = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';
// Forty at once on two busy cores: what is tested is who wins, not how long they wait.
const PATIENT = { DATABASE_LOCK_MS: '20000', DATABASE_POOL_WAIT_MS: '10000' };

describe('investments, many at once', () => {
  let platform: TestPlatform;
  const day = START;
  beforeAll(async () => {
    platform = await startPlatform({ settings: PATIENT, at: START });
  });
  afterAll(() => platform.stop());

  const invest = (user: TestUser, amount: unknown, more: object = {}) =>
    platform.as(user).post(PATH, { strategyId: 'balanced-10', amount, ...more });

  async function made(user: TestUser, amount: string, strategyId = 'balanced-10'): Promise<string> {
    return (await invest(user, amount, { strategyId })).data.id;
  }

  async function funds(user: TestUser) {
    const {
      available,
      invested: held,
      earnings,
      fees,
    } = await platform.app.get(LedgerQueries).fundsOf(user.id);
    return {
      available: available.toWire(),
      invested: held.toWire(),
      earnings: earnings.toWire(),
      fees: fees.toWire(),
    };
  }

  describe('many at once', () => {
    it('lets exactly one of forty spend the whole balance', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const replies = await Promise.all(Array.from({ length: 40 }, () => invest(ann, '500.00')));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(replies.filter(({ status }) => status !== 201).map(({ code }) => code))).toEqual(
        new Set(['INSUFFICIENT_BALANCE']),
      );
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('is refused by the database itself when nothing above it checks', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const [uow, ledger] = [platform.app.get(UnitOfWork), platform.app.get(Ledger)];
      const principal = Money.of('500');
      const facts = {
        userId: ann.id,
        strategyId: 'balanced-10',
        principal,
        units: Money.ZERO,
        at: new Date(day),
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, () =>
          uow.run((tx) => ledger.post(tx, invested({ ...facts, investmentId: newId() }))),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(String(outcome.reason)).toContain('ledger_account_balance_not_negative');
      }
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('makes one investment of one key; the others are told which', async () => {
      const ann = await platform.given.user().withBalance('100.00'); // enough for one only: the key comes first
      const idempotencyKey = randomUUID();
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => invest(ann, '100.00', { idempotencyKey })),
      );
      const [first, ...more] = replies.filter(({ status }) => status === 201);
      expect(more).toEqual([]);
      for (const reply of replies.filter((other) => other !== first)) {
        expect([reply.status, reply.code]).toEqual([409, 'DUPLICATE_INVESTMENT']);
        expect(reply.body.error.details).toEqual({ investmentId: first?.data.id });
      }
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '100.00' });
    });

    it('keeps the key of a refused request unused, and one user’s keys apart from another’s', async () => {
      const [ann, bob] = [await platform.given.user(), await platform.given.user().withBalance('100')];
      const idempotencyKey = randomUUID();
      expect((await invest(ann, '100', { idempotencyKey })).code).toBe('INSUFFICIENT_BALANCE');
      await platform.given.deposit(ann.id, '200');
      expect((await invest(ann, '100', { idempotencyKey })).status).toBe(201);
      expect((await invest(ann, '50', { idempotencyKey: idempotencyKey.toUpperCase() })).status).toBe(409);
      expect((await invest(bob, '100', { idempotencyKey })).status).toBe(201);
    });

    it('closes an investment once, whatever is asked of it in parallel', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      const id = await made(ann, '100.00');
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, place) =>
          place % 2
            ? platform.as(ann).delete(`${PATH}/${id}`)
            : platform.as(ann).post(`${PATH}/${id}/cancel`),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ code }) => code === 'INVESTMENT_ALREADY_CLOSED')).toHaveLength(9);
      expect(await funds(ann)).toMatchObject({ available: '100.00', invested: '0.00' });
    });
  });
});
