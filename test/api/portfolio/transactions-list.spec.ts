import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('GET /api/user/transactions', () => {
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform();
    const events = new DomainEventFixtures(platform.app);
    platform.clock.moveTo('2026-03-01T23:59:59.999Z');
    user = await platform.given.user().withBalance('1000.00');
    platform.clock.moveTo('2026-03-02T00:00:00.000Z');
    const investment = await events.invest(user.id, '300.00');
    platform.clock.moveTo('2026-03-02T09:00:00.000Z');
    await events.close(investment, '5.00', '1.00');
    await events.withdrawal('withdrawal.cancelled', await events.withdraw(user.id, '20.00'));
    await events.withdraw(user.id, '30.00');
    platform.clock.moveTo('2026-03-02T10:00:00.000Z');
  });
  afterAll(() => platform?.stop());

  const list = async (query = '') => platform.as(user).get(`/api/user/transactions${query}`);

  it.each([
    ['', ['withdrawal', 'withdrawal', 'fee', 'earning', 'divestment', 'investment', 'deposit']],
    ['?type=withdrawal', ['withdrawal', 'withdrawal']],
    ['?type=earning', ['earning']],
    ['?type=fee', ['fee']],
    ['?status=pending', ['withdrawal']],
    ['?status=cancelled', ['withdrawal']],
    ['?status=failed', []],
    ['?type=deposit&status=pending', []],
    ['?sortBy=amount&orderBy=asc&limit=3', ['fee', 'earning', 'withdrawal']],
    ['?sortBy=amount&limit=1', ['deposit']],
    ['?endDate=2026-03-01', ['deposit']],
    ['?startDate=2026-03-01&endDate=2026-03-01', ['deposit']],
    ['?startDate=2026-03-02&endDate=2026-03-02&orderBy=asc&limit=2', ['investment', 'divestment']],
    ['?startDate=2026-03-02T00:00:00.001Z&orderBy=asc&limit=1', ['divestment']],
    ['?endDate=2026-03-02T00:00:00.000Z', ['investment', 'deposit']],
    ['?orderBy=asc&page=3&limit=3', ['withdrawal']],
    ['?page=4&limit=3', []],
  ])('returns for %j transactions of the types %j', async (query, types) => {
    expect((await list(query)).data.map((t: any) => t.type)).toEqual(types);
  });

  // The chain view shows divestments, earnings and fees as transfers.
  it.each([
    [
      '?view=chain',
      ['withdrawal', 'withdrawal', 'transfer', 'transfer', 'transfer', 'investment', 'deposit'],
    ],
    ['?view=chain&type=transfer', ['transfer', 'transfer', 'transfer']],
    ['?view=chain&type=investment', ['investment']],
    ['?view=chain&type=reversal', []],
    ['?view=chain&status=failed', ['withdrawal']], // the cancelled one
    ['?view=chain&status=confirmed&type=deposit', ['deposit']],
    ['?view=chain&status=processing', []],
  ])('returns for %j transactions of the types %j, with totals', async (query, types) => {
    const { data, body } = await list(query);
    expect(data.transactions.map((t: any) => t.type)).toEqual(types);
    expect(data.total).toBe(types.length);
    expect(data).toMatchObject({ page: 1, limit: 100, totalPages: types.length > 0 ? 1 : 0 });
    expect(body.pagination).toBeUndefined();
  });

  it('lists each transaction on exactly one page, with an exact total', async () => {
    const ids: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, body } = await list(`?limit=2&page=${page}`);
      ids.push(...data.map((t: any) => t.id));
      expect(body.pagination).toEqual({
        page,
        limit: 2,
        total: 7,
        totalPages: 4, // 7 / 2 rounded up
        hasNext: page < 4,
        hasPrevious: page > 1,
        next: page < 4 ? expect.any(String) : null,
        previous: page > 1 ? expect.any(String) : null,
      });
    }
    expect(new Set(ids).size).toBe(7);
  });

  it('lists the same records in both views', async () => {
    const ledger = (await list()).data;
    const chain = (await list('?view=chain')).data.transactions;
    expect(chain.map((t: any) => t.id)).toEqual(ledger.map((t: any) => t.id));
    expect(chain.at(-1)).toEqual({
      id: ledger.at(-1).id,
      userID: user.id,
      type: 'deposit',
      amount: '1000.00',
      currency: 'USDC',
      status: 'confirmed',
      transactionHash: ledger.at(-1).blockchainTxHash,
      blockNumber: 1,
      confirmations: 12,
      createdAt: '2026-03-01T23:59:59.999Z',
      confirmedAt: '2026-03-01T23:59:59.999Z',
      kind: 'deposit',
      balanceChange: '1000.00',
      description: ledger.at(-1).metadata.description,
    });
  });

  it('tells in the chain view what each transfer is, with its sign', async () => {
    const { transactions } = (await list('?view=chain&type=transfer')).data;
    expect(transactions.map((t: any) => [t.kind, t.amount, t.balanceChange, t.description])).toEqual([
      ['fee', '1.00', '-1.00', 'Fees of Balanced 10%'],
      ['earning', '5.00', '5.00', 'Growth of Balanced 10%'],
      ['divestment', '300.00', '300.00', 'Principal back from Balanced 10%'],
    ]);
  });

  it.each([
    ['?page=0', 'INVALID_PAGINATION'],
    ['?page=-1', 'INVALID_PAGINATION'],
    ['?page=1.5', 'INVALID_PAGINATION'],
    ['?page=x', 'INVALID_PAGINATION'],
    ['?limit=0', 'INVALID_PAGINATION'],
    ['?limit=101', 'INVALID_PAGINATION'],
    ['?page=1&page=2', 'INVALID_PAGINATION'],
    ['?startDate=2026-03-02&endDate=2026-03-01', 'INVALID_DATE_RANGE'],
    ['?startDate=2026-03-03', 'INVALID_DATE_RANGE'], // after today
    ['?startDate=yesterday', 'VALIDATION_ERROR'],
    ['?endDate=2026-02-30', 'VALIDATION_ERROR'],
    ['?type=transfer', 'VALIDATION_ERROR'], // a type of the chain view only
    ['?type=deposit&type=fee', 'VALIDATION_ERROR'],
    ['?status=confirmed', 'VALIDATION_ERROR'],
    ['?sortBy=status', 'VALIDATION_ERROR'],
    ['?orderBy=up', 'VALIDATION_ERROR'],
    ['?view=basic', 'VALIDATION_ERROR'],
    ['?view=chain&view=chain', 'VALIDATION_ERROR'],
    ['?view=chain&page=0', 'INVALID_PAGE'],
    ['?view=chain&limit=101', 'INVALID_LIMIT'],
    ['?view=chain&type=fee', 'VALIDATION_ERROR'],
    ['?view=chain&status=completed', 'VALIDATION_ERROR'],
    ['?view=chain&startDate=2026-03-02&endDate=2026-03-01', 'INVALID_DATE_RANGE'],
  ])('rejects %j with %s', async (query, code) => {
    expect(await list(query)).toMatchObject({ status: 400, code });
  });

  it('accepts tomorrow as end date, because of time zones, and names the violated rule of a range', async () => {
    expect((await list('?endDate=2026-03-03')).status).toBe(200); // it is 10:00 on 2 March in UTC
    const queries = [
      '?endDate=2026-03-04',
      '?startDate=2026-03-03',
      '?startDate=2026-03-02&endDate=2026-03-01',
    ];
    const refusals = await Promise.all(queries.map((query) => list(query)));
    expect(refusals.map(({ body }) => body.error.message)).toEqual([
      'The end date must not be after tomorrow, 2026-03-03 (UTC).',
      'The start date must not be after today, 2026-03-02 (UTC).',
      'The start date must not be after the end date.',
    ]);
  });
});
