import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  processDueCallbacks,
  depositBody,
  newHash,
  ProviderCallbacks,
} from '../../fixtures/provider-callbacks.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { changeSealed, WRONG_SEAL } from '../../fixtures/sealed-rows.js';

// Provider callbacks that failed or were ignored, and their replay by admins.

const EVENTS = '/api/admin/webhook-events';
const ATTEMPTS = 12; // after which a callback has failed

describe('Stored provider callbacks', () => {
  let platform: TestPlatform;
  let callbacks: ProviderCallbacks;
  let admin: TestAdmin;
  let user: TestUser;
  let address: string;

  beforeAll(async () => {
    // Neither the sandbox's deposit provider nor the poll reports deposits: the tests send all callbacks.
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' }, blockIntervalMs: 0 });
    callbacks = new ProviderCallbacks(platform);
    admin = await platform.given.admin('admin');
  });
  beforeEach(async () => {
    await platform.dataSource.query('truncate webhook_event, webhook_pending');
    user = await platform.given.user();
    address = (await platform.as(user).get('/api/user/deposits/address')).data.address;
  });
  afterAll(() => platform?.stop());

  const list = (query = '') => platform.as(admin).get(EVENTS + query);
  const replay = (id: string, by = admin) => platform.as(by).post(`${EVENTS}/${id}/replay`);
  const detail = async (id: string) => (await platform.as(admin).get(`${EVENTS}/${id}`)).data;
  const processCallbacks = () => processDueCallbacks(platform);
  const newest = async () => (await list('?limit=1')).data[0];

  /** Inserts callbacks that were received in the past. Their seals are wrong, which only the processing checks. */
  async function insertCallbacks(
    rows: [status: string, provider: string, kind: string, hoursAgo: number][],
  ): Promise<void> {
    for (const [status, provider, kind, hoursAgo] of rows) {
      const at = new Date(platform.clock.now().getTime() - hoursAgo * HOUR_MS);
      const settledAt = status === 'received' ? null : at;
      const reason = ['failed', 'ignored'].includes(status) ? 'some reason' : null;
      const dueAt = new Date(platform.clock.now().getTime() + HOUR_MS); // so that no job processes them
      await platform.dataSource.query(
        `insert into webhook_event
           (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at, seal)
         values (gen_random_uuid(), $1, $2, $3, '{}', $4, $5, $6, $7, $8, $9, $10)`,
        [provider, kind, randomUUID(), status, reason, settledAt ? 1 : 0, at, dueAt, settledAt, WRONG_SEAL],
      );
    }
    await platform.dataSource.query('select mark_all_totals()');
  }

  it('are processed when an admin replays them after the cause of their failure was removed', async () => {
    // The chain is unavailable during all attempts; USDC over ERC20 is verified on the chain.
    const path = '/api/user/deposits/address?currency=USDC&network=ERC20';
    const { address: erc20Address } = (await platform.as(user).get(path)).data;
    const { faults } = platform.outside.providers;
    faults.set('chain', 'error');
    const body = depositBody({
      address: erc20Address,
      currency: 'USDC',
      network: 'erc20',
      status: 'Pending',
      confirmations: 0,
    });
    const receivedAt = platform.clock.now().toISOString();
    await callbacks.send('deposit', body);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await processCallbacks();
      platform.clock.advance(HOUR_MS); // longer than any delay before the next attempt, at most 2^10 s = 17 min
    }
    const dead = await newest();
    expect(dead).toEqual({
      id: expect.any(String),
      provider: 'crypto2b',
      kind: 'deposit',
      status: 'failed',
      reason: 'BLOCKCHAIN_ERROR',
      attempts: ATTEMPTS,
      receivedAt,
      dueAt: expect.any(String),
      settledAt: expect.any(String),
    });
    expect((await platform.as(user).get('/api/user/deposits')).data).toEqual([]);
    expect(await detail(dead.id)).toEqual({
      ...dead,
      eventKey: expect.stringMatching(/^deposit:\d+:Pending:0$/),
      body,
    });

    faults.clear('chain');
    const replayed = await replay(dead.id);
    expect(replayed.data).toMatchObject({ status: 'received', reason: null, attempts: 0, settledAt: null });
    await processCallbacks();
    expect(await detail(dead.id)).toMatchObject({ status: 'processed', reason: null, attempts: 1 });
    expect((await platform.as(user).get('/api/user/deposits')).data).toHaveLength(1);
    expect((await replay(dead.id)).code).toBe('INVALID_STATE');
  });

  it('are processed by a replay if they were ignored because their address was assigned to a user only later', async () => {
    const laterAddress = `T${'L'.repeat(33)}`;
    const body = depositBody({ address: laterAddress, amount: '700', hash: newHash() });
    await callbacks.send('deposit', body);
    await processCallbacks();
    const ignored = await newest();
    expect(ignored.status).toBe('ignored');
    await queryWithoutTriggers(platform, 'update deposit_address set address = $1 where address = $2', [
      laterAddress,
      address,
    ]);
    await changeSealed(platform.dataSource, 'deposit_address', ['address', laterAddress], () => ({})); // with the right seal
    await replay(ignored.id);
    await processCallbacks();
    expect(await detail(ignored.id)).toMatchObject({ status: 'processed' });
    expect((await platform.as(user).get('/api/user/balance')).data.available).toBe('700.00');
  });

  it('are replayed once by two concurrent admins, with one audit entry', async () => {
    await listAdmin(platform, 'second@example.com');
    const second = await platform.given.admin('second');
    for (let round = 0; round < 3; round++) {
      await callbacks.send('deposit', depositBody({ address: `T${'N'.repeat(33)}` })); // an address of no user
      await processCallbacks();
      const { id } = await newest();
      // The lock delays the processing. Otherwise the replayed callback would be ignored again at once, and the
      // second replay would be permitted.
      const replies = await platform.dataSource.transaction(async (tx) => {
        await tx.query('lock table deposit_address in access exclusive mode');
        return Promise.all([replay(id), replay(id, second)]);
      });
      expect(replies.map(({ code }) => code ?? 'done').sort()).toEqual(['INVALID_STATE', 'done']);
      const { data } = await platform.as(admin).get(`/api/admin/audit?subject=webhook-event:${id}`);
      expect(data).toHaveLength(1);
      expect(data[0]).toMatchObject({
        action: 'webhook-event.replay',
        before: { status: 'ignored', attempts: 1 },
        after: { status: 'received', attempts: 0 },
      });
      await processCallbacks();
    }
  });

  it('cannot be replayed in the states `received` and `processed`', async () => {
    await insertCallbacks([
      ['received', 'crypto2b', 'deposit', 0],
      ['processed', 'crypto2b', 'deposit', 0],
    ]);
    const { data } = await list();
    expect(data).toHaveLength(2);
    for (const { id, status } of data) {
      const refused = await replay(id);
      expect(refused).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(refused.body.error.details).toEqual({
        status,
        action: 'replay',
        allowedFrom: ['failed', 'ignored'],
      });
    }
  });

  it('have no details and no replay under an unknown id: 404 WEBHOOK_EVENT_NOT_FOUND', async () => {
    for (const id of [UNKNOWN_ID, '1']) {
      expect(await platform.as(admin).get(`${EVENTS}/${id}`)).toMatchObject({
        status: 404,
        code: 'WEBHOOK_EVENT_NOT_FOUND',
      });
      expect((await replay(id)).code).toBe('WEBHOOK_EVENT_NOT_FOUND');
    }
  });

  it('are listed newest first with exact totals, and filtered by status, provider, kind and time', async () => {
    await insertCallbacks([
      ['failed', 'crypto2b', 'deposit', 1],
      ['failed', 'custody', 'yield', 2],
      ['ignored', 'crypto2b', 'withdrawal', 3],
      ['processed', 'crypto2b', 'deposit', 4],
      ['received', 'crypto2b', 'deposit', 5],
    ]);
    const hoursAgo = (hours: number) =>
      new Date(platform.clock.now().getTime() - hours * HOUR_MS).toISOString();
    /** The total, and status and kind of each callback of the page. */
    const shown = async (query: string) => {
      const { data, body } = await list(query);
      const kinds = data.map(({ status, kind }: { status: string; kind: string }) => `${status} ${kind}`);
      return [body.pagination.total, ...kinds];
    };
    const all = [
      'failed deposit',
      'failed yield',
      'ignored withdrawal',
      'processed deposit',
      'received deposit',
    ];
    expect(await shown('')).toEqual([5, ...all]);
    expect(await shown('?page=2&limit=2')).toEqual([5, 'ignored withdrawal', 'processed deposit']);
    expect(await shown('?status=failed')).toEqual([2, 'failed deposit', 'failed yield']);
    expect(await shown('?provider=custody')).toEqual([1, 'failed yield']);
    expect(await shown('?kind=deposit&status=failed')).toEqual([1, 'failed deposit']);
    expect(await shown(`?receivedAfter=${hoursAgo(2)}`)).toEqual([2, 'failed deposit', 'failed yield']);
    expect(JSON.stringify((await list()).data)).not.toContain('body');
    for (const query of ['?status=lost', '?kind=payout', '?receivedAfter=yesterday', '?provider=a%20b'])
      expect((await list(query)).code).toBe('VALIDATION_ERROR');
    for (const query of ['?page=0', '?limit=101'])
      expect((await list(query)).code).toBe('INVALID_PAGINATION');
  });

  it('fail if their processing was interrupted in every attempt', async () => {
    await insertCallbacks([['received', 'crypto2b', 'deposit', 0]]);
    await changeSealed(platform.dataSource, 'webhook_event', ['status', 'received'], () => ({})); // with the right seal
    // The row after twelve interrupted attempts: an attempt is counted at its start, and leaves the status `received`
    // if it is interrupted.
    await queryWithoutTriggers(platform, 'update webhook_event set attempts = $1, due_at = $2', [
      ATTEMPTS,
      platform.clock.now(),
    ]);
    await processCallbacks();
    expect((await list('?status=failed')).data[0]).toMatchObject({
      reason: 'the last attempt was interrupted',
      attempts: ATTEMPTS + 1,
    });
  });
});
