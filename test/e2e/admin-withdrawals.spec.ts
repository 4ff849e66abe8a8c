import { jest } from '@jest/globals';
import pg from 'pg';
import type { Address } from 'viem';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { WithdrawalChainChecks } from '../../src/modules/withdrawals/withdrawal-chain-checks.js';
import { Withdrawals } from '../../src/modules/withdrawals/withdrawals.service.js';
import type { Reply } from '../support/caller.js';
import type { TestAdmin, TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';

const PATH = '/api/admin/withdrawals';
const TO: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ELSEWHERE: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const HOUR_MS = 3_600_000;
const NOBODYS = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

let hashes = 0;
/** A hash of the right shape that no transaction has. */
const unknownHash = () => `0x${(++hashes).toString(16).padStart(64, '0')}`;

interface Stage {
  platform: TestPlatform;
  admin: TestAdmin;
  admin2: TestAdmin;
}

async function setStage(settings: Record<string, string> = {}): Promise<Stage> {
  const platform = await startPlatform({ settings: { LOG_LEVEL: 'silent', ...settings } });
  const [admin, admin2] = [await platform.given.admin('admin'), await platform.given.admin('admin2')];
  return { platform, admin, admin2 };
}

/** A new pending withdrawal of a new user, who has 200000.00 before it. */
async function pending(platform: TestPlatform, amount = '100.00'): Promise<{ id: string; ann: TestUser }> {
  const ann = await platform.given.user().withBalance('200000.00');
  return { id: await ask(platform, ann, amount), ann };
}

async function ask(platform: TestPlatform, user: TestUser, amount: string): Promise<string> {
  const body = { amount, currency: 'USDC', toAddress: TO };
  return (await platform.as(user).post('/api/user/withdrawals', body)).data.id;
}

describe('withdrawals, the admins’ door', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let admin2: TestAdmin;

  beforeAll(async () => {
    ({ platform, admin, admin2 } = await setStage());
  });
  afterAll(() => platform.stop());

  const take = (id: string, by = admin) => platform.as(by).post(`${PATH}/${id}/take`);
  const complete = (id: string, txHash: unknown, more: object = {}, by = admin) =>
    platform.as(by).post(`${PATH}/${id}/complete`, { txHash, ...more });
  const detail = async (id: string) => (await platform.as(admin).get(`${PATH}/${id}`)).data;
  const fail = (id: string) => platform.app.get(Withdrawals).failedByProvider(id, 'Liquidity');

  async function processing(amount = '100.00') {
    const made = await pending(platform, amount);
    await take(made.id);
    return made;
  }

  async function funds(user: TestUser) {
    const { available, reserved, withdrawals } = await platform.app.get(LedgerQueries).fundsOf(user.id);
    return [available.toWire(), reserved.toWire(), withdrawals.toWire()];
  }

  describe('the way of a withdrawal', () => {
    it('is taken, paid by hand and completed, with every step on record', async () => {
      const { id, ann } = await pending(platform, '150.25');
      platform.clock.advance(HOUR_MS);
      const taken = await take(id);
      expect(taken).toMatchObject({
        status: 200,
        data: { id, status: 'processing', txHash: null, chainCheck: null },
      });

      const paid = await platform.outside.chain.payUsdc(TO, '150.25');
      platform.clock.advance(HOUR_MS);
      const done = await complete(id, paid, { note: 'Paid from the main wallet' }, admin2);
      expect(done).toMatchObject({
        status: 200,
        data: { status: 'completed', txHash: paid, chainCheck: 'matched', note: 'Paid from the main wallet' },
      });

      // 200000.00 − 150.25 = 199849.75
      expect(await funds(ann)).toEqual(['199849.75', '0.00', '150.25']);
      const seen = await detail(id);
      expect(seen.lifecycle.map(({ status, by }: { status: string; by: string }) => [status, by])).toEqual([
        ['pending', ann.email],
        ['processing', 'admin@example.com'],
        ['completed', 'admin2@example.com'],
      ]);
      const times = seen.lifecycle.map(({ at }: { at: string }) => Date.parse(at));
      expect([times[1] - times[0], times[2] - times[1]]).toEqual([HOUR_MS, HOUR_MS]);
      expect(seen.user).toEqual({
        id: ann.id,
        email: ann.email,
        walletAddress: null,
        verificationStatus: 'not_checked',
        accountCreated: expect.stringMatching(/Z$/),
      });
      expect(seen.withdrawal).toEqual({
        amount: '150.25',
        currency: 'USDC',
        destinationAddress: TO,
        addressChecksum: 'valid',
        source: 'available',
        gasFee: '0.00',
        netAmount: '150.25',
        txHash: paid,
        chainCheck: 'matched',
        note: 'Paid from the main wallet',
      });
      expect(seen.limits).toEqual({
        dailyLimit: '50000.00',
        usedToday: '150.25',
        remainingToday: '49849.75', // 50000.00 − 150.25
        lifetimeWithdrawn: '150.25',
      });
      const user = await platform.as(ann).get(`/api/user/withdrawals/${id}`);
      expect(user.data).toMatchObject({ status: 'completed', txHash: paid, rejectionReason: null });
    });

    it('may be approved and executed, which leave their own times', async () => {
      const { id } = await pending(platform);
      const approved = await platform.as(admin).put(`${PATH}/${id}/approve`);
      expect(approved.data).toMatchObject({
        status: 'approved',
        approvedBy: 'admin@example.com',
        executedAt: null,
      });
      platform.clock.advance(HOUR_MS);
      const executed = await platform.as(admin).put(`${PATH}/${id}/execute`);
      expect(executed.data).toMatchObject({ status: 'processing', approvedBy: 'admin@example.com' });
      expect(Date.parse(executed.data.executedAt) - Date.parse(executed.data.approvedAt)).toBe(HOUR_MS);
    });

    it('is rejected with a reason that the user reads, and the money is back', async () => {
      const { id, ann } = await processing();
      const reply = await platform
        .as(admin)
        .put(`${PATH}/${id}/reject`, { reason: 'The address is on a list' });
      expect(reply).toMatchObject({
        status: 200,
        data: { status: 'rejected', note: 'The address is on a list' },
      });
      expect(await funds(ann)).toEqual(['200000.00', '0.00', '0.00']);
      const user = await platform.as(ann).get(`/api/user/withdrawals/${id}`);
      expect(user.data.rejectionReason).toBe('The address is on a list');
    });

    it('fails by the provider’s word: the money stays reserved', async () => {
      const { id, ann } = await processing();
      expect(await fail(id)).toBe('failed');
      expect(await funds(ann)).toEqual(['199900.00', '100.00', '100.00']); // 200000.00 − 100.00 reserved
      const seen = await detail(id);
      expect(seen).toMatchObject({ status: 'failed', note: 'Liquidity' });
      expect(seen.lifecycle.at(-1)).toMatchObject({ status: 'failed', by: 'crypto2b' });

      expect(await fail(id)).toBe('already-failed');
      expect((await detail(id)).lifecycle).toHaveLength(3);
    });

    it('is not touched by a provider’s word about something else', async () => {
      const { id } = await pending(platform);
      expect(await fail(id)).toBe('not-processing');
      expect(await fail(NOBODYS)).toBe('unknown');
      expect(await fail('not-a-uuid')).toBe('unknown');
      expect((await detail(id)).status).toBe('pending');
    });
  });

  describe('every verb in every state', () => {
    const reach: Record<string, (id: string) => Promise<unknown>> = {
      pending: () => Promise.resolve(),
      approved: (id) => platform.as(admin).put(`${PATH}/${id}/approve`),
      processing: (id) => take(id),
      completed: async (id) => {
        await take(id);
        await complete(id, unknownHash());
      },
      rejected: (id) => platform.as(admin).put(`${PATH}/${id}/reject`, { reason: 'No' }),
      failed: async (id) => {
        await take(id);
        await fail(id);
      },
    };
    const verbs: Record<string, (id: string, ann: TestUser) => Promise<Reply>> = {
      approve: (id) => platform.as(admin).put(`${PATH}/${id}/approve`),
      take: (id) => take(id),
      execute: (id) => platform.as(admin).put(`${PATH}/${id}/execute`),
      complete: (id) => complete(id, unknownHash()),
      reject: (id) => platform.as(admin).put(`${PATH}/${id}/reject`, { reason: 'No' }),
      cancel: (id, ann) => platform.as(ann).post(`/api/user/withdrawals/${id}/cancel`),
    };
    // What is not here is refused.
    const leadsTo: Record<string, Record<string, string>> = {
      approve: { pending: 'approved' },
      take: { pending: 'processing', approved: 'processing' },
      execute: { approved: 'processing' },
      complete: { processing: 'completed' },
      reject: { pending: 'rejected', approved: 'rejected', processing: 'rejected' },
      cancel: { pending: 'rejected' },
    };
    const cases = Object.keys(verbs).flatMap((verb) =>
      Object.keys(reach).map((status) => [verb, status] as const),
    );

    it.each(cases)('%s when %s', async (verb, status) => {
      const { id, ann } = await pending(platform);
      await reach[status]!(id);
      const before = await platform.ledgerState();
      const reply = await verbs[verb]!(id, ann);

      const next = leadsTo[verb]![status];
      if (next) {
        expect(reply).toMatchObject({ status: 200, data: { id, status: next } });
      } else {
        expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
        const allowedFrom = Object.keys(leadsTo[verb]!);
        expect(reply.body.error.details).toEqual({ status, action: verb, allowedFrom });
        expect(await platform.ledgerState()).toEqual(before);
      }
      expect((await detail(id)).status).toBe(next ?? status);
    });
  });

  describe('two at once', () => {
    it('take the same withdrawal: one has it, the other is told', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await pending(platform);
        const replies = await Promise.all([take(id, admin), take(id, admin2)]);
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 422]);
        expect(replies.find((reply) => reply.status === 422)?.code).toBe('INVALID_STATE');
        expect((await detail(id)).lifecycle).toHaveLength(2);
      }
    });

    it('complete and reject: the money goes one way', async () => {
      for (let round = 0; round < 5; round++) {
        const { id, ann } = await processing();
        const [done, rejected] = await Promise.all([
          complete(id, unknownHash()),
          platform.as(admin2).put(`${PATH}/${id}/reject`, { reason: 'No' }),
        ]);
        expect([done.status, rejected.status].sort()).toEqual([200, 422]);
        expect(await funds(ann)).toEqual(
          done.status === 200 ? ['199900.00', '0.00', '100.00'] : ['200000.00', '0.00', '0.00'],
        );
      }
    });

    it('complete two withdrawals with the same hash: one is refused', async () => {
      for (let round = 0; round < 5; round++) {
        const [one, two] = [await processing(), await processing()];
        const hash = unknownHash();
        const replies = await Promise.all([complete(one.id, hash), complete(two.id, hash, {}, admin2)]);
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
        expect(replies.find((reply) => reply.status === 409)?.code).toBe('DUPLICATE_TX_HASH');
      }
    });

    it('complete two with a hash that both may share: both are done, and a third needs permission too', async () => {
      const [one, two, three] = [await processing(), await processing(), await processing()];
      const hash = unknownHash();
      const shared = { allowSharedTxHash: true };
      const replies = await Promise.all([
        complete(one.id, hash, shared),
        complete(two.id, hash, shared, admin2),
      ]);
      expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
      expect(await complete(three.id, hash)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });
  });

  describe('the transaction hash', () => {
    it('completes one withdrawal, in whatever letters, unless sharing is allowed', async () => {
      const [first, second] = [await processing(), await processing()];
      const hash = `0x${'ab'.repeat(31)}01`;
      await complete(first.id, hash);
      const before = await platform.ledgerState();
      const again = await complete(second.id, ` 0x${hash.slice(2).toUpperCase()} `);

      expect(again).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
      expect(again.body.error.details).toEqual({ withdrawalId: first.id });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await detail(second.id)).status).toBe('processing');

      expect(await complete(second.id, hash, { allowSharedTxHash: true })).toMatchObject({
        data: { txHash: hash },
      });
    });

    it('counts as taken also when its first withdrawal was completed with permission to share', async () => {
      const [first, second] = [await processing(), await processing()];
      const hash = unknownHash();
      await complete(first.id, hash, { allowSharedTxHash: true });
      expect(await complete(second.id, hash)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });

    it('may be any text: what no chain can know stays unverified, then is a mismatch', async () => {
      const { id } = await processing();
      expect((await complete(id, 'Bank wire 17')).data).toMatchObject({
        status: 'completed',
        txHash: 'Bank wire 17',
        chainCheck: 'unverified',
      });
    });

    it.each([
      ['absent', undefined],
      ['empty', ''],
      ['blank', '  '],
      ['null', null],
      ['a number', 17],
      ['too long', 'x'.repeat(201)],
    ])('is needed: %s is refused', async (_, txHash) => {
      const { id } = await processing();
      const before = await platform.ledgerState();
      expect(await complete(id, txHash)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(await platform.ledgerState()).toEqual(before);
    });
  });

  describe('the chain', () => {
    const recheck = () => platform.app.get(WithdrawalChainChecks).recheck();
    const checkOf = async (id: string) => (await detail(id)).chainCheck;

    it('shows a mismatch of the amount or of the recipient', async () => {
      const [wrongAmount, wrongRecipient] = [await processing('100.00'), await processing('100.00')];
      const short = await platform.outside.chain.payUsdc(TO, '99.999999');
      const astray = await platform.outside.chain.payUsdc(ELSEWHERE, '100.00');
      expect((await complete(wrongAmount.id, short)).data.chainCheck).toBe('mismatch');
      expect((await complete(wrongRecipient.id, astray)).data.chainCheck).toBe('mismatch');
    });

    it('finds one payment for two equal withdrawals, and matches one of them', async () => {
      const [one, two] = [await processing('77.00'), await processing('77.00')];
      const hash = await platform.outside.chain.payUsdc(TO, '77.00');
      expect((await complete(one.id, hash)).data.chainCheck).toBe('matched');
      expect((await complete(two.id, hash, { allowSharedTxHash: true })).data.chainCheck).toBe('mismatch');
    });

    it('gives an unknown hash an hour', async () => {
      const { id } = await processing();
      expect((await complete(id, unknownHash())).data.chainCheck).toBe('unverified');
      platform.clock.advance(HOUR_MS - 1);
      await recheck();
      expect(await checkOf(id)).toBe('unverified');
      platform.clock.advance(1);
      await recheck();
      expect(await checkOf(id)).toBe('mismatch');
    });

    it('does not stop an operator when it is silent, and is asked again later', async () => {
      const { id, ann } = await processing('88.00');
      const hash = await platform.outside.chain.payUsdc(TO, '88.00');
      platform.outside.providers.faults.set('chain', 'error');
      const done = await complete(id, hash);
      expect(done).toMatchObject({ status: 200, data: { status: 'completed', chainCheck: 'unverified' } });
      expect(await funds(ann)).toEqual(['199912.00', '0.00', '88.00']); // 200000.00 − 88.00

      platform.clock.advance(2 * HOUR_MS); // an hour counts only against what the chain was asked for
      await recheck();
      expect(await checkOf(id)).toBe('unverified');

      await platform.outside.providers.endFault('chain');
      await recheck();
      expect(await checkOf(id)).toBe('matched');
    });
  });

  describe('bulk take', () => {
    it('takes what it can and says why not the rest', async () => {
      const [one, two, gone] = [await pending(platform), await pending(platform), await processing()];
      const ids = [one.id, gone.id, NOBODYS, two.id, one.id.toUpperCase()];
      const reply = await platform.as(admin).post(`${PATH}/bulk-take`, { ids });

      expect(reply.status).toBe(200);
      expect(reply.data.taken).toEqual([one.id, two.id]);
      expect(reply.data.failed).toEqual([
        { id: gone.id, code: 'INVALID_STATE', message: expect.any(String) },
        { id: NOBODYS, code: 'WITHDRAWAL_NOT_FOUND', message: expect.any(String) },
      ]);
      expect((await detail(two.id)).status).toBe('processing');
    });

    it.each([
      ['no list', {}, 'MISSING_REQUIRED_FIELD'],
      ['an empty list', { ids: [] }, 'VALIDATION_ERROR'],
      ['a text', { ids: NOBODYS }, 'VALIDATION_ERROR'],
      ['what is no id', { ids: ['1'] }, 'VALIDATION_ERROR'],
      ['more than a hundred', { ids: Array.from({ length: 101 }, () => NOBODYS) }, 'VALIDATION_ERROR'],
    ])('refuses %s', async (_, body, code) => {
      expect(await platform.as(admin).post(`${PATH}/bulk-take`, body)).toMatchObject({ status: 400, code });
    });
  });

  describe('who may', () => {
    const calls: [string, string, object | undefined][] = [
      ['GET', '', undefined],
      ['GET', '/pending', undefined],
      ['GET', `/${NOBODYS}`, undefined],
      ['POST', '/bulk-take', { ids: [NOBODYS] }],
      ['POST', `/${NOBODYS}/take`, undefined],
      ['POST', `/${NOBODYS}/complete`, { txHash: 'x' }],
      ['PUT', `/${NOBODYS}/approve`, undefined],
      ['PUT', `/${NOBODYS}/execute`, undefined],
      ['PUT', `/${NOBODYS}/reject`, { reason: 'No' }],
    ];

    it.each(calls)('%s %s: operators, not support, not users', async (method, path, body) => {
      const [operator, support] = [
        await platform.given.admin('operator'),
        await platform.given.admin('support'),
      ];
      const user = await platform.given.user();
      const as = (somebody: { token: string } | null) =>
        platform.as(somebody).call(method, PATH + path, body);

      expect([200, 404]).toContain((await as(operator)).status);
      expect(await as(support)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(await as(user)).toMatchObject({ status: 403, code: 'ADMIN_REQUIRED' });
      expect(await as(null)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    });

    it('a refused call changes nothing', async () => {
      const { id, ann } = await pending(platform);
      const support = await platform.given.admin('support');
      await take(id, support);
      await take(id, ann);
      expect(await detail(id)).toMatchObject({ status: 'pending', lifecycle: [{ status: 'pending' }] });
    });
  });

  it.each([NOBODYS, 'not-a-uuid'])('does not find %s', async (id) => {
    const missing = { status: 404, code: 'WITHDRAWAL_NOT_FOUND' };
    expect(await platform.as(admin).get(`${PATH}/${id}`)).toMatchObject(missing);
    expect(await take(id)).toMatchObject(missing);
    expect(await complete(id, unknownHash())).toMatchObject(missing);
  });

  it.each([
    [undefined, 'MISSING_REQUIRED_FIELD'],
    ['', 'VALIDATION_ERROR'],
    [17, 'VALIDATION_ERROR'],
  ])('does not reject for the reason %j', async (reason, code) => {
    const { id } = await pending(platform);
    const reply = await platform.as(admin).put(`${PATH}/${id}/reject`, { reason });
    expect(reply).toMatchObject({ status: 400, code });
    expect((await detail(id)).status).toBe('pending');
  });
});

describe('the admins’ lists of withdrawals', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let ann: TestUser;
  let bob: TestUser;
  const ids: string[] = [];

  // Yesterday: ann's 100.00 is completed after two hours. Today: ann's 300.00 is completed after one hour,
  // ann's 50.00 is rejected; bob's 20.00 and ann's 40.00 wait, 40.00 since 10:00 and 20.00 since 11:00.
  beforeAll(async () => {
    ({ platform, admin } = await setStage());
    ann = await platform.given.user('ann@example.org').withBalance('1000.00');
    bob = await platform.given.user('bob@example.org').withBalance('500.00');
    const finish = (id: string) =>
      platform.as(admin).post(`${PATH}/${id}/complete`, { txHash: unknownHash() });
    const at = async (time: string, act: () => Promise<unknown>) => {
      platform.clock.moveTo(time);
      return act();
    };
    const request = (time: string, user: TestUser, amount: string) =>
      at(time, async () => ids.push(await ask(platform, user, amount)));

    await request('2026-03-01T10:00:00Z', ann, '100.00');
    await platform.as(admin).post(`${PATH}/${ids[0]}/take`);
    await at('2026-03-01T12:00:00Z', () => finish(ids[0] as string));
    await request('2026-03-02T08:00:00Z', ann, '300.00');
    await platform.as(admin).post(`${PATH}/${ids[1]}/take`);
    await at('2026-03-02T09:00:00Z', () => finish(ids[1] as string));
    await request('2026-03-02T09:30:00Z', ann, '50.00');
    await platform.as(admin).put(`${PATH}/${ids[2]}/reject`, { reason: 'No' });
    await request('2026-03-02T10:00:00Z', ann, '40.00');
    await request('2026-03-02T11:00:00Z', bob, '20.00');
    platform.clock.moveTo('2026-03-02T12:00:00Z');
  });
  afterAll(() => platform.stop());

  const list = (query = '') => platform.as(admin).get(`${PATH}${query}`);
  const amounts = (reply: Reply) => reply.data.map((row: { amount: string }) => row.amount);

  it('show everything, newest first, with a summary', async () => {
    const reply = await list();
    expect(amounts(reply)).toEqual(['20.00', '40.00', '50.00', '300.00', '100.00']);
    expect(reply.data[0]).toMatchObject({
      userId: bob.id,
      userEmail: 'bob@example.org',
      walletAddress: null,
      destinationAddress: TO,
      source: 'available',
      gasFee: '0.00',
      txHash: null,
      approvedAt: null,
      completedAt: null,
    });
    expect(reply.body.summary).toEqual({
      totalWithdrawals: 5,
      totalWithdrawnValue: '400.00', // 100.00 + 300.00
      pendingWithdrawals: 2,
      pendingValue: '60.00', // 40.00 + 20.00
      completedToday: 1,
      completedTodayValue: '300.00',
      averageWithdrawal: '102.00', // (100 + 300 + 50 + 40 + 20) / 5
      averageProcessingTime: 5400, // (7200 s + 3600 s) / 2
    });
    const pagination = { page: 1, limit: 50, total: 5, totalPages: 1, hasNext: false, hasPrevious: false };
    expect(reply.body.pagination).toEqual(pagination);
  });

  it.each([
    ['?status=completed', ['300.00', '100.00']],
    ['?status=failed', []],
    ['?status=cancelled', []],
    ['?minAmount=50.00', ['50.00', '300.00', '100.00']],
    ['?minAmount=50.000001', ['300.00', '100.00']],
    ['?createdAfter=2026-03-02', ['20.00', '40.00', '50.00', '300.00']],
    ['?createdAfter=2026-03-02T10:00:00.001Z', ['20.00']],
    ['?sortBy=amount', ['300.00', '100.00', '50.00', '40.00', '20.00']],
    ['?sortBy=amount&orderBy=asc&limit=2', ['20.00', '40.00']],
    ['?sortBy=completedAt&limit=2', ['300.00', '100.00']],
    ['?sortBy=completedAt&orderBy=asc&status=completed', ['100.00', '300.00']],
    ['?orderBy=asc&page=2&limit=2', ['50.00', '40.00']],
    ['?page=9', []],
  ])('%s', async (query, expected) => {
    expect(amounts(await list(query))).toEqual(expected);
  });

  it('filter by user under either name, and the summary follows', async () => {
    for (const name of ['userId', 'user_id']) {
      const reply = await list(`?${name}=${bob.id}`);
      expect(amounts(reply)).toEqual(['20.00']);
      expect(reply.body.summary).toEqual({
        totalWithdrawals: 1,
        totalWithdrawnValue: '0.00',
        pendingWithdrawals: 1,
        pendingValue: '20.00',
        completedToday: 0,
        completedTodayValue: '0.00',
        averageWithdrawal: '20.00',
        averageProcessingTime: null,
      });
    }
  });

  it('have a basic variant', async () => {
    const reply = await list('?view=basic&status=completed&limit=1');
    expect(reply.data).toMatchObject({ withdrawals: [{ amount: '300.00' }], total: 2 });
    expect(reply.body).not.toHaveProperty('summary');
    expect((await list('?view=basic&status=failed')).data).toEqual({ withdrawals: [], total: 0 });
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['status=lost', 'VALIDATION_ERROR'],
    ['status=pending&status=failed', 'VALIDATION_ERROR'],
    ['userId=1', 'VALIDATION_ERROR'],
    ['minAmount=1e3', 'VALIDATION_ERROR'],
    ['createdAfter=2026-02-30', 'VALIDATION_ERROR'],
    ['sortBy=status', 'VALIDATION_ERROR'],
    ['orderBy=up', 'VALIDATION_ERROR'],
    ['view=rich', 'VALIDATION_ERROR'],
  ])('refuse ?%s', async (query, code) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, code });
  });

  it('queue what waits, oldest first, with all that a decision needs', async () => {
    const reply = await list('/pending');
    expect(amounts(reply)).toEqual(['40.00', '20.00']);
    expect(reply.data[0]).toMatchObject({
      userEmail: 'ann@example.org',
      // The last 24 hours hold 300.00 + 40.00; 50.00 was rejected, 100.00 is older. 50000.00 − 340.00 = 49660.00
      limits: { dailyLimit: '50000.00', usedToday: '340.00', remainingToday: '49660.00' },
      // 1000.00 − 100.00 − 300.00 − 40.00 = 560.00
      userBalance: { available: '560.00', invested: '0.00' },
      complianceChecks: {
        kycStatus: 'not_checked',
        amlChecks: 'not_checked',
        sanctionsList: 'not_checked',
        riskLevel: 'not_checked',
      },
    });
    expect(reply.data[1]).toMatchObject({
      limits: { usedToday: '20.00' },
      userBalance: { available: '480.00' }, // 500.00 − 20.00
    });
    expect(reply.body.summary).toEqual({
      totalPending: 2,
      totalPendingValue: '60.00',
      oldestPending: '2026-03-02T10:00:00.000Z',
      averageWaitTime: 5400, // (7200 s + 3600 s) / 2
    });
    expect(amounts(await list('/pending?sortBy=amount'))).toEqual(['20.00', '40.00']);
    expect(amounts(await list('/pending?orderBy=desc&limit=1'))).toEqual(['20.00']);
    expect(await list('/pending?sortBy=completedAt')).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
    });
  });

  it.each(['', '/pending', '?view=basic'])(
    'cost the same statements for one row and for many: %s',
    async (path) => {
      const statements = async (limit: number) => {
        const query = jest.spyOn(pg.Client.prototype, 'query');
        await list(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}`);
        const count = query.mock.calls.length;
        query.mockRestore();
        return count;
      };
      const one = await statements(1);
      expect(one).toBeGreaterThan(1);
      expect(await statements(50)).toBe(one);
    },
  );
});

describe('four eyes on large withdrawals', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let admin2: TestAdmin;

  beforeAll(async () => {
    ({ platform, admin, admin2 } = await setStage({ WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00' }));
  });
  afterAll(() => platform.stop());

  const take = (id: string, by: TestAdmin) => platform.as(by).post(`${PATH}/${id}/take`);
  const put = (id: string, verb: string, by: TestAdmin) => platform.as(by).put(`${PATH}/${id}/${verb}`);
  const refusal = { status: 403, code: 'FOUR_EYES_REQUIRED' };

  it('leave the smaller ones to one admin', async () => {
    const { id } = await pending(platform, '999.999999');
    expect((await take(id, admin)).data.status).toBe('processing');
  });

  it('demand an approval, and by another than who takes it', async () => {
    const { id } = await pending(platform, '1000.00');
    const before = await platform.ledgerState();
    expect(await take(id, admin)).toMatchObject(refusal);
    await put(id, 'approve', admin);
    expect(await take(id, admin)).toMatchObject(refusal);
    expect(await put(id, 'execute', admin)).toMatchObject(refusal);
    expect(await platform.ledgerState()).toEqual(before);

    expect((await take(id, admin2)).data).toMatchObject({
      status: 'processing',
      approvedBy: 'admin@example.com',
    });
  });

  it('let another admin execute what one approved', async () => {
    const { id } = await pending(platform, '1000.00');
    await put(id, 'approve', admin);
    expect((await put(id, 'execute', admin2)).data.status).toBe('processing');
  });

  it('say so in a bulk take', async () => {
    const { id } = await pending(platform, '5000.00');
    const reply = await platform.as(admin).post(`${PATH}/bulk-take`, { ids: [id] });
    expect(reply.data).toMatchObject({ taken: [], failed: [{ id, code: 'FOUR_EYES_REQUIRED' }] });
  });
});
