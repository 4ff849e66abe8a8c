import { DAY_MS } from '../../../src/common/durations.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { changeSealed } from '../../fixtures/sealed-rows.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { WalletSteps } from '../../fixtures/wallets.js';

const PATH = '/api/admin/test-data';

// Test users have e-mail addresses of example.com, of example.org, or of a domain under .test; subdomains of the first two
// do not count.
describe('/api/admin/test-data', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
  });
  beforeEach(() => platform.as(admin).delete(PATH)); // the test users of earlier tests
  afterAll(() => platform?.stop());

  const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
  const userRow = async (user: TestUser) =>
    (await sql('select * from platform_user where id = $1', user.id))[0];
  const codeOf = async (user: TestUser) => (await platform.as(user).get('/api/auth/user/profile')).code;

  it('DELETE erases test users, anonymises those with ledger records, and keeps all other users', async () => {
    const wallets = new WalletSteps(platform);
    const { user: withoutMoney } = await wallets.userWithWallet();
    const { user: withMoney, wallet } = await wallets.userWithWallet();
    await platform.given.deposit(withMoney.id, '500.00');
    await new InvestmentSteps(platform).create(withMoney, '100.00');
    const otherTestUser = await platform.given.user('away@deep.down.test');
    const realUsers = [
      await platform.given.user('real@customers.net'),
      await platform.given.user('real@sub.example.org'),
      await platform.given.user('real@example.org.net'),
      await platform.given.user('real@attest'),
    ];
    const ledger = await platform.ledgerState();

    await platform.caughtUp(); // users whom a consumer of events has locked are left to the next call
    const reply = await platform.as(admin).delete(PATH);
    // Erases withoutMoney and otherTestUser, and anonymises withMoney.
    expect(reply.data).toEqual({ erased: 2, anonymised: 1, remaining: 0 });
    expect(await platform.ledgerState()).toEqual(ledger);
    expect([await userRow(withoutMoney), await userRow(otherTestUser)]).toEqual([undefined, undefined]);
    const email = `erased-${withMoney.id}@erased.invalid`;
    expect(await userRow(withMoney)).toMatchObject({
      email,
      full_name: null,
      status: 'inactive',
      last_login_at: null,
    });
    expect((await wallets.check(wallet.address)).data.registered).toBe(false);
    const remainingRecords = await sql(
      'select type, amount from user_transaction where user_id = $1 order by id',
      withMoney.id,
    );
    expect(remainingRecords).toEqual([
      { type: 'deposit', amount: '500' },
      { type: 'investment', amount: '100' },
    ]);
    expect(await sql('select 1 from notification where user_id = $1', withMoney.id)).toEqual([]);
    expect(await codeOf(withMoney)).toBe('TOKEN_INVALID');
    expect(await Promise.all(realUsers.map(codeOf))).toEqual([undefined, undefined, undefined, undefined]);
    expect(await codeOf({ ...admin, id: '' })).toBe('FORBIDDEN'); // still a valid admin token, which user routes reject
    expect((await platform.as(admin).get('/api/admin/profile')).data.email).toBe('admin@example.com');

    expect((await platform.as(admin).delete(PATH)).data).toEqual({ erased: 0, anonymised: 0, remaining: 0 });
    // The newest entry is that of the second call, which erased nothing.
    const [, entry] = await sql(
      `select actor, after from audit_entry where action = 'test-data.delete' order by id desc`,
    );
    expect(entry.actor).toBe(admin.email);
    expect(entry.after).toMatchObject({
      erased: 2,
      anonymised: 1,
      ids: expect.arrayContaining([withoutMoney.id, withMoney.id]),
    });
  });

  it('DELETE processes two hundred users per call and returns the remaining number', async () => {
    await sql(
      `insert into platform_user (id, email, created_at, updated_at)
       select gen_random_uuid(), n || '@example.com', now(), now() from generate_series(1, 210) as n`,
    );
    const counts = async () => (await platform.as(admin).delete(PATH)).data;
    expect(await counts()).toEqual({ erased: 200, anonymised: 0, remaining: 10 });
    expect(await counts()).toEqual({ erased: 10, anonymised: 0, remaining: 0 });
  });

  it('POST /cleanup deletes expired sessions, tokens, idempotency results and nonces of test users only', async () => {
    const wallets = new WalletSteps(platform);
    const { user, wallet } = await wallets.userWithWallet();
    await wallets.check(wallet.address); // stores a nonce
    const real = await platform.given.user('other@customers.net');
    for (const owner of [user, real]) {
      await platform.given.deposit(owner.id, '500.00');
      const body = { strategyId: 'balanced-10', amount: '10.00' };
      const headers = { 'idempotency-key': 'once' };
      expect((await platform.as(owner).post('/api/user/investments', body, { headers })).status).toBe(201);
    }
    const clean = async () => (await platform.as(admin).post(`${PATH}/cleanup`)).data;
    const nothing = { sessions: 0, refreshTokens: 0, idempotencyResults: 0, walletNonces: 0 };
    expect(await clean()).toEqual(nothing);
    for (const table of ['session', 'refresh_token', 'wallet_nonce'])
      await sql(`update ${table} set expires_at = now() - interval '1 second'`);
    // `admin` stays signed in.
    await changeSealed(platform.dataSource, 'session', ['subjectType', 'admin'], () => ({
      expiresAt: new Date(Date.now() + DAY_MS),
    }));
    await sql(`update idempotency_result set created_at = now() - interval '1 day'`);
    expect(await clean()).toEqual({ sessions: 1, refreshTokens: 1, idempotencyResults: 1, walletNonces: 1 });
    expect(await clean()).toEqual(nothing);
    for (const [table, column, value] of [
      ['session', 'subject_id', real.id],
      ['refresh_token', 'subject_id', real.id],
      ['idempotency_result', 'caller', `user:${real.id}`],
    ])
      expect(await sql(`select 1 as one from ${table} where ${column} = $1`, value)).toEqual([{ one: 1 }]);
    const audited = await sql(`select after from audit_entry where action = 'test-data.cleanup' order by id`);
    // The first and the third call have deleted nothing.
    expect(audited[1].after).toEqual({
      sessions: 1,
      refreshTokens: 1,
      idempotencyResults: 1,
      walletNonces: 1,
    });
  });

  it('requires an admin with all permissions, and answers 404 in production', async () => {
    const operator = await platform.given.admin('operator');
    const production = await startReplica(platform, { NODE_ENV: 'production' });
    const calls = [
      (caller: TestAdmin, url?: string) => platform.as(caller, url).delete(PATH),
      (caller: TestAdmin, url?: string) => platform.as(caller, url).post(`${PATH}/cleanup`),
    ];
    for (const call of calls) {
      expect(await call(operator)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(await call(admin, production)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });
});
