import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/notifications';
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ENGLISH_WORD = /\b(the|your?|has|have|had|is|are|of|and|from|been|again|amount|with|earnings|fees)\b/i;

interface ShownNotification {
  title: string;
  message: string;
}

describe('The notifications of a user with a German profile', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;
  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const setLanguage = (user: TestUser, language: string) =>
    platform.as(user).put('/api/user/profile', { language });
  const list = async (user: TestUser): Promise<ShownNotification[]> =>
    (await platform.as(user).get(`${PATH}?limit=100&orderBy=asc`)).data;

  async function germanUser(): Promise<TestUser> {
    const user = await platform.given.user();
    await setLanguage(user, 'de-AT');
    return user;
  }

  it('contain no English text, whichever route or provider causes them', async () => {
    const user = await germanUser();
    const events = new DomainEventFixtures(platform.app);
    const investments = new InvestmentSteps(platform);
    await platform.given.deposit(user.id, '10000.00');
    await events.deposit(
      'deposit.failed',
      { userId: user.id, amount: '700.00' },
      { reason: 'the AML check failed' },
    );
    const id = await investments.create(user, '1000.00');
    const { data } = await steps.withdrawals.request(user, '50.00');
    await steps.withdrawals.take(data.id);
    await steps.withdrawals.fail(data.id); // the provider's reason is in English
    const booking = await steps.createApproved({ type: 'deposit', userId: user.id, description: 'Bonus' });
    await steps.confirm(booking);
    await events.security('security.wallet-linked', user.id, { wallet: WALLET });
    await platform.as(user).put('/api/user/profile', { notifications: { email: false } });
    investments.advanceDays(3);
    await platform.as(user).delete(`/api/user/investments/${id}`);
    await platform.caughtUp();

    const shown = await list(user);
    expect(shown.map(({ title }) => title).sort()).toEqual(
      [
        'Einzahlung gutgeschrieben',
        'Einzahlung fehlgeschlagen',
        'Anlage begonnen',
        'Auszahlung beantragt',
        'Auszahlung in Arbeit',
        'Auszahlung fehlgeschlagen',
        'Einzahlung gebucht',
        'Wallet verknüpft',
        'E-Mails abgeschaltet',
        'Anlage aufgelöst',
        'Ertrag von 2 Tagen',
      ].sort(),
    );
    for (const { title, message } of shown) expect(`${title} ${message}`).not.toMatch(ENGLISH_WORD);
  });

  it('keep the language in which they were written when the profile changes', async () => {
    const user = await germanUser();
    await platform.given.deposit(user.id, '600.00');
    await platform.caughtUp();
    await setLanguage(user, 'en');
    await platform.as(user).post('/api/user/investments', { strategyId: 'balanced-10', amount: '100.00' });
    await platform.caughtUp();
    expect((await list(user)).map(({ title }) => title).sort()).toEqual([
      'Einzahlung gutgeschrieben',
      'Investment created',
    ]);
  });

  it('that stand for several events count them in German', async () => {
    const user = await germanUser();
    await platform.given.deposit(user.id, '600.00');
    await platform.given.deposit(user.id, '700.00');
    await platform.given.deposit(user.id, '800.00');
    await platform.caughtUp();
    expect((await list(user)).map(({ title }) => title).sort()).toEqual([
      'Einzahlung gutgeschrieben',
      'Einzahlung gutgeschrieben: 2 weitere',
    ]);
  });

  it('make `language` an applied preference of the profile, also if the platform sends no e-mail', async () => {
    const user = await germanUser();
    const { preferences } = (await platform.as(user).get('/api/user/profile')).data;
    expect(preferences).toMatchObject({ language: 'de-AT', applied: ['notifications.push', 'language'] });
  });
});
