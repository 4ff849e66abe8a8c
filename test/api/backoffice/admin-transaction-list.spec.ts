import { DAY_MS } from '../../../src/common/durations.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_TRANSACTIONS, treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';

describe('GET /api/admin/transactions', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;
  let investmentId: string;
  let ann: { id: string; email: string; token: string };

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
    ann = await platform.given.user().withBalance('1000.00');
    const bob = await platform.given.user().withBalance('500.00');
    platform.clock.advance(1000);
    const order = { strategyId: 'balanced-10', amount: '100.00' };
    investmentId = (await platform.as(ann).post('/api/user/investments', order)).data.id;
    platform.clock.advance(10 * DAY_MS);
    await platform.as(ann).delete(`/api/user/investments/${investmentId}`); // records principal, growth and fee
    platform.clock.advance(1000);
    await steps.withdrawals.request(bob, '50.00');
    platform.clock.advance(1000);
    await steps.confirm(await steps.createApproved({ type: 'deposit', userId: ann.id, amount: '11.00' }));
    await steps.create({ type: 'withdrawal', userId: bob.id, amount: '12.00' });
    await steps.reject((await steps.create({ type: 'transfer', amount: '13.00' })).data.id);
  });
  afterAll(() => platform?.stop());

  const list = async (query = '') =>
    (await platform.as(steps.admin).get(`${ADMIN_TRANSACTIONS}?limit=100${query}`)).data;
  const summaries = (rows: any[]) =>
    rows.map(({ type, status, amount }) => `${type} ${status} ${amount}`).sort();

  it('lists users’ and admins’ transactions, each once, newest first', async () => {
    const { transactions, total, page, limit, totalPages } = await list();
    const closingRows = transactions.filter(
      ({ type, userID }: any) => type === 'transfer' && userID === ann.id,
    );
    expect(summaries(transactions.filter((row: any) => !closingRows.includes(row)))).toEqual([
      'deposit confirmed 1000.00',
      'deposit confirmed 11.00',
      'deposit confirmed 500.00',
      'investment confirmed 100.00',
      'transfer failed 13.00',
      'withdrawal pending 12.00',
      'withdrawal pending 50.00',
    ]);
    // This list shows divestments, earnings and fees as transfers; the kind and the sign tell them apart.
    expect(
      closingRows.map(({ kind, balanceChange, description }: any) => [kind, balanceChange, description]),
    ).toEqual([
      ['fee', '-0.013698', 'Fees of Balanced 10%'], // 100.00 × 0.50 % × 10 / 365, rounded down
      ['earning', '0.235288', 'Growth of Balanced 10%'], // 100 × (1.1^(9/365) − 1) = 0.2352877…
      ['divestment', '100.00', 'Principal back from Balanced 10%'],
    ]);
    expect({ total, page, limit, totalPages }).toEqual({ total: 10, page: 1, limit: 100, totalPages: 1 }); // 7 + 3
    const times = transactions.map(({ createdAt }: any) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(Object.keys(transactions[0]).sort()).toEqual(
      [
        'id',
        'userID',
        'userEmail',
        'type',
        'amount',
        'currency',
        'status',
        'transactionHash',
        'blockNumber',
        'confirmations',
        'createdAt',
        'confirmedAt',
        'processedAt',
        'kind',
        'balanceChange',
        'description',
        'cancelled',
        'record',
      ].sort(),
    );
    const transfer = transactions.find(({ amount }: any) => amount === '13.00');
    expect(transfer).toMatchObject({
      userID: null,
      userEmail: null,
      transactionHash: null,
      confirmedAt: null,
      kind: 'transfer',
      balanceChange: null,
      description: 'By hand',
    });
    expect(transactions.find(({ amount }: any) => amount === '11.00')).toMatchObject({
      userEmail: ann.email,
    });
  });

  it('names the record that a transaction of a user is about, as the detail of the transaction does', async () => {
    const { transactions } = await list();
    const records: Record<string, unknown> = {};
    for (const { id, kind, amount, record } of transactions.filter(({ userID }: any) => userID === ann.id)) {
      const name = amount === '11.00' ? 'deposit by hand' : kind;
      records[name] = (await steps.detail(id)).record;
      expect(record).toEqual(records[name]);
    }
    const deposits = (await platform.as(ann).get('/api/user/deposits')).data;
    const deposit = deposits.find(({ amount }: any) => amount === '1000.00');
    const investment = { type: 'investment', id: investmentId };
    expect(records).toEqual({
      investment,
      divestment: investment,
      earning: investment,
      fee: investment,
      deposit: { type: 'deposit', id: deposit.id },
      'deposit by hand': null,
    });
    const byAdmins = transactions.find(
      ({ status, amount }: any) => status === 'failed' && amount === '13.00',
    );
    expect((await steps.detail(byAdmins.id)).record).toBeNull();
    expect(byAdmins).toMatchObject({ record: null, cancelled: false });
  });

  it('applies each filter and combinations of filters', async () => {
    const all = (await list()).transactions;
    for (const [query, isSelected] of [
      ['&status=confirmed', (row: any) => row.status === 'confirmed'],
      ['&status=pending', (row: any) => row.status === 'pending'],
      ['&status=failed', (row: any) => row.status === 'failed'],
      ['&status=processing', (row: any) => row.status === 'processing'],
      ['&type=transfer', (row: any) => row.type === 'transfer'],
      ['&type=deposit', (row: any) => row.type === 'deposit'],
      [`&user_id=${ann.id}`, (row: any) => row.userID === ann.id],
      [`&userId=${ann.id}`, (row: any) => row.userID === ann.id],
      [
        `&userId=${ann.id}&type=deposit&status=confirmed`,
        (row: any) => row.userID === ann.id && row.type === 'deposit' && row.status === 'confirmed',
      ],
    ] as const) {
      const { transactions, total } = await list(query);
      expect([query, transactions]).toEqual([query, all.filter(isSelected)]);
      expect(total).toBe(transactions.length);
    }
  });

  it('is paged: the concatenated pages equal the list', async () => {
    const all = (await list()).transactions;
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const { data } = await platform.as(steps.admin).get(`${ADMIN_TRANSACTIONS}?limit=3&page=${page}`);
      expect(data).toMatchObject({ total: 10, limit: 3, totalPages: 4 }); // 3 + 3 + 3 + 1
      pages.push(...data.transactions);
    }
    expect(pages).toEqual(all);
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['status=completed', 'VALIDATION_ERROR'],
    ['type=fee', 'VALIDATION_ERROR'],
    ['user_id=1', 'VALIDATION_ERROR'],
  ])('rejects ?%s with %s', async (query, code) => {
    expect(await platform.as(steps.admin).get(`${ADMIN_TRANSACTIONS}?${query}`)).toMatchObject({
      status: 400,
      code,
    });
  });

  it('is readable by support, which may not create transactions', async () => {
    const support = await platform.given.admin('support');
    expect((await platform.as(support).get(ADMIN_TRANSACTIONS)).status).toBe(200);
    expect(await steps.create({ type: 'transfer' }, support)).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    });
  });

  it.each([
    ['where listed', 'user_transaction_listed', 'admin_transaction_by_creation'],
    ["where listed and type = 'deposit'", 'user_transaction_listed_by_type', 'admin_transaction_by_type'],
    [
      "where listed and status = 'pending'",
      'user_transaction_listed_by_status',
      'admin_transaction_by_status',
    ],
    ['where listed and user_id = $1', 'user_transaction_by_time', 'admin_transaction_of_user'],
  ])('uses an index and does not sort: %s', async (filter, ...indexes) => {
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    // With so few rows PostgreSQL would otherwise read the whole tables and sort.
    await runner.query(
      'set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off',
    );
    const plan = await runner.query(
      `explain select * from admin_transaction_list ${filter.replace('$1', `'${ann.id}'`)}
        order by created_at desc, id desc limit 10`,
    );
    await runner.rollbackTransaction();
    await runner.release();
    const text = plan.map((line: Record<string, string>) => line['QUERY PLAN']).join('\n');
    for (const index of indexes) expect(text).toMatch(new RegExp(`\\b${index}\\b`));
    expect(text).not.toMatch(/-> +(Incremental )?Sort/);
  });

  it('tells a withdrawal that its user has cancelled from one that was rejected; both have the status failed', async () => {
    const cid = await platform.given.user().withBalance('100.00');
    const request = async () => (await steps.withdrawals.request(cid, '20.00')).data.id as string;
    const [cancelled, rejected] = [await request(), await request()];
    await steps.withdrawals.cancel(cancelled, cid);
    await steps.withdrawals.reject(rejected);
    const { transactions } = await list(`&userId=${cid.id}&type=withdrawal`);
    const states = transactions.map((row: any) => [row.record.id, row.status, row.cancelled]);
    expect(states.sort()).toEqual(
      [
        [cancelled, 'failed', true],
        [rejected, 'failed', false],
      ].sort(),
    );
  });
});
