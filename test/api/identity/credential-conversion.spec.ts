import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { DataSource } from 'typeorm';
import { HOUR_MS } from '../../../src/common/durations.js';
import { migrate, migrationsFromFiles } from '../../../src/database/migrations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { DepositAddressesService } from '../../../src/modules/funds/deposits/deposit-addresses.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { newApiKey } from '../../../src/modules/identity/api-keys/domain/api-key.js';
import { userSubject } from '../../../src/modules/identity/screening/domain/verdict.js';
import { ScreeningService } from '../../../src/modules/identity/screening/screening.service.js';
import { TokensService } from '../../../src/modules/identity/auth/tokens.service.js';
import { approvalSteps } from '../../fixtures/approvals.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { formerDatabase } from '../../fixtures/numbered-migrations.js';
import { processDueCallbacks } from '../../fixtures/provider-callbacks.js';
import { TEST_KEYS } from '../../fixtures/sealed-rows.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { freshDatabase, type TestDatabase } from '../../harness/database.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const USER = { id: randomUUID(), email: 'ann@example.org' };
const REQUESTER = 'admin@example.com';
const PASSWORD = 'a-password-of-twelve';
const newToken = () => randomBytes(32).toString('base64url');
const sha256 = (text: string) => createHash('sha256').update(text).digest();

// The credentials, as version 060 (the migrations up to 060) has stored them.

const FAMILY = randomUUID();
const SESSION = randomUUID();
const APPROVAL = randomUUID();
const CALLBACK = randomUUID();
const REPORT = randomUUID();
const token = newToken();
const spentToken = newToken();
const revokedToken = newToken();
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const apiKey = newApiKey();
const wallet = newWallet();
const AT = new Date('2026-03-02T09:00:00.123Z');
const END = new Date(Date.now() + 24 * HOUR_MS);

async function insertCredentials(dataSource: DataSource): Promise<void> {
  const sql = (text: string, ...parameters: unknown[]) => dataSource.query(text, parameters);
  await sql(
    'insert into platform_user (id, email, email_verified, created_at, updated_at) values ($1, $2, true, $3, $3)',
    USER.id,
    USER.email,
    AT,
  );
  // `created_at` has microseconds, which a Date loses.
  await sql(
    `insert into session (id, family_id, subject_type, subject_id, created_at, expires_at, opened_by)
     values ($1, $2, 'user', $3, $4::timestamptz + interval '77 microseconds', $5, 'identity-provider')`,
    SESSION,
    FAMILY,
    USER.id,
    AT,
    END,
  );
  const insertToken = `insert into refresh_token (token_hash, family_id, subject_type, subject_id, created_at, expires_at, spent_at, revoked_at)
                       values ($1, $2, 'user', $3, $4, $5, $6, $7)`;
  await sql(insertToken, sha256(token), FAMILY, USER.id, AT, END, null, null);
  await sql(insertToken, sha256(spentToken), FAMILY, USER.id, AT, END, AT, null);
  await sql(insertToken, sha256(revokedToken), randomUUID(), USER.id, AT, END, null, AT);
  await sql(
    `insert into api_key (id, user_id, key_hash, prefix, name, scopes, networks, created_at)
     values (gen_random_uuid(), $1, $2, 'sk_12345678', 'Key', '{balance:read}', '{127.0.0.0/8}', $3)`,
    USER.id,
    sha256(apiKey),
    AT,
  );
  const insertWallet = `insert into wallet (address, user_id, created_at, unlinked_at) values ($1, $2, $3, $4)`;
  await sql(insertWallet, wallet.address, USER.id, AT, null);
  await sql(insertWallet, newWallet().address, USER.id, AT, AT);
  await sql(
    `insert into admin_account (email, password_hash, password_set_by, password_set_at) values ('old@example.com', $1, 'old@example.com', $2)`,
    await hash(PASSWORD),
    AT,
  );
  await insertProviderData(sql);
  await insertApproval(sql);
}

type Sql = (text: string, ...parameters: unknown[]) => Promise<unknown>;

async function insertProviderData(sql: Sql): Promise<void> {
  await sql(
    `insert into webhook_event (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at)
     values ($1, 'crypto2b', 'deposit', 'waiting', '{}', 'received', null, 0, $2, $2, null),
            (gen_random_uuid(), 'crypto2b', 'deposit', 'done', '{}', 'processed', null, 1, $2, $2, $2)`,
    CALLBACK,
    AT,
  );
  await sql(
    `insert into screening_verdict (subject, user_id, verdict, risk_score, lists, reference, screened_at, outdated)
     values ('user:' || $1::uuid, $1::uuid, 'review', 40.50, '{list}', 'scr-1', now(), false)`,
    USER.id,
  );
  await sql(
    `insert into deposit_address (id, user_id, currency, network, address, provider_address_id, created_at)
     values (gen_random_uuid(), $1, 'USDT', 'TRC20', $2, '7', $3)`,
    USER.id,
    ADDRESS,
    AT,
  );
  await sql(
    `insert into yield_report (id, event_id, strategy_id, day, apy, used_apy, realised_amount, state, waiting_for, reported_at)
     values ($1, 'event', 'balanced-10', '2026-03-01', 11.50, 10, 0.10, 'waiting', '{rate}', $2)`,
    REPORT,
    AT,
  );
}

async function insertApproval(sql: Sql): Promise<void> {
  await sql(
    `insert into approval (id, kind, subject_type, subject_id, subject_label, change_before, change_after, input, status,
                           requested_by, requested_at, expires_at)
     values ($1, 'admin.password-set', 'admin', 'new@example.com', 'new@example.com', '{"hasPassword":false}', '{"hasPassword":true}',
             $2, 'pending', $3, $4, $5)`,
    APPROVAL,
    { passwordHash: await hash(PASSWORD) },
    REQUESTER,
    AT,
    new Date('2026-03-05T09:00:00Z'),
  );
  await sql(
    `insert into audit_entry (id, at, actor, action, subject_type, subject_id, after)
     values (gen_random_uuid(), $1, $2, 'approval.request', 'admin', 'new@example.com', $3)`,
    AT,
    REQUESTER,
    { approvalId: APPROVAL, kind: 'admin.password-set', status: 'pending' },
  );
}

describe('The update of a database of version 060, whose credentials have no seals,', () => {
  let database: TestDatabase;
  let platform: TestPlatform;

  const silent = () => undefined;

  beforeAll(async () => {
    database = await freshDatabase('template0');
    const before = await formerDatabase(database.url, 60);
    await insertCredentials(before);
    await before.destroy();
  });
  afterAll(async () => {
    await platform?.stop();
    await database?.drop();
  });

  it('fails without TOKEN_HASH_KEY, by which it seals the rows, and then has changed nothing', async () => {
    const { url } = database;
    const dataSource = new DataSource({ type: 'postgres', url, migrations: migrationsFromFiles() });
    await dataSource.initialize();
    try {
      await expect(migrate(dataSource, silent)).rejects.toThrow('Set TOKEN_HASH_KEY');
      expect(
        await dataSource.query('select token_hash from refresh_token where spent_at is not null'),
      ).toEqual([{ token_hash: sha256(spentToken) }]);
      await expect(dataSource.query('select seal from session')).rejects.toThrow('does not exist');
    } finally {
      await dataSource.destroy();
    }
  });

  it('keeps sessions, tokens, keys, wallets, passwords and requests valid [SEC-417]', async () => {
    platform = await startPlatform({ template: new URL(database.url).pathname.slice(1) });
    for (const email of ['old@example.com', 'new@example.com']) await listAdmin(platform, email);
    const claims = { sub: USER.id, email: USER.email, jti: SESSION };
    const access = { token: await platform.app.get(TokensService).issueAccessToken('user', claims) };
    const code = async (caller: { token: string }) =>
      (await platform.as(caller).get('/api/user/balance')).code;
    expect(await code(access)).toBeUndefined();
    expect(await code({ token: apiKey })).toBeUndefined();
    const refresh = (refreshToken: string) => platform.as(null).post('/api/auth/refresh', { refreshToken });
    expect((await refresh(revokedToken)).code).toBe('REFRESH_TOKEN_REVOKED');
    expect((await refresh(token)).status).toBe(200);
    expect((await refresh(spentToken)).code).toBe('REFRESH_TOKEN_REVOKED'); // its reuse ends the family
    // The session is cached until the notification of its end arrives.
    await eventually(async () => expect(await code(access)).toBe('TOKEN_INVALID'));
    const wallets = new WalletSteps(platform);
    expect((await wallets.login(await wallets.signChallenge(wallet))).data.user.id).toBe(USER.id);
    const logIn = (email: string) =>
      platform.as(null).post('/api/admin/auth/login', { email, password: PASSWORD });
    expect((await logIn('old@example.com')).status).toBe(200);
    const approvals = await approvalSteps(platform);
    expect((await approvals.approve(APPROVAL)).data.status).toBe('approved');
    expect((await logIn('new@example.com')).status).toBe(200);
    await processDueCallbacks(platform);
    const [callback] = await platform.dataSource.query('select reason from webhook_event where id = $1', [
      CALLBACK,
    ]);
    expect(callback.reason).toBe('the body is not a deposit'); // it was read
    const subject = userSubject(USER.id);
    const verdicts = await platform.app.get(ScreeningService).getNewestVerdicts([subject]);
    expect(verdicts.get(subject)).toMatchObject({ verdict: 'review', riskScore: 40.5 });
    await platform.runJob('forged-credentials');
    expect(
      await platform.dataSource.query(`select kind from alert where kind = 'forged-credential'`),
    ).toEqual([]);
  });

  it('seals the deposit addresses and yield reports that exist', async () => {
    // An address or a report with a wrong seal is not returned; the service would ask the provider for another address.
    const askProvider = () => Promise.reject(new Error('the provider is asked'));
    const addresses = platform.app.get(DepositAddressesService);
    const { address } = await addresses.findOrCreateAddress(USER.id, 'USDT', 'TRC20', askProvider);
    expect(address).toBe(ADDRESS);
    const reports = platform.app.get(YieldReportsService);
    const report = await platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => reports.getWaitingReport(tx, REPORT));
    expect(report.apy.toString()).toBe('11.5');
  });

  it('never seals a row that is written later, not even if the update is made to run again [SEC-418]', async () => {
    const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
    const later = newToken();
    const insert = `insert into refresh_token (token_hash, family_id, subject_type, subject_id, created_at, expires_at, seal)
                    values ($1, gen_random_uuid(), 'user', $2, $3, $4, $5)`;
    await expect(sql(insert, sha256(later), USER.id, AT, END, null)).rejects.toThrow('refresh_token_seal');
    await sql(insert, sha256(later), USER.id, AT, END, Buffer.alloc(32));
    const url = await startReplica(platform, {});
    const refreshLater = await platform.as(null, url).post('/api/auth/refresh', { refreshToken: later });
    expect(refreshLater.code).toBe('INVALID_REFRESH_TOKEN');
    // Somebody who makes the upgrade run again, so that it would seal the row, only makes the start fail.
    await sql(`insert into migrations (timestamp, name) values (60, 'event-alerts0000000000060')`);
    const again = new DataSource({
      type: 'postgres',
      url: platform.env.DATABASE_URL as string,
      migrations: migrationsFromFiles(TEST_KEYS),
    });
    await again.initialize();
    try {
      await expect(migrate(again, silent)).rejects.toThrow('not that of a former version');
    } finally {
      await again.destroy();
    }
    expect(await sql('select seal from refresh_token where token_hash = $1', sha256(later))).toEqual([
      { seal: Buffer.alloc(32) },
    ]);
  });
});
