import type { TestAdmin } from '../../fixtures/given.js';
import { insertPendingWithdrawals } from '../../fixtures/bulk-withdrawals.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

const PAYMENTS = `${ADMIN_WITHDRAWALS}/payment-file`;

describe('GET /api/admin/withdrawals/payment-file', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const file = async ({ token }: TestAdmin, query = '') => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await sendRequest(`${platform.baseUrl}${PAYMENTS}?format=csv${query}`, { headers });
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="payments.csv"');
    return reply.text;
  };

  it('lists what the caller has taken and not completed, the newest last, as JSON and as CSV', async () => {
    const operator = await platform.given.admin('operator');
    const list = async (by = operator) => (await platform.as(by).get(PAYMENTS)).data;
    expect(await list()).toEqual([]);
    const later = await steps.createPending('12.00');
    const earlier = await steps.createPending('11.00');
    const ofOther = await steps.createProcessing('13.00');
    await steps.take(earlier.id, operator);
    platform.clock.advance(1000);
    await steps.take(later.id, operator);
    const done = await steps.createPending('14.00');
    const returned = await steps.createPending('15.00');
    for (const { id } of [done, returned]) await steps.take(id, operator);
    await steps.complete(done.id, unknownHash(), {}, operator);
    await steps.return(returned.id, 'Later', operator);

    const takenAt = (await steps.detail(later.id)).takenAt as string;
    expect(await list()).toEqual([
      expect.objectContaining({ id: earlier.id, amount: '11.00' }),
      {
        id: later.id,
        amount: '12.00',
        currency: 'USDC',
        network: 'ERC20',
        toAddress: DESTINATION,
        userEmail: later.ann.email,
        takenAt,
      },
    ]);
    expect(await list(steps.admin)).toEqual([expect.objectContaining({ id: ofOther.id })]);
    const [header, first, second, end] = (await file(operator)).split('\r\n');
    expect(header).toBe('id,amount,currency,network,toAddress,userEmail,takenAt');
    expect(first).toMatch(new RegExp(`^${earlier.id},11.00,USDC,ERC20,`));
    expect(second).toBe(`${later.id},12.00,USDC,ERC20,${DESTINATION},${later.ann.email},${takenAt}`);
    expect(end).toBe('');
  });

  it('lists the withdrawals that were taken at `takenAfter` or later, as JSON and as CSV', async () => {
    const operator = await platform.given.admin('operator');
    const earlier = await steps.createPending('21.00');
    const later = await steps.createPending('22.00');
    await steps.take(earlier.id, operator);
    platform.clock.advance(1000);
    const { takenAt } = (await steps.take(later.id, operator)).data;
    const query = `takenAfter=${takenAt}`;
    const { data } = await platform.as(operator).get(`${PAYMENTS}?${query}`);
    expect(data).toEqual([expect.objectContaining({ id: later.id })]);
    const [, first, end] = (await file(operator, `&${query}`)).split('\r\n');
    expect(first).toMatch(new RegExp(`^${later.id},`));
    expect(end).toBe('');
    expect((await platform.as(operator).get(`${PAYMENTS}?takenAfter=x`)).code).toBe('VALIDATION_ERROR');
  });

  it('has at most 1,000 withdrawals as JSON, which says that there are more, and all of them as CSV', async () => {
    const operator = await platform.given.admin('admin2');
    const ann = await platform.given.user();
    const read = async () => (await platform.as(operator).get(PAYMENTS)).body;
    expect(await read()).toMatchObject({ data: [], hasMore: false });
    await insertPendingWithdrawals(platform, ann.id, { count: 1_001, from: '2026-03-01T00:00:00Z' });
    await queryWithoutTriggers(
      platform,
      `update withdrawal set status = 'processing', executed_at = created_at, taken_by = $1 where user_id = $2`,
      [operator.email, ann.id],
    );
    const { data, hasMore } = await read();
    expect([data.length, hasMore]).toEqual([1_000, true]);
    expect((await file(operator)).split('\r\n')).toHaveLength(1_003); // with the names of the columns and the empty text at the end
  });

  it('records each file in the audit log', async () => {
    const operator = await platform.given.admin('operator');
    const entries = async () =>
      (await platform.as(steps.admin).get('/api/admin/audit?action=payment-file.export')).data;
    const before = (await entries()).length;
    await file(operator);
    const data = await entries();
    expect(data).toHaveLength(before + 1);
    expect(data[0]).toMatchObject({ admin: operator.email, subjectType: 'list', subjectId: 'payment-file' });
  });
});
