import type { TestAdmin } from '../../fixtures/given.js';
import {
  ADMIN_WITHDRAWALS,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

type Item = { id: string; txHash: string };

describe('A batch that is sent again without an Idempotency-Key', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const send = async (route: 'bulk-complete' | 'bulk-reject', body: object, by = steps.admin) =>
    (await platform.as(by).post(`${ADMIN_WITHDRAWALS}/${route}`, body)).data;
  const complete = (items: object[], by = steps.admin) => send('bulk-complete', { items }, by);

  it('counts as completed what the same admin has completed with the same hash', async () => {
    const taken = [await steps.createProcessing('31.00'), await steps.createProcessing('32.00')];
    const [first, second] = taken.map(({ id }) => ({ id, txHash: unknownHash() })) as [Item, Item];
    expect(await complete([first])).toEqual({ completed: [first.id], failed: [] });
    const spelled = { id: first.id.toUpperCase(), txHash: first.txHash.slice(2).toUpperCase() };
    expect(await complete([spelled, second])).toEqual({ completed: [first.id, second.id], failed: [] });
    for (const { id } of taken)
      expect((await steps.detail(id)).lifecycle.map(({ action }: { action: string }) => action)).toEqual([
        'request',
        'take',
        'complete',
      ]);
    const refused = { completed: [], failed: [{ id: first.id, code: 'INVALID_STATE' }] };
    expect(await complete([first], admin2)).toMatchObject(refused);
    expect(await complete([{ id: first.id, txHash: unknownHash() }])).toMatchObject(refused);
  });

  it('counts as rejected what the same admin has rejected for the same reason', async () => {
    const { id, ann } = await steps.createPending('33.00');
    const body = { ids: [id], reason: 'Suspicious' };
    for (let sent = 0; sent < 2; sent++)
      expect(await send('bulk-reject', body)).toEqual({ rejected: [id], failed: [] });
    expect(await steps.funds(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' });
    const refused = { rejected: [], failed: [{ id, code: 'INVALID_STATE' }] };
    expect(await send('bulk-reject', body, admin2)).toMatchObject(refused);
    expect(await send('bulk-reject', { ...body, reason: 'Other' })).toMatchObject(refused);
  });
});
