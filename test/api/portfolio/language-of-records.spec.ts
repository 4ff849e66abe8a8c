import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { depositBody, processDueCallbacks, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ENGLISH_WORD =
  /\b(the|of|and|from|been|again|amount|with|fees|deposit|withdrawal|growth|principal|booked|credited|requested|balances)\b/i;

interface ShownRecord {
  id: string;
  metadata: { description: string };
  timeline: { description: string }[];
}

// A German user deposits, invests, closes, and withdraws four times: paid, failed and released, cancelled, rejected.
describe('The texts of records for a user with a German profile', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = await treasurySteps(platform);
    const { withdrawals } = steps;
    const investments = new InvestmentSteps(platform);
    const events = new DomainEventFixtures(platform.app);
    user = await platform.given.user();
    await setLanguage('de-AT');
    await platform.given.deposit(user.id, '10000.00');
    await events.deposit('deposit.failed', { userId: user.id, amount: '700.00' });
    const id = await investments.create(user, '1000.00');
    investments.advanceDays(3);
    await platform.as(user).delete(`/api/user/investments/${id}`);
    const request = async (amount: string): Promise<string> =>
      (await withdrawals.request(user, amount)).data.id;
    const paid = await request('10.00');
    const failed = await request('20.00');
    const cancelled = await request('30.00');
    const rejected = await request('40.00');
    await withdrawals.take(paid);
    await withdrawals.complete(paid);
    await withdrawals.take(failed);
    await withdrawals.fail(failed);
    const reversal = await steps.createApproved({ type: 'reversal', withdrawalId: failed, amount: '20.00' });
    await steps.confirm(reversal);
    await withdrawals.cancel(cancelled, user);
    await withdrawals.reject(rejected, 'Adresse unklar');
    await steps.confirm(
      await steps.createApproved({ type: 'deposit', userId: user.id, description: 'Willkommensbonus' }),
    );
  });
  afterAll(() => platform?.stop());

  const setLanguage = (language: string) => platform.as(user).put('/api/user/profile', { language });
  const read = async (path: string) => (await platform.as(user).get(path)).data;

  async function fileOf(format: string): Promise<string> {
    const path = `/api/user/statement?startDate=2026-03-01&endDate=2026-03-05&format=${format}`;
    const headers = { authorization: `Bearer ${user.token}` };
    return (await sendRequest(platform.baseUrl + path, { headers })).text;
  }

  const timelineOf = (records: ShownRecord[], description: string) =>
    records
      .find(({ metadata }) => metadata.description === description)
      ?.timeline.map((step) => step.description);

  it('are German in the list of transactions, in its timelines and in single transactions', async () => {
    const records: ShownRecord[] = await read('/api/user/transactions?limit=100&orderBy=asc');
    expect(records.map(({ metadata }) => metadata.description).sort()).toEqual([
      'Anlage in Balanced 10%',
      'Anlagebetrag zurück aus Balanced 10%',
      'Auszahlung von 10.00 USDC',
      'Auszahlung von 20.00 USDC',
      'Auszahlung von 30.00 USDC',
      'Auszahlung von 40.00 USDC',
      'Einzahlung von 10000.00 USDC im Netzwerk ERC20',
      'Einzahlung von 700.00 USDC im Netzwerk ERC20',
      'Ertrag aus Balanced 10%',
      'Gebühren für Balanced 10%',
      'Rückgabe der fehlgeschlagenen Auszahlung von 20.00 USDC',
      'Willkommensbonus',
    ]);
    const requested = 'Beantragt, der Betrag ist reserviert';
    expect(timelineOf(records, 'Auszahlung von 10.00 USDC')).toEqual([requested, 'In Arbeit', 'Ausgezahlt']);
    expect(timelineOf(records, 'Auszahlung von 30.00 USDC')).toEqual([
      requested,
      'Storniert, der Betrag ist wieder verfügbar',
    ]);
    expect(timelineOf(records, 'Auszahlung von 40.00 USDC')).toEqual([
      requested,
      'Abgelehnt, der Betrag ist wieder verfügbar: Adresse unklar',
    ]);
    expect(timelineOf(records, 'Anlage in Balanced 10%')).toEqual(['Gebucht']);
    expect(timelineOf(records, 'Willkommensbonus')).toEqual(['Gutgeschrieben']);
    for (const { metadata, timeline } of records)
      for (const { description } of [metadata, ...timeline]) expect(description).not.toMatch(ENGLISH_WORD);
    for (const record of records.slice(-2))
      expect(await read(`/api/user/transactions/${record.id}`)).toMatchObject(record);
  });

  it('are German in the chain view and on the dashboard', async () => {
    const { transactions } = await read('/api/user/transactions?view=chain');
    const { recentTransactions } = await read('/api/user/dashboard?recentTransactions=20');
    const shown = [
      ...transactions.map(({ description }: { description: string }) => description),
      ...recentTransactions.map(({ metadata }: ShownRecord) => metadata.description),
    ];
    expect(shown).toHaveLength(2 * 12); // the twelve records of the list in both
    for (const description of shown) expect(description).not.toMatch(ENGLISH_WORD);
    const { id } = transactions[0];
    const { description } = await read(`/api/user/transactions/${id}?view=chain`);
    expect(description).toBe(transactions[0].description);
  });

  it('are German in a statement, in which columns, types and accounts stay English', async () => {
    const { movements } = await read('/api/user/statement?startDate=2026-03-01');
    const descriptions = movements.map(({ description }: { description: string }) => description);
    expect([...new Set(descriptions)].sort()).toEqual([
      'Anlage in Balanced 10%',
      'Anlagebetrag zurück aus Balanced 10%',
      'Einzahlung von 100.00 USDC, von Hand gebucht',
      'Einzahlung von 10000.00 USDC',
      'Ertrag aus Balanced 10%',
      'Für eine Auszahlung reserviert',
      'Reservierung einer Auszahlung aufgehoben',
      'Verwaltungsgebühr für Balanced 10%',
      'Vom Verwahrer ausgezahlt',
    ]);
    const [head, opening, ...rows] = (await fileOf('csv')).split('\r\n');
    expect(head).toMatch(/^record,date,type,referenceType,.*,description,/);
    expect(opening).toBe('opening,2026-03-01,,,,,Anfangssalden,,0.00,,0.00,0.00,0.00,,');
    expect(rows.some((row) => row.startsWith('closing,2026-03-05,,,,,Endsalden,'))).toBe(true);
    expect(rows.some((row) => /^movement,[^,]*,withdrawal-paid,.*,Vom Verwahrer ausgezahlt,/.test(row))).toBe(
      true,
    );
    const journal = await fileOf('journal');
    expect(journal).toMatch(/^2026-03-01 \* Anfangssalden$/m);
    expect(journal).toMatch(/^2026-03-02 \* Einzahlung von 10000\.00 USDC$/m);
    expect(journal).toContain('    assets:stablecoin platform:available');
  });

  it('follow the language of the profile at the time of the request', async () => {
    await setLanguage('en');
    const [newest] = await read('/api/user/transactions?sortBy=amount&limit=1');
    expect(newest.metadata.description).toBe('Deposit of 10000.00 USDC over ERC20');
    expect((await read('/api/user/statement?startDate=2026-03-02')).movements[0].description).toBe(
      'Deposit of 10000.00 USDC',
    );
    await setLanguage('de');
  });

  it('are English for admins', async () => {
    const admin = platform.as(steps.admin);
    const { recentActivity } = (await admin.get(`/api/admin/users/${user.id}`)).data;
    const { transactions } = (await admin.get(`/api/admin/transactions?user_id=${user.id}`)).data;
    for (const listed of [recentActivity, transactions])
      expect(listed.map(({ description }: { description: string }) => description)).toEqual(
        expect.arrayContaining(['Withdrawal of 10.00 USDC', 'Investment in Balanced 10%']),
      );
  });

  it('are German in the reason and the next step of a deposit, and in the actions of the dashboard', async () => {
    const { address } = await read('/api/user/deposits/address?currency=USDT&network=TRC20');
    const report = { address, currency: 'USDT', network: 'trc20', status: 'Pending', confirmations: 0 };
    await new ProviderCallbacks(platform).send('deposit', depositBody(report));
    await processDueCallbacks(platform);
    const [deposit] = await read('/api/user/deposits?currency=USDT');
    expect(deposit.metadata).toMatchObject({
      reason: 'Die Transaktion wartet auf ihre erste Bestätigung.',
      nextStep: expect.stringMatching(/^Sie müssen nichts tun: Die Einzahlung wird nach \d+ Bestätigungen/),
    });
    expect(await read(`/api/user/deposits/${deposit.id}`)).toEqual(deposit);
    const { data } = await platform
      .as(steps.admin)
      .get(`/api/admin/deposits?userId=${user.id}&currency=USDT`);
    expect(data[0].metadata.reason).toBe('The transaction waits for its first confirmation.');
    const { quickActions } = await read('/api/user/dashboard');
    expect(quickActions.map(({ label }: { label: string }) => label)).toEqual([
      'Einzahlen',
      'Anlegen',
      'Auszahlen',
    ]);
  });
});
