import { randomUUID } from 'node:crypto';
import type { TestAdmin } from '../../fixtures/given.js';
import { givenAdminWithTotp } from '../../fixtures/step-ups.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  UNKNOWN_ID,
  unknownHash,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface Item {
  id: string;
  txHash: string;
}
interface Refused {
  id: string;
  code: string;
  message: string;
  approvalId?: string;
}

let platform: TestPlatform;
let treasury: TreasurySteps;
let steps: WithdrawalSteps;
let admin2: TestAdmin;
let amountCount = 0;

beforeAll(async () => {
  platform = await startPlatform();
  treasury = await treasurySteps(platform);
  steps = treasury.withdrawals;
  admin2 = treasury.admin2;
});
afterAll(() => platform?.stop());

/** An amount that no other withdrawal of the file has: payments are found by their amounts. */
const newAmount = () => `2${String(++amountCount).padStart(2, '0')}.50`;
const bulkComplete = (
  items: unknown,
  by: { token: string } = steps.admin,
  stepUpToken?: string,
): Promise<Reply> =>
  platform
    .as(by)
    .call(
      'POST',
      `${ADMIN_WITHDRAWALS}/bulk-complete`,
      { items },
      { headers: stepUpToken ? { 'x-step-up': stepUpToken } : {} },
    );
const bulkReject = (body: object, by = steps.admin) =>
  platform.as(by).post(`${ADMIN_WITHDRAWALS}/bulk-reject`, body);
/** A withdrawal that `by` has taken, with the hash of its payment, which the chain does not know. */
const paidItem = async (by = steps.admin): Promise<Item> => {
  const { id } = await steps.createPending(newAmount());
  await steps.take(id, by);
  return { id, txHash: unknownHash() };
};
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** For each withdrawal, the number of postings of its completion plus that of audit entries about it: 2 if it was completed once. */
const completionsOf = async (ids: readonly string[]): Promise<number[]> => {
  const rows = await platform.dataSource.query(
    `select (select count(*)::int from ledger_transaction as posted
              where reference_type = 'withdrawal' and reference_id = wanted.id and posted.type = 'withdrawal-completed')
          + (select count(*)::int from audit_entry where subject_id = wanted.id and action = 'withdrawal.complete') as completions
       from unnest($1::text[]) as wanted (id)`,
    [ids],
  );
  return rows.map(({ completions }: { completions: number }) => completions);
};
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('POST /api/admin/withdrawals/bulk-complete', () => {
  it('completes each of a hundred withdrawals in a transaction of its own: three faulty ones do not prevent the others', async () => {
    const users = [];
    for (let index = 0; index < 10; index++) users.push(await platform.given.user().withBalance('100000.00'));
    const items: Item[] = [];
    for (let index = 0; index < 99; index++) {
      const user = users[index % users.length] as (typeof users)[number];
      const { data } = await steps.request(user, '10.00');
      items.push({ id: data.id, txHash: unknownHash() });
    }
    for (let start = 0; start < items.length; start += 50)
      await platform
        .as(steps.admin)
        .post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: idsOf(items.slice(start, start + 50)) });
    const used = await paidItem();
    await steps.complete(used.id, used.txHash);
    const rejected = items[7] as Item;
    const duplicate = items[55] as Item;
    await steps.reject(rejected.id);
    duplicate.txHash = used.txHash;
    items.splice(30, 0, { id: UNKNOWN_ID, txHash: unknownHash() });

    const reply = await bulkComplete(items);
    expect(reply.status).toBe(200);
    const codes = reply.data.failed.map(({ id, code }: Refused) => [id, code]);
    expect(codes).toEqual([
      [rejected.id, 'INVALID_STATE'],
      [UNKNOWN_ID, 'WITHDRAWAL_NOT_FOUND'],
      [duplicate.id, 'DUPLICATE_TX_HASH'],
    ]);
    const failed = new Set(codes.map(([id]: string[]) => id));
    const completed = idsOf(items).filter((id) => !failed.has(id));
    expect(reply.data.completed).toEqual(completed);
    expect(completed).toHaveLength(97);
    expect(await completionsOf(completed)).toEqual(times(97, 2));
    expect((await steps.detail(duplicate.id)).status).toBe('processing');
    const [{ paid }] = await platform.dataSource.query(
      `select sum(amount)::text as paid from withdrawal where status = 'completed' and id = any($1)`,
      [completed],
    );
    expect(Number(paid)).toBe(970); // 97 × 10.00
  });

  it('completes no withdrawal twice if two operators send the same batch at once', async () => {
    const items: Item[] = [];
    for (let index = 0; index < 10; index++) items.push(await paidItem());
    const replies = await Promise.all([bulkComplete(items), bulkComplete([...items].reverse(), admin2)]);
    const completed = replies.flatMap(({ data }) => data.completed as string[]);
    expect(completed.toSorted()).toEqual(idsOf(items).toSorted());
    const failed = replies.flatMap(({ data }) => data.failed as Refused[]);
    expect(idsOf(failed).toSorted()).toEqual(idsOf(items).toSorted());
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['INVALID_STATE']));
    expect(await completionsOf(idsOf(items))).toEqual(times(10, 2));
  });

  it('lists a payment that the chain contradicts as failed, with the approval for which it waits', async () => {
    const right = await paidItem();
    const wrong = await paidItem();
    wrong.txHash = await platform.outside.chain.payUsdc(DESTINATION, '1.99');
    const { data } = await bulkComplete([wrong, right]);
    expect(data.completed).toEqual([right.id]);
    const [{ approvalId }] = data.failed;
    expect(data.failed).toEqual([
      {
        id: wrong.id,
        code: 'FOUR_EYES_REQUIRED',
        message: expect.any(String),
        approvalId: expect.any(String),
      },
    ]);
    expect((await steps.detail(wrong.id)).status).toBe('processing');
    const decided = await platform.as(admin2).post(`/api/admin/approvals/${approvalId}/approve`, {});
    expect(decided.data).toMatchObject({ kind: 'withdrawal.complete-mismatch', status: 'approved' });
    expect(await steps.detail(wrong.id)).toMatchObject({ status: 'completed', chainCheck: 'mismatch' });
  });

  it('gives a hash that two items name to the first of them only', async () => {
    const first = await paidItem();
    const second = await paidItem();
    second.txHash = first.txHash.slice(2).toUpperCase();
    const { data } = await bulkComplete([first, second]);
    expect(data.completed).toEqual([first.id]);
    expect(data.failed).toMatchObject([{ id: second.id, code: 'DUPLICATE_TX_HASH' }]);
  });

  it('answers a repeated request with an Idempotency-Key as the first time', async () => {
    const items = [await paidItem(), { id: UNKNOWN_ID, txHash: unknownHash() }];
    const headers = { 'idempotency-key': randomUUID() };
    const send = () =>
      platform.as(steps.admin).call('POST', `${ADMIN_WITHDRAWALS}/bulk-complete`, { items }, { headers });
    const first = await send();
    expect(first.data.completed).toEqual([items[0]?.id]);
    const second = await send();
    expect(second.data).toEqual(first.data);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('needs one step-up for exactly the items of the request, which counts once [SEC-702]', async () => {
    const operator = await givenAdminWithTotp(platform);
    const by = operator.user;
    const items = [await paidItem(by), await paidItem(by)];
    const action = 'withdrawal.bulk-complete';
    expect(await bulkComplete(items, by)).toMatchObject({
      status: 403,
      code: 'STEP_UP_REQUIRED',
      body: { error: { details: { action } } },
    });
    const [first, second] = items as [Item, Item];
    const others = [
      [first],
      [...items, { id: UNKNOWN_ID, txHash: unknownHash() }],
      [first, { ...second, txHash: unknownHash() }],
      [
        { ...first, txHash: second.txHash },
        { ...second, txHash: first.txHash },
      ],
    ];
    const token = await operator.stepUp(action, { items });
    for (const other of others)
      expect(await bulkComplete(other, by, token)).toMatchObject({
        code: 'STEP_UP_INVALID',
        body: { error: { details: { reason: 'other_details' } } },
      });
    const single = await platform
      .as(by)
      .call(
        'POST',
        `${ADMIN_WITHDRAWALS}/${first.id}/complete`,
        { txHash: first.txHash },
        { headers: { 'x-step-up': token } },
      );
    expect(single.body.error.details).toEqual({ reason: 'other_action' });
    expect(await completionsOf(idsOf(items))).toEqual([0, 0]);
    const spelled = [second, { id: first.id.toUpperCase(), txHash: first.txHash.slice(2).toUpperCase() }];
    expect((await bulkComplete(spelled, by, token)).data.completed.toSorted()).toEqual(
      idsOf(items).toSorted(),
    );
    expect((await bulkComplete(items, by, token)).body.error.details).toEqual({ reason: 'used' });
  });

  it.each([
    ['no item', [], 'VALIDATION_ERROR'],
    ['a hundred and one items', times(101, { id: UNKNOWN_ID, txHash: unknownHash() }), 'VALIDATION_ERROR'],
    [
      'a withdrawal twice',
      [
        { id: UNKNOWN_ID, txHash: unknownHash() },
        { id: UNKNOWN_ID.toUpperCase(), txHash: unknownHash() },
      ],
      'VALIDATION_ERROR',
    ],
    [
      'an item with another field',
      [{ id: UNKNOWN_ID, txHash: unknownHash(), note: 'x' }],
      'VALIDATION_ERROR',
    ],
    ['an item that is null', [null], 'VALIDATION_ERROR'],
    ['items that are no list', { id: UNKNOWN_ID }, 'VALIDATION_ERROR'],
    ['a malformed id', [{ id: 'x', txHash: unknownHash() }], 'VALIDATION_ERROR'],
    ['a malformed hash', [{ id: UNKNOWN_ID, txHash: '0x12' }], 'VALIDATION_ERROR'],
    ['an item without a hash', [{ id: UNKNOWN_ID }], 'MISSING_REQUIRED_FIELD'],
    ['no items', undefined, 'MISSING_REQUIRED_FIELD'],
  ])('refuses %s: 400', async (_what, items, code) => {
    const reply = await bulkComplete(items);
    expect([reply.status, reply.code]).toEqual([400, code]);
  });
});

describe('POST /api/admin/withdrawals/bulk-reject', () => {
  it('rejects each withdrawal by itself and returns its amount; an unknown and a completed one are listed as failed', async () => {
    const done = await paidItem();
    await steps.complete(done.id);
    const first = await steps.createPending(newAmount());
    const second = await steps.createPending(newAmount());
    const { data } = await bulkReject({
      ids: [first.id, UNKNOWN_ID, done.id, second.id.toUpperCase(), first.id],
      reason: 'Suspicious',
    });
    expect(data.rejected).toEqual([first.id, second.id]);
    expect(data.failed).toMatchObject([
      { id: UNKNOWN_ID, code: 'WITHDRAWAL_NOT_FOUND' },
      { id: done.id, code: 'INVALID_STATE' },
    ]);
    for (const { id, ann } of [first, second]) {
      expect(await steps.funds(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' });
      expect(await steps.detail(id)).toMatchObject({ status: 'rejected', note: 'Suspicious' });
    }
  });

  it('lists a withdrawal whose payment the chain shows as failed, with the approval for which it waits', async () => {
    const amount = newAmount();
    const { id } = await steps.createProcessing(amount);
    await platform.outside.chain.payUsdc(DESTINATION, amount);
    const { data } = await bulkReject({ ids: [id], reason: 'Wrong address' });
    expect(data).toEqual({
      rejected: [],
      failed: [
        { id, code: 'FOUR_EYES_REQUIRED', message: expect.any(String), approvalId: expect.any(String) },
      ],
    });
    expect((await steps.detail(id)).status).toBe('processing');
  });

  it.each([
    [{ ids: [], reason: 'No' }, 'VALIDATION_ERROR'],
    [{ ids: ['x'], reason: 'No' }, 'VALIDATION_ERROR'],
    [{ ids: [UNKNOWN_ID], reason: '' }, 'VALIDATION_ERROR'],
    [{ ids: [UNKNOWN_ID] }, 'MISSING_REQUIRED_FIELD'],
    [{ reason: 'No' }, 'MISSING_REQUIRED_FIELD'],
  ])('refuses the body %j with %s', async (body, code) => {
    expect((await bulkReject(body)).code).toBe(code);
  });
});
