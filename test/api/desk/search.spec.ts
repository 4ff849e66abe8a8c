import { randomBytes } from 'node:crypto';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { withdrawalSteps } from '../../fixtures/withdrawals.js';
import { QueryPlans, readOnlyStatements } from '../../harness/query-plans.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { statementsDuring } from '../../harness/queries.js';

describe('GET /api/admin/search', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let ann: TestUser;
  let address: string;
  const txHash = `0x${randomBytes(32).toString('hex')}`;
  const toAddress = `0x${randomBytes(20).toString('hex')}`;
  const ids = {} as Record<'deposit' | 'withdrawal' | 'investment' | 'transaction', string>;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
    ann = await platform.given.user('ann.of.the.search@example.org').withBalance('2000.00');
    await platform.given.user('bob@example.org').withBalance('10.00');
    address = (await platform.as(ann).get('/api/user/deposits/address?currency=USDC&network=ERC20')).data
      .address;
    const investment = await platform
      .as(ann)
      .post('/api/user/investments', { strategyId: 'balanced-10', amount: '1000.00' });
    const steps = await withdrawalSteps(platform);
    const withdrawal = await steps.request(ann, '100.00', { toAddress });
    await steps.take(withdrawal.data.id);
    await steps.complete(withdrawal.data.id, txHash);
    const [deposit] = await platform.dataSource.query('select id, tx_hash from deposit where user_id = $1', [
      ann.id,
    ]);
    const { data } = await platform.as(ann).get('/api/user/transactions?type=investment');
    Object.assign(ids, {
      deposit: deposit.id,
      withdrawal: withdrawal.data.id,
      investment: investment.data.id,
      transaction: data[0].id,
    });
  });
  afterAll(() => platform?.stop());

  const search = (q: string, by = admin) =>
    platform.as(by).get(`/api/admin/search?q=${encodeURIComponent(q)}`);
  const found = async (q: string, by = admin) =>
    (await search(q, by)).data.results.map(({ type, id }: { type: string; id: string }) => [type, id]);

  it('finds a user by e-mail address, the beginning of it, and their deposit address in any spelling', async () => {
    for (const q of [
      ann.email,
      'ann.of.t',
      ' ANN.of.the.Search',
      address,
      address.toLowerCase(),
      address.slice(0, 12),
    ])
      expect([q, await found(q)]).toEqual([q, [['user', ann.id]]]);
    expect(await found('bob@')).toEqual([]); // under eight characters only what equals the text is found
  });

  it('finds a withdrawal by its hash, with and without 0x, and by its address', async () => {
    for (const q of [
      txHash,
      txHash.slice(2),
      txHash.slice(0, 12),
      txHash.toUpperCase().replace('0X', '0x'),
      toAddress,
      toAddress.slice(0, 10),
    ])
      expect([q, await found(q)]).toEqual([q, [['withdrawal', ids.withdrawal]]]);
  });

  it.each(['deposit', 'withdrawal', 'investment', 'transaction'] as const)(
    'finds a %s by its id and the beginning of its id',
    async (type) => {
      expect(await found(ids[type])).toEqual([[type, ids[type]]]);
      expect(await found(ids[type].replaceAll('-', ''))).toEqual([[type, ids[type]]]);
      expect(await found(ids[type].slice(0, 23))).toContainEqual([type, ids[type]]);
    },
  );

  it('describes a withdrawal by its amount, address, status and time', async () => {
    const { data } = await search(ids.withdrawal);
    expect(data.results).toEqual([
      {
        type: 'withdrawal',
        id: ids.withdrawal,
        label: expect.stringMatching(new RegExp(`^100\\.00 USDC .*${toAddress}`, 'i')),
        status: 'completed',
        createdAt: expect.any(String),
      },
    ]);
  });

  it('shows only records whose list the caller may read', async () => {
    const operator = await platform.given.admin('operator'); // withdrawals and investments
    const support = await platform.given.admin('support'); // users, investments and transactions
    const readonly = await platform.given.admin('readonly'); // figures alone
    const texts = [ann.email, ids.deposit, ids.withdrawal, ids.investment];
    const typesFor = async (by: TestAdmin) =>
      (await Promise.all(texts.map((q) => found(q, by)))).flat().map(([type]) => type);
    expect(await typesFor(operator)).toEqual(['withdrawal', 'investment']);
    expect(await typesFor(support)).toEqual(['user', 'deposit', 'investment']);
    expect(await typesFor(readonly)).toEqual([]);
  });

  it.each([
    ['an empty text', ''],
    ['a text of two characters', 'ab'],
    ['a text of 321 characters', 'x'.repeat(321)],
  ])('refuses %s with VALIDATION_ERROR', async (_, q) => {
    const reply = await search(q);
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('refuses a request without a text with MISSING_REQUIRED_FIELD', async () => {
    const reply = await platform.as(admin).get('/api/admin/search');
    expect([reply.status, reply.code]).toEqual([400, 'MISSING_REQUIRED_FIELD']);
  });

  it('finds nothing for text that looks like SQL or like a pattern', async () => {
    for (const q of [
      "' or true --",
      '%%%%%%%%%',
      '________',
      '\\x00\\x00\\x00',
      '\u{10ffff}\u{10ffff}\u{10ffff}',
    ])
      expect([q, await found(q)]).toEqual([q, []]);
  });

  it('reads every table by an index, whatever kind of text is searched for', async () => {
    const plans = await QueryPlans.connect(platform.env.DATABASE_URL as string, 'enable_seqscan = off');
    try {
      for (const q of [ann.email, ids.deposit, 'abcdef0123', txHash, toAddress]) {
        const [statement] = readOnlyStatements(await statementsDuring(() => search(q))).filter(({ text }) =>
          text.includes('as found'),
        );
        const nodes = await plans.nodesOf(statement as NonNullable<typeof statement>);
        expect([q, nodes.filter((node) => node['Node Type'] === 'Seq Scan')]).toEqual([q, []]);
        expect(
          nodes.filter(
            (node) => node['Index Name']?.includes('_search_') || node['Index Name']?.endsWith('_pkey'),
          ),
        ).not.toEqual([]);
      }
    } finally {
      await plans.end();
    }
  });
});
