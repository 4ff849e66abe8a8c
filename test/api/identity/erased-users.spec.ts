import { DomainEvents } from '../../../src/events/domain-events.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import { UserErasureService } from '../../../src/modules/desk/user-admin/user-erasure.service.js';
import { UserAccountsService } from '../../../src/modules/identity/users/user-accounts.service.js';
import { givenKey } from '../../fixtures/api-keys.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { LockLinksService } from '../../../src/modules/identity/locks/locks.service.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { TABLES } from '../../fixtures/tables.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const DELIVERIES = 'webhook_delivery';
/** The rows of this table refer to an API key, and not to the user. */
const KEY_USES = 'api_key_use';
/** The audit log is append-only, so that it keeps its rows about the user. */
const AUDIT = 'audit_entry';

const ERASED = Object.keys(TABLES).filter((name) => TABLES[name]?.onUserErasure === 'erased');

describe('A user', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ screening: true, mail: true });
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);

  /** Returns the tables with a row that contains the text. */
  async function tablesWith(text: string): Promise<string[]> {
    const names = Object.keys(TABLES).sort();
    const rows = await sql(
      names
        .map(
          (name) =>
            `select '${name}' as name where exists (select 1 from ${name} as t where t::text ilike $1)`,
        )
        .join(' union all '),
      `%${text}%`,
    );
    return rows.map(({ name }: { name: string }) => name).sort();
  }

  /** Creates a user with a row in every table that holds users' data other than money. */
  async function userWithEverything(): Promise<TestUser & { walletDigits: string }> {
    const wallets = new WalletSteps(platform);
    const { id, email } = await platform.given.user();
    await platform.as(admin).put(`${ADMIN_USERS}/${id}`, { status: 'suspended', reason: 'Fraud' });
    await platform.as(admin).put(`${ADMIN_USERS}/${id}`, { status: 'active' });
    const user = await platform.given.user(email); // signs in again, because the suspension ended the session
    const wallet = newWallet();
    expect((await wallets.connect(user, await wallets.signChallenge(wallet))).status).toBe(200);
    const webhook = { url: 'http://127.0.0.1:9/', events: ['deposit.seen'] };
    const { data } = await platform.as(user).post(WEBHOOKS, webhook);
    expect((await platform.as(user).post(`${WEBHOOKS}/${data.id}/test`)).status).toBeLessThan(300);
    const entry = { label: `Of ${user.email}`, address: newWallet().address, network: 'BEP20' };
    expect((await platform.as(user).post('/api/user/addresses', entry)).status).toBe(201);
    const key = await givenKey(platform, user);
    const app = await TotpApp.register(platform, user);
    const token = await app.stepUp('factor.add', { kind: 'passkey' });
    expect((await addPasskey(platform, user, token)).added.status).toBe(201);
    await platform.app.get(LockLinksService).createLink(user.id);
    expect((await platform.as(key).get('/api/user/ping')).status).toBe(200);
    await platform.runJob('api-key-uses');
    expect((await platform.as(user).post('/api/user/live/ticket')).status).toBe(201);
    await platform.app.get(AlertsService).raise({
      kind: 'screening-blocked',
      subject: { type: 'user', id: user.id },
      message: 'The screening provider blocks this user.',
      nextStep: 'Follow the compliance procedure.',
    });
    await eventually(async () =>
      expect(await sql('select 1 from screening_verdict where user_id = $1', user.id)).toHaveLength(1),
    );
    await sql(
      `insert into screening_question (subject, user_id, due_at)
       values ('user:' || $1::text, $1::uuid, now() + interval '1 day')`,
      user.id,
    );
    await sql(
      `insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
       values ('user:' || $1, 'POST /x', 'key', decode(repeat('00', 32), 'hex'), 201, '{}', now())`,
      user.id,
    );
    return { ...user, walletDigits: wallet.address.slice(2) }; // without 0x, because the text of a bytea column has no 0x
  }

  it('has rows only in the audit log after permanent erasure', async () => {
    const user = await userWithEverything();
    expect((await tablesWith(user.id)).filter((name) => name !== AUDIT)).toEqual(
      ERASED.filter((name) => name !== KEY_USES),
    );
    const reply = await platform.as(admin).delete(`${ADMIN_USERS}/${user.id}?permanent=true`);
    expect(reply.status).toBe(200);
    expect(await tablesWith(user.id)).toEqual([AUDIT]);
    expect(await tablesWith(user.walletDigits)).toEqual([]);
    for (const table of [DELIVERIES, KEY_USES]) expect(await sql(`select 1 from ${table}`)).toEqual([]);
  });

  it('keeps ledger rows after anonymisation, without e-mail address, name or wallet in any table but the audit log', async () => {
    const user = await userWithEverything();
    await platform.given.deposit(user.id, '500.00');
    await sql(`update platform_user set full_name = 'Ann Unmistakable' where id = $1`, user.id);
    await platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
      await platform.app.get(UserAccountsService).lockExclusively(tx, user.id);
      await platform.app.get(UserErasureService).anonymise(tx, { id: user.id } as never);
    });
    for (const personal of [user.email, 'Ann Unmistakable', user.walletDigits])
      expect((await tablesWith(personal)).filter((name) => name !== AUDIT)).toEqual([]);
    expect(await tablesWith(user.id)).toEqual(expect.arrayContaining(['ledger_account', 'user_transaction']));
    for (const table of [DELIVERIES, KEY_USES]) expect(await sql(`select 1 from ${table}`)).toEqual([]);
  });

  it('is anonymised together with what consumers of events are writing about the user', async () => {
    const user = await platform.given.user();
    await platform.caughtUp();
    const { app, clock } = platform;
    const unitOfWork = app.get(UnitOfWork);
    const waitsAt = (query: string) =>
      eventually(async () => {
        const waiting = `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
        expect(await sql(waiting, `%${query}%`)).not.toEqual([]);
      });
    // Consumers that have begun wait for this lock before they lock the user. A lock of a table gives its transaction no id;
    // behind a transaction with an id they would not see the event yet.
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('lock table event_consumer in exclusive mode');
    const added = { label: 'Late', address: newWallet().address, usableFrom: clock.now() };
    const event = { name: 'address.added', userId: user.id, at: clock.now(), ...added } as const;
    await unitOfWork.runInTransaction((tx) => app.get(DomainEvents).emit(tx, event));
    await waitsAt('event_consumer');
    await unitOfWork.runInTransaction(async (tx) => {
      await app.get(UserAccountsService).lockExclusively(tx, user.id);
      await holder.commitTransaction();
      await holder.release();
      await waitsAt('for key share');
      await tx.query(`update platform_user set status = 'inactive' where id = $1`, [user.id]);
      await app.get(UserErasureService).anonymise(tx, { id: user.id } as never);
    });
    expect(await platform.caughtUp()).toBe(true);
    for (const table of ['mail', 'notification', 'domain_event'])
      expect([table, await sql(`select 1 from ${table} where user_id = $1`, user.id)]).toEqual([table, []]);
    expect(await sql('select 1 from event_failure')).toEqual([]);
  });
});
