import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const PATH = '/api/user/transactions';

describe('Transaction records', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform();
    events = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const list = async (user: TestUser, query = '') => platform.as(user).get(`${PATH}${query}`);
  const typesOf = async (user: TestUser, query = ''): Promise<string[]> =>
    (await list(user, query)).data.map((transaction: { type: string }) => transaction.type);
  const onlyRecord = async (user: TestUser) => {
    const { data } = await list(user);
    expect(data).toHaveLength(1);
    return data[0];
  };

  it('are an empty list for a new user', async () => {
    const { status, body } = await list(await platform.given.user());
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 0,
      totalPages: 0,
      hasNext: false,
      hasPrevious: false,
      next: null,
      previous: null,
    });
  });

  describe('of a deposit', () => {
    it('are one record, which is updated until the deposit is credited', async () => {
      const user = await platform.given.user();
      const deposit = await events.deposit('deposit.seen', { userId: user.id, amount: '500.00' });
      const pending = await onlyRecord(user);
      expect(pending).toMatchObject({
        type: 'deposit',
        status: 'pending',
        amount: '500.00',
        completedAt: null,
      });
      expect(pending.metadata.balanceChange).toBe('0.00');
      await events.deposit('deposit.confirming', deposit, { confirmations: 3 });
      await events.deposit('deposit.confirming', deposit, { confirmations: 7 });
      expect(await onlyRecord(user)).toMatchObject({ status: 'pending', confirmations: 7, blockNumber: 77 });
      await events.deposit('deposit.completed', deposit, { confirmations: 12 });

      const completed = await onlyRecord(user); // hash, address and block are those of DomainEventFixtures
      expect(completed).toEqual({
        id: pending.id,
        type: 'deposit',
        amount: '500.00',
        currency: 'USDC',
        status: 'completed',
        from: null,
        to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        blockchainTxHash: `0x${'ab'.repeat(32)}`,
        blockNumber: 77,
        gasUsed: null,
        gasFee: null,
        strategyId: null,
        strategyName: null,
        createdAt: '2026-03-02T10:00:00.000Z',
        completedAt: '2026-03-02T10:00:00.000Z',
        submittedAt: '2026-03-02T10:00:00.000Z',
        confirmations: 12,
        metadata: {
          description: 'Deposit of 500.00 USDC over ERC20',
          balanceChange: '500.00',
          referenceType: 'deposit',
          referenceId: deposit.id,
        },
        // Both reports of confirmations are one entry.
        timeline: [
          { status: 'pending', timestamp: '2026-03-02T10:00:00.000Z', description: 'Seen on chain' },
          {
            status: 'pending',
            timestamp: '2026-03-02T10:00:00.000Z',
            description: 'Waiting for more confirmations',
          },
          { status: 'completed', timestamp: '2026-03-02T10:00:00.000Z', description: 'Credited' },
        ],
      });
    });

    it('show the received USDT until USDC is credited', async () => {
      const user = await platform.given.user();
      const transfer = { userId: user.id, amount: '600.00', currency: 'USDT', network: 'TRC20' };
      const deposit = await events.deposit('deposit.seen', transfer);
      expect(await onlyRecord(user)).toMatchObject({ amount: '600.00', currency: 'USDT' });
      await events.deposit('deposit.completed', deposit, { credited: '599.40' }); // 600.00 × 0.999
      expect(await onlyRecord(user)).toMatchObject({ amount: '599.40', currency: 'USDC' });
    });

    it('show ether rounded to six decimals', async () => {
      const user = await platform.given.user();
      await events.deposit('deposit.seen', { userId: user.id, amount: '0.1234567890123', currency: 'ETH' });
      expect(await onlyRecord(user)).toMatchObject({ amount: '0.123457', currency: 'ETH' });
    });

    it('are created in their final state when the first event is final', async () => {
      const user = await platform.given.user();
      await events.deposit(
        'deposit.failed',
        { userId: user.id, amount: '500.00' },
        { reason: 'Reverted on chain.' },
      );
      const failed = await onlyRecord(user);
      expect(failed).toMatchObject({ status: 'failed', completedAt: null });
      expect(failed.timeline.at(-1)).toMatchObject({ status: 'failed', description: 'Reverted on chain.' });
    });

    it('are unchanged by events after the final one, which are rolled back', async () => {
      const user = await platform.given.user();
      const deposit = await events.deposit('deposit.failed', { userId: user.id, amount: '500.00' });
      // A status that does not allow the event becomes null, which the column refuses.
      await expect(events.deposit('deposit.completed', deposit)).rejects.toThrow(
        'null value in column "status"',
      );
      expect(await onlyRecord(user)).toMatchObject({ status: 'failed', metadata: { balanceChange: '0.00' } });
      expect((await platform.as(user).get('/api/user/notifications')).data).toHaveLength(1);
    });
  });

  it('of an investment show the principal, and those of its closing show principal, earning and fee', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const investment = await events.invest(user.id, '400.00');
    await events.close(investment, '12.345678', '0.50');
    const { data, body } = await list(user, '?orderBy=asc');
    expect(data.map((t: any) => [t.type, t.amount, t.status, t.metadata.balanceChange])).toEqual([
      ['deposit', '1000.00', 'completed', '1000.00'],
      ['investment', '400.00', 'completed', '-400.00'],
      ['divestment', '400.00', 'completed', '400.00'],
      ['earning', '12.345678', 'completed', '12.345678'],
      ['fee', '0.50', 'completed', '-0.50'],
    ]);
    expect(body.pagination.total).toBe(5);
    expect(data[1]).toMatchObject({
      strategyId: 'balanced-10',
      strategyName: 'Balanced 10%',
      blockchainTxHash: null,
    });
  });

  it.each(['investment.cancelled', 'investment.rejected'] as const)(
    'after %s contain the returned principal',
    async (name) => {
      const user = await platform.given.user().withBalance('100.00');
      await events.returnPrincipal(name, await events.invest(user.id, '100.00'));
      expect(await typesOf(user)).toEqual(['divestment', 'investment', 'deposit']);
    },
  );

  it.each([
    ['cancelled by the user', ['withdrawal.cancelled'], 'cancelled', '0.00'],
    ['rejected by an operator', ['withdrawal.taken', 'withdrawal.rejected'], 'failed', '0.00'],
    ['taken', ['withdrawal.approved', 'withdrawal.taken'], 'processing', '-50.00'],
    ['returned by an operator', ['withdrawal.taken', 'withdrawal.returned'], 'pending', '-50.00'],
    ['completed', ['withdrawal.taken', 'withdrawal.completed'], 'completed', '-50.00'],
    ['failed at the provider', ['withdrawal.taken', 'withdrawal.failed'], 'failed', '-50.00'], // stays reserved
  ] as const)('show a withdrawal that is %s', async (_what, names, status, balanceChange) => {
    const user = await platform.given.user().withBalance('100.00');
    const withdrawal = await events.withdraw(user.id, '50.00');
    for (const name of names) await events.withdrawal(name, withdrawal);
    const [record] = (await list(user, '?type=withdrawal')).data;
    expect(record).toMatchObject({
      type: 'withdrawal',
      status,
      amount: '50.00',
      metadata: { balanceChange },
    });
    const isTaken = names.some((name) => name === 'withdrawal.taken');
    expect(record.submittedAt !== null).toBe(isTaken);
    expect(record.timeline.map((entry: any) => entry.status).at(-1)).toBe(status);
    expect(record.timeline).toHaveLength(1 + names.length);
  });

  describe('as single resources', () => {
    it('contain details of the strategy if they belong to an investment', async () => {
      const user = await platform.given.user().withBalance('100.00');
      await events.invest(user.id, '100.00');
      const [investment, deposit] = (await list(user)).data;
      const detail = await platform.as(user).get(`${PATH}/${investment.id}`);
      expect(detail.status).toBe(200);
      expect(detail.data).toEqual({
        ...investment,
        strategyDetails: { apy: 10, riskLevel: 'medium', protocols: ['pendle', 'curve', 'convex'] },
      });
      expect((await platform.as(user).get(`${PATH}/${deposit.id}`)).data).toEqual({
        ...deposit,
        strategyDetails: null,
      });
    });

    it('contain addresses and gas with view=chain', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const [listed] = (await list(user, '?view=chain')).data.transactions;
      expect((await platform.as(user).get(`${PATH}/${listed.id}?view=chain`)).data).toEqual({
        ...listed,
        fromAddress: null,
        toAddress: '0x00000000000000000000000000000000000000aa',
        gasUsed: null,
        gasPrice: null,
      });
    });

    it.each([UNKNOWN_ID, 'x', '1', '00000000-0000-0000-0000-00000000000g'])(
      'are not found for the unknown id %s',
      async (id) => {
        const user = await platform.given.user();
        expect(await platform.as(user).get(`${PATH}/${id}`)).toMatchObject({
          status: 404,
          code: 'TRANSACTION_NOT_FOUND',
        });
      },
    );

    it('are forbidden for another user', async () => {
      const owner = await platform.given.user().withBalance('100.00');
      const otherUser = await platform.given.user();
      const { id } = await onlyRecord(owner);
      for (const view of ['', '?view=chain']) {
        expect(await platform.as(otherUser).get(`${PATH}/${id}${view}`)).toMatchObject({
          status: 403,
          code: 'FORBIDDEN',
        });
      }
      expect(await typesOf(otherUser)).toEqual([]);
    });

    it('reject an unknown view', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const { id } = await onlyRecord(user);
      const refused = await platform.as(user).get(`${PATH}/${id}?view=full`);
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });
  });

  it.each([PATH, `${PATH}/${UNKNOWN_ID}`])(
    'are refused at %s to anonymous callers and admins',
    async (path) => {
      expect(await platform.as(null).get(path)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
      expect(await platform.as({ token: 'x' }).get(path)).toMatchObject({
        status: 401,
        code: 'TOKEN_INVALID',
      });
      expect(await platform.as(await platform.given.admin()).get(path)).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
    },
  );

  it('are not created when the ledger rejects the posting', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const failing = new DomainEventFixtures(platform.app, true); // each transaction ends with an overdraft
    const before = await platform.ledgerState();
    await expect(
      failing.deposit('deposit.completed', { userId: user.id, amount: '500.00' }),
    ).rejects.toThrow();
    await expect(failing.invest(user.id, '50.00')).rejects.toThrow();
    await expect(failing.withdraw(user.id, '50.00')).rejects.toThrow();
    expect(await typesOf(user)).toEqual(['deposit']); // of the initial balance
    expect(await platform.ledgerState()).toEqual(before);
  });
});
