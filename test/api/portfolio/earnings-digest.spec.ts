import { Money } from '../../../src/common/money.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS, InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface Digest {
  message: string;
  metadata: Record<string, unknown>;
}

describe('Notifications about earnings', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  beforeEach(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = new InvestmentSteps(platform);
  });
  afterEach(() => platform?.stop());

  const digests = async (user: TestUser): Promise<Digest[]> =>
    (await platform.as(user).get('/api/user/notifications?type=earning&orderBy=asc')).data;

  async function userWithInvestment(): Promise<TestUser> {
    const ann = await platform.given.user().withBalance('10000.00');
    await steps.create(ann, '1000.00');
    return ann;
  }

  it('sum up all days since the last notification', async () => {
    const ann = await userWithInvestment();
    steps.advanceDays(9);
    const [first, ...more] = await digests(ann);
    expect(more).toEqual([]);
    // 1000 × 1.1^(8/365) − 1000 = 2.0911742…
    expect(first).toMatchObject({
      message: 'Your investments earned 2.091174 USDC from 2026-03-03 to 2026-03-10.',
      metadata: { from: '2026-03-03', to: '2026-03-10', days: 8, growth: '2.091174' },
    });
    steps.advanceDays(3);
    const [, second] = await digests(ann);
    // 1000 × (1.1^(11/365) − 1.1^(8/365)) = 0.7853170…
    expect(second?.metadata).toMatchObject({
      from: '2026-03-11',
      to: '2026-03-13',
      days: 3,
      growth: '0.785317',
    });
    const { totalEarnings } = (await platform.as(ann).get(INVESTMENTS)).body.summary;
    const growth = [first, second].map((note) => Money.of(note?.metadata.growth as string));
    expect(Money.sum(growth).toWire()).toBe(totalEarnings);
  });

  it('include investments that ended after the reported days, but none that were made after them', async () => {
    const ann = await userWithInvestment();
    const [closed, cancelled] = [await steps.create(ann, '700.00'), await steps.create(ann, '800.00')];
    steps.advanceDays(2);
    await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    await steps.create(ann, '900.00');
    // Each amount × (1.1^(1/365) − 1): 0.261158 of 1000.00 + 0.182811 of 700.00 + 0.208926 of 800.00 = 0.652895
    expect((await digests(ann)).map(({ message }) => message)).toEqual([
      'Your investments earned 0.652895 USDC on 2026-03-03.',
    ]);
    steps.advanceDays(4);
    const [, second] = await digests(ann);
    expect(second?.metadata).toMatchObject({ from: '2026-03-04', to: '2026-03-07', days: 4 });
  });
});
