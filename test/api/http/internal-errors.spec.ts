import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { AppConfig } from '../../../src/config/app-config.js';
import { SAMPLE_PASSWORD } from '../../../src/sandbox/sandbox-settings.js';
import type { Reply } from '../../harness/http-client.js';
import { eventually } from '../../harness/eventually.js';
import type { TestUser } from '../../fixtures/given.js';
import { beforeDeletionNotification } from '../../harness/current-sessions.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

// Error responses to real faults in the database and the process, and to sign-ins of admins without access.

describe('An internal fault', () => {
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DATABASE_LOCK_MS: '500' } });
    user = await platform.given.user().withBalance('1000.00');
  });
  afterAll(() => platform?.stop());

  const sql = (text: string, parameters: unknown[] = []) => platform.dataSource.query(text, parameters);

  /** Sends the request while the table is renamed. */
  async function withoutTable(table: string, send: () => Promise<Reply>): Promise<Reply> {
    await sql(`alter table ${table} rename to ${table}_gone`);
    try {
      return await send();
    } finally {
      await sql(`alter table ${table}_gone rename to ${table}`);
    }
  }

  /** Sends the request while a trigger rejects every insert into the table. */
  async function withRefusedInserts(table: string, send: () => Promise<Reply>): Promise<Reply> {
    await sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
       create trigger refuse before insert on ${table} for each row execute function refuse()`,
    );
    try {
      return await send();
    } finally {
      await sql(`drop trigger refuse on ${table}; drop function refuse`);
    }
  }

  /** Returns a function that signs in with a token that the identity provider issues now, before the fault. */
  const prepareSignIn = async (email: string) => {
    const token = await platform.outside.providers.identity.token({ email });
    return () => platform.as({ token }).post('/api/auth/idp/login');
  };
  const sessionCount = async () =>
    (await sql('select count(*)::int as count from session'))[0].count as number;

  /** Requires status 500, and no details of the cause. */
  function expectInternalError(reply: Reply, code: string): void {
    expect([reply.status, reply.code]).toEqual([500, code]);
    expect(Object.keys(reply.body.error as object).sort()).toEqual(['code', 'message']);
    expect(JSON.stringify(reply.body)).not.toMatch(/relation|table|column|trigger|sign|select|at /i);
  }

  it('while reading is answered with INTERNAL_SERVER_ERROR', async () => {
    const read = () => platform.as(user).get('/api/user/transactions');
    expectInternalError(await withoutTable('user_transaction', read), 'INTERNAL_SERVER_ERROR');
    expect((await read()).status).toBe(200);
  });

  it('while reading is answered with INTERNAL_ERROR on routes that document this code', async () => {
    const read = () => platform.as(user).get('/api/user/investments/performance');
    expectInternalError(await withoutTable('investment', read), 'INTERNAL_ERROR');
    expect((await read()).status).toBe(200);
  });

  it('while writing is answered with INTERNAL_SERVER_ERROR and rolled back', async () => {
    const before = await platform.ledgerState();
    const body = { strategyId: 'balanced-10', amount: '100.00' };
    const invest = () => platform.as(user).post('/api/user/investments', body);
    // The transaction writes the event after the investment and its postings.
    expectInternalError(await withoutTable('domain_event', invest), 'INTERNAL_SERVER_ERROR');
    expect(await platform.ledgerState()).toEqual(before);
    expect((await invest()).status).toBe(201);
  });

  it('in a withdrawal request is answered with WITHDRAWAL_ERROR and reserves nothing', async () => {
    const before = await platform.ledgerState();
    const body = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
    const withdraw = () => platform.as(user).post('/api/user/withdrawals', body);
    expectInternalError(await withRefusedInserts('withdrawal_event', withdraw), 'WITHDRAWAL_ERROR');
    expect(await platform.ledgerState()).toEqual(before);
    expect((await withdraw()).status).toBe(201);
  });

  it('while storing the response to a withdrawal with an idempotency key is answered with WITHDRAWAL_ERROR and rolled back', async () => {
    const before = await platform.ledgerState();
    const body = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
    const headers = { 'idempotency-key': 'once' };
    const withdraw = () => platform.as(user).post('/api/user/withdrawals', body, { headers });
    expectInternalError(await withRefusedInserts('idempotency_result', withdraw), 'WITHDRAWAL_ERROR');
    expect(await platform.ledgerState()).toEqual(before);
    expect((await withdraw()).status).toBe(201);
  });

  it('in a first sign-in is answered with USER_CREATION_ERROR and leaves no session', async () => {
    const before = await sessionCount();
    const signIn = await prepareSignIn('newcomer@example.org');
    expectInternalError(await withRefusedInserts('platform_user', signIn), 'USER_CREATION_ERROR');
    expect(await sessionCount()).toBe(before);
    expect((await signIn()).status).toBe(200);
  });

  it('while signing a token is answered with JWT_GENERATION_ERROR and leaves neither user nor session', async () => {
    const before = await sessionCount();
    const signIn = await prepareSignIn('unsigned@example.org');
    const original = crypto.subtle.sign.bind(crypto.subtle);
    const sign = jest.spyOn(crypto.subtle, 'sign');
    // The driver of PostgreSQL also signs, when it opens a connection; only a token's text begins with "eyJ".
    sign.mockImplementation((algorithm, key, data) =>
      Buffer.from(data as Uint8Array)
        .toString()
        .startsWith('eyJ')
        ? Promise.reject(new Error('the key store is away'))
        : original(algorithm, key, data),
    );
    const reply = await signIn().finally(() => sign.mockRestore());
    expectInternalError(reply, 'JWT_GENERATION_ERROR');
    expect(await sessionCount()).toBe(before);
    expect(await sql("select 1 from platform_user where email = 'unsigned@example.org'")).toEqual([]);
    expect((await signIn()).status).toBe(200);
  });

  it('caused by a locked table is answered with SERVICE_UNAVAILABLE and Retry-After', async () => {
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('lock table user_transaction in access exclusive mode');
    const reply = await platform.as(user).get('/api/user/transactions');
    await runner.rollbackTransaction();
    await runner.release();
    expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await platform.as(user).get('/api/user/transactions')).status).toBe(200);
  });

  it('caused by a missing user row is answered with USER_NOT_FOUND while the session is cached', async () => {
    const routes = ['/api/auth/user/profile', '/api/user/balance'];
    const removed = await platform.given.user();
    await beforeDeletionNotification(platform, removed.id, async (remove) => {
      const caller = platform.as(removed);
      expect((await caller.get('/api/user/balance')).status).toBe(200); // caches the session
      await remove();
      const codes = await Promise.all(routes.map(async (route) => (await caller.get(route)).code));
      expect(codes).toEqual(['USER_NOT_FOUND', 'USER_NOT_FOUND']);
    });
  });
});

describe('An admin account', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
    const file = platform.app.get(AppConfig).ADMINS_FILE;
    const admins = JSON.parse(readFileSync(file, 'utf8')) as { email: string; passwordHash: string }[];
    const { passwordHash } = admins[0] as { passwordHash: string };
    const disabled = { email: 'disabled@example.com', roles: ['admin'], status: 'disabled', passwordHash };
    const roleless = { email: 'roleless@example.com', roles: ['unknown'], status: 'active', passwordHash };
    writeFileSync(file, JSON.stringify([...admins, disabled, roleless]));
    utimesSync(file, new Date(), new Date(Date.now() + 1000)); // the API detects a change by the file's modification time
    await eventually(async () => expect((await logIn('disabled')).code).not.toBe('INVALID_CREDENTIALS'));
  });
  afterAll(() => platform?.stop());

  const logIn = (name: string, password = SAMPLE_PASSWORD) =>
    platform.as(null).post('/api/admin/auth/login', { email: `${name}@example.com`, password });

  it.each([
    ['disabled', 'ACCOUNT_DISABLED'],
    ['roleless', 'INSUFFICIENT_PERMISSIONS'],
  ])('that is %s is refused with %s if the password is right', async (name, code) => {
    expect(await logIn(name)).toMatchObject({ status: 403, code });
  });

  it.each(['disabled', 'roleless'])(
    'that is %s is refused with INVALID_CREDENTIALS, as any other, if the password is wrong [SEC-139]',
    async (name) => {
      expect(await logIn(name, 'wrong')).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    },
  );
});
