import { InvestmentsService } from '../../src/modules/investing/investments/investments.service.js';
import { WithdrawalsService } from '../../src/modules/funds/withdrawals/withdrawals.service.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { WRONG_SEAL } from '../fixtures/sealed-rows.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { newHash } from '../fixtures/provider-callbacks.js';
import { fewestQueriesDuring } from '../harness/queries.js';
import { NO_STEP_UP } from '../fixtures/step-ups.js';
import { DESTINATION, UNKNOWN_ID } from '../fixtures/withdrawals.js';

// A list must need the same number of statements for one row as for two hundred.

const MANY = 200;
const MAX_PER_LIST = 2; // rows, and totals

const LISTS: [path: string, maxStatements: number][] = [
  ['/api/user/investments?limit=100', MAX_PER_LIST],
  ['/api/user/investments?limit=100&sortBy=currentValue', MAX_PER_LIST],
  ['/api/user/investments/performance', MAX_PER_LIST],
  ['/api/user/deposits?limit=100', MAX_PER_LIST],
  ['/api/user/withdrawals?limit=100', MAX_PER_LIST],
  ['/api/user/transactions?limit=100', MAX_PER_LIST],
  ['/api/user/transactions?limit=100&view=chain', MAX_PER_LIST],
  ['/api/user/notifications?limit=100', MAX_PER_LIST],
  ['/api/user/notifications/unread/count', MAX_PER_LIST],
  ['/api/user/balance', 1],
  ['/api/user/limits', 1],
  ['/api/admin/withdrawals?limit=100', MAX_PER_LIST],
  ['/api/admin/withdrawals?limit=100&view=basic', MAX_PER_LIST],
  ['/api/admin/withdrawals/pending?limit=100', MAX_PER_LIST],
  ['/api/admin/yield-reports?limit=100', MAX_PER_LIST],
  ['/api/admin/users?limit=100', MAX_PER_LIST],
  ['/api/admin/users?limit=100&sortBy=totalInvested&search=queued', MAX_PER_LIST],
  ['/api/admin/users?limit=100&view=basic', MAX_PER_LIST],
  ['/api/admin/users/search?email=queued', MAX_PER_LIST], // the user and the suggestions
  ['/api/admin/transactions?limit=100', MAX_PER_LIST],
  ['/api/admin/transactions?limit=100&type=transfer', MAX_PER_LIST],
  ['/api/admin/transaction-requests?limit=100', MAX_PER_LIST],
  ['/api/admin/investments?limit=100', MAX_PER_LIST],
  ['/api/admin/investments?limit=100&sortBy=currentValue', MAX_PER_LIST],
  ['/api/admin/investments?limit=100&sortBy=currentValue&status=active', MAX_PER_LIST],
  ['/api/admin/investments/pending?limit=100', MAX_PER_LIST],
  ['/api/admin/investments/summary', 2], // the sums and the rates
  ['/api/admin/deposits?limit=100', MAX_PER_LIST],
  ['/api/admin/alerts?limit=100', MAX_PER_LIST],
  ['/api/admin/audit?limit=100', MAX_PER_LIST],
  ['/api/admin/events?limit=100', MAX_PER_LIST],
  ['/api/admin/reconciliations?limit=100', MAX_PER_LIST],
  [`/api/admin/reconciliations/${UNKNOWN_ID}/lines?limit=100&outcome=missing-here&status=open`, MAX_PER_LIST],
  ['/api/admin/webhook-events?limit=100&status=failed', MAX_PER_LIST],
  ['/api/user/webhooks', 1],
  ['/api/user/addresses', 1],
  ['/api/user/api-keys', 1],
  ['/api/user/sessions', 1],
  ['/api/user/wallets', 1],
  ['/api/admin/integrity/runs?limit=100', MAX_PER_LIST],
  ['/api/proofs/checkpoints?limit=100', 1],
];

describe('The SQL statements of a list', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let userWithFew: TestUser;
  let userWithMany: TestUser;
  const statementsForOneRow = new Map<string, string[]>();

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    admin = await platform.given.admin('admin');
    userWithFew = await platform.given.user().withBalance('10000.00');
    await fill(userWithFew, 1);
    await fillTreasury(1);
    await fillReconciliations(1, 1);
    await fillAlerts(1);
    // With limit=1 the page is full as well: the service needs no statement for the total of a page that is not full.
    for (const [path] of LISTS)
      statementsForOneRow.set(path, await statementsOf(path.replace('limit=100', 'limit=1'), userWithFew));
    userWithMany = await platform.given.user().withBalance('10000.00');
    await fill(userWithMany, MANY);
    await fillQueue();
    await fillTreasury(MANY);
    await fillReconciliations(2, MANY);
    await fillIntegrityRuns();
    await fillCheckpoints();
    await fillAlerts(MANY);
    await fillCallbacksAndWebhooks();
    await fillWalletsKeysAndAddresses();
    await fillSessions();
  });
  afterAll(() => platform?.stop());

  /** Creates investments and withdrawals with their transactions, deposits and notifications. */
  async function fill(user: TestUser, count: number): Promise<void> {
    const investments = platform.app.get(InvestmentsService);
    const withdrawals = platform.app.get(WithdrawalsService);
    for (let i = 0; i < count; i++) {
      const strategyId = ['conservative-5', 'balanced-10', 'aggressive-20'][i % 3] as string;
      await investments.create(user.id, { strategyId, amount: '10.00', currency: 'USDC' });
      const request = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
      await withdrawals.requestWithdrawal(user.id, request, NO_STEP_UP);
    }
    const claim = { txHash: newHash(), amount: '600.00', currency: 'USDC', fromAddress: DESTINATION };
    await platform.as(user).post('/api/user/blockchain/deposit', claim);
    await platform.dataSource.query(
      `insert into deposit
       select (jsonb_populate_record(deposit, jsonb_build_object('id', gen_random_uuid(), 'tx_hash', n::text))).*
         from deposit, generate_series(2, $2) as n where user_id = $1`,
      [user.id, count],
    );
    await platform.caughtUp();
    // In SQL, because many notifications of one kind would be one with a count.
    await platform.dataSource.query(
      `insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at)
       select gen_random_uuid(), $1, 'system', 'News', 'News ' || n, 'low', 'platform', '{}', now()
         from generate_series(1, $2::integer) as n`,
      [user.id, count],
    );
  }

  /** Creates withdrawals and pending investments of many users, an audit entry for each withdrawal, and yield reports. */
  async function fillQueue(): Promise<void> {
    await platform.dataSource.query(
      `with person as (
         insert into platform_user (id, email, created_at, updated_at)
         select gen_random_uuid(), 'queued-' || n || '@example.org', now(), now() from generate_series(1, $1) as n
         returning id), waiting as (
         insert into investment (id, user_id, strategy_id, status, amount, units, created_at, updated_at)
         select gen_random_uuid(), id, 'balanced-10', 'pending', 10, 0, now(), now() from person)
       insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
       select gen_random_uuid(), id, 10, 'USDC', $2, 'valid', 'pending', now() from person`,
      [MANY, DESTINATION],
    );
    await platform.dataSource.query(
      `insert into yield_report (event_id, strategy_id, day, apy, used_apy, realised_amount, state, reported_at)
       select n, 'balanced-10', '2026-03-02', 10, 10, 0, 'ignored', now() from generate_series(1, $1::integer) as n`,
      [MANY],
    );
    await platform.dataSource.query(
      `insert into audit_entry (id, at, actor, action, subject_type, subject_id)
       select id, created_at, 'admin@example.com', 'withdrawal.take', 'withdrawal', id::text from withdrawal`,
    );
  }

  /** Creates reconciliations and lines, numbered from `first` to `last`; all lines belong to reconciliation 1. */
  async function fillReconciliations(first: number, last: number): Promise<void> {
    await platform.dataSource.query(
      `insert into reconciliation
       select case n when 1 then $3 else gen_random_uuid() end, 'custody', 'json', now(), now(), n::text, 'admin@example.com',
              now(), 0, 0, 0, 0, 0, 0, 0, '[]' from generate_series($1::integer, $2::integer) as n`,
      [first, last, UNKNOWN_ID],
    );
    await platform.dataSource.query(
      `insert into reconciliation_line
         (id, reconciliation_id, position, outcome, differs, direction, currency, line, there_reference, there_amount,
          there_status, there_at, difference, dust, status)
       select gen_random_uuid(), $3, n, 'missing-here', '{}', 'in', 'USDC', n, n::text, 1, 'settled', now(), 1, 0, 'open'
         from generate_series($1::integer, $2::integer) as n`,
      [first, last, UNKNOWN_ID],
    );
  }

  async function fillIntegrityRuns(): Promise<void> {
    await platform.dataSource.query(
      `insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused)
       select gen_random_uuid(), now(), 1, 1, 'holds', '[]', false from generate_series(1, $1)`,
      [MANY],
    );
  }

  /** Inserts checkpoints with sizes that the log of this test does not reach. */
  async function fillCheckpoints(): Promise<void> {
    await platform.dataSource.query(
      `insert into proof_checkpoint (size, root, at, note)
       select 1000000 + n, sha256(n::text::bytea), now(), 'note' from generate_series(1, $1) as n`,
      [MANY],
    );
  }

  /** Creates treasury transfers with a request for each. */
  async function fillTreasury(count: number): Promise<void> {
    await platform.dataSource.query(
      `with transfer as (
         insert into admin_transaction (id, type, status, amount, currency, description, purpose, network, created_at,
                                        created_by, approved_at, approved_by)
         select gen_random_uuid(), 'transfer', 'processing', 10, 'USDC', 'Sweep', 'sweep', 'ERC20', now(), 'one', now(),
                'another'
           from generate_series(1, $1)
         returning id)
       insert into transaction_request (id, transaction_id, type, status, requested_by, created_at)
       select gen_random_uuid(), id, 'sweep', 'pending', 'one', now() from transfer`,
      [count],
    );
  }

  async function fillAlerts(count: number): Promise<void> {
    await platform.dataSource.query(
      `insert into alert (id, kind, subject_type, subject_id, message, next_step, created_at)
       select gen_random_uuid(), 'clock-apart', 'process', gen_random_uuid(), 'Wrong', 'Set it', now()
         from generate_series(1, $1)`,
      [count],
    );
  }

  async function fillCallbacksAndWebhooks(): Promise<void> {
    await platform.dataSource.query(
      `insert into webhook_event
         (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at, seal)
       select gen_random_uuid(), 'crypto2b', 'deposit', n::text, '{}', 'failed', 'no sense', 1, now(), now(), now(), '\\x00'
         from generate_series(1, $1) as n`,
      [MANY],
    );
    // Ten webhooks, and below twenty keys and fifty addresses: the most that a user can have.
    for (let i = 0; i < 10; i++)
      await platform
        .as(userWithMany)
        .post('/api/user/webhooks', { url: `http://127.0.0.1/${i}`, events: ['deposit.seen'] });
  }

  async function fillSessions(): Promise<void> {
    await platform.dataSource.query(
      `with signed_in as (
         insert into sign_in (family_id, user_id, kind, device, created_at, last_seen_at, expires_at)
         select gen_random_uuid(), $1, 'bearer', 'Firefox', now(), now(), now() + interval '7 days'
           from generate_series(1, $2) returning family_id)
       insert into session (id, family_id, subject_type, subject_id, created_at, expires_at, seal)
       select gen_random_uuid(), family_id, 'user', ($1::uuid)::text, now(), now() + interval '1 day', $3 from signed_in`,
      [userWithMany.id, MANY, WRONG_SEAL],
    );
  }

  async function fillWalletsKeysAndAddresses(): Promise<void> {
    await platform.dataSource.query(
      `insert into wallet (address, user_id, created_at, seal)
       select '0x' || lpad(n::text, 40, '0'), $1, now(), $3 from generate_series(1, $2) as n`,
      [userWithMany.id, MANY, WRONG_SEAL],
    );
    await platform.dataSource.query(
      `insert into api_key (id, user_id, key_hash, prefix, name, scopes, created_at, seal)
       select gen_random_uuid(), $1, sha256(n::text::bytea), 'sk_12345678', 'Key', '{balance:read}', now(), $2
         from generate_series(1, 20) as n`,
      [userWithMany.id, WRONG_SEAL],
    );
    await platform.dataSource.query(
      `insert into withdrawal_address (id, user_id, label, address, network, created_at, usable_from)
       select gen_random_uuid(), $1, 'Safe', '0x' || lpad(n::text, 40, '0'), 'ERC20', now(), now()
         from generate_series(1, 50) as n`,
      [userWithMany.id],
    );
  }

  function statementsOf(path: string, user: TestUser): Promise<string[]> {
    const caller = path.startsWith('/api/admin/') ? admin : user;
    return fewestQueriesDuring(async () => {
      expect((await platform.as(caller).get(path)).status).toBe(200);
    });
  }

  it.each(LISTS)(
    'of %s are at most %i, and no more for two hundred rows than for one [SEC-022]',
    async (path, maxStatements) => {
      const forOneRow = statementsForOneRow.get(path) as string[];
      const forManyRows = await statementsOf(path, userWithMany);
      expect(forOneRow.length).toBeGreaterThan(0); // otherwise nothing was recorded
      expect(forManyRows.length).toBeLessThanOrEqual(maxStatements);
      expect(forManyRows).toHaveLength(forOneRow.length);
    },
  );

  it('were counted for full pages (control)', async () => {
    for (const [path] of LISTS.filter(([list]) => list.includes('limit=100'))) {
      const caller = path.startsWith('/api/admin/') ? admin : userWithMany;
      const { data } = await platform.as(caller).get(path);
      const rows = Array.isArray(data)
        ? data
        : (Object.values(data as object).find(Array.isArray) as unknown[]);
      expect([path, rows.length]).toEqual([path, 100]);
    }
  });
});
