import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { formerDatabase } from '../../test/fixtures/numbered-migrations.js';
import { TEST_KEYS } from '../../test/fixtures/sealed-rows.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { migrate, migrationsFromFiles } from './migrations.js';

const NAMED_AT = new Date('2026-03-01T10:00:00Z');
const SIGNED_AT = new Date('2026-03-02T10:00:00Z');
const USER = randomUUID();
/** Wallets: named by an admin alone; linked by a signature; named by an admin and linked by a signature a day later. */
const [NAMED, SIGNED, SIGNED_ANEW] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);

/** Wallets of one user with a session and a refresh token each. The audit log says that an admin has named two of them. */
async function insertHistory(dataSource: DataSource): Promise<void> {
  const sql = (text: string, ...parameters: unknown[]) => dataSource.query(text, parameters);
  await sql(
    `insert into platform_user (id, email, created_at, updated_at) values ($1, 'a@b.test', $2, $2)`,
    USER,
    NAMED_AT,
  );
  for (const address of [NAMED, SIGNED_ANEW])
    await sql(
      `insert into audit_entry (id, at, actor, action, subject_type, subject_id, after)
       values (gen_random_uuid(), $1, 'admin@b.test', 'user.create', 'user', $2, jsonb_build_object('walletAddress', $3::text))`,
      NAMED_AT,
      USER,
      address?.toUpperCase().replace('0X', '0x'), // the audit log has the letter case that the admin has typed
    );
  const links = [
    [NAMED, NAMED_AT],
    [SIGNED, NAMED_AT],
    [SIGNED_ANEW, SIGNED_AT],
  ] as const;
  for (const [address, at] of links)
    await sql(
      `with linked as (insert into wallet (address, user_id, created_at) values ($1, $2, $3) returning id),
            opened as (insert into session (id, family_id, subject_type, subject_id, wallet_id, created_at, expires_at)
                       select id, id, 'user', $2::text, id, $3, $3 from linked)
       insert into refresh_token (token_hash, family_id, subject_type, subject_id, wallet_id, created_at, expires_at)
       select sha256(id::text::bytea), id, 'user', $2::text, id, $3, $3 from linked`,
      address,
      USER,
      at,
    );
}

describe('The upgrade of a database before 053', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase('template0');
    const { url } = database;
    const before = await formerDatabase(url, 52);
    await insertHistory(before);
    await before.destroy();
    dataSource = new DataSource({ type: 'postgres', url, migrations: migrationsFromFiles(TEST_KEYS) });
    await dataSource.initialize();
    await migrate(dataSource, () => undefined);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('ends the links and sessions of wallets that only an admin has linked, and keeps signed ones [SEC-333]', async () => {
    const rows = await dataSource.query(
      `select address, unlinked_at is null as linked, session.revoked_at is null as session, token.revoked_at is null as token
         from wallet join session on session.wallet_id = wallet.id join refresh_token as token on token.wallet_id = wallet.id
        order by address`,
    );
    expect(rows).toEqual([
      { address: NAMED, linked: false, session: false, token: false },
      { address: SIGNED, linked: true, session: true, token: true },
      { address: SIGNED_ANEW, linked: true, session: true, token: true },
    ]);
  });

  it('records each ended link in the audit log and notifies the user', async () => {
    const audited = `select actor, subject_id as "userId", before ->> 'address' as address from audit_entry where action = 'wallet.unlink'`;
    expect(await dataSource.query(audited)).toEqual([{ actor: 'system', userId: USER, address: NAMED }]);
    const notified = await dataSource.query('select user_id as "userId", title, message from notification');
    expect(notified).toEqual([
      { userId: USER, title: 'Wallet unlinked', message: expect.stringContaining(NAMED as string) },
    ]);
  });
});
