import { AppConfig } from '../../../src/config/app-config.js';
import { Snapshots } from '../../../src/database/snapshots.js';
import { InvestmentTotalsRepository } from '../../../src/modules/investing/investments/investment-totals.repository.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const BOOKS = '/api/admin/books';

describe('The books of the platform', () => {
  let platform: TestPlatform;
  let accountant: TestAdmin;
  let admin: TestAdmin;

  // 1500.00 deposited on 2 March and 1000.00 invested at 11:00, 120.00 withdrawn on the 5th and paid on the 6th, the investment closed on
  // the 10th. Today is the 12th.
  beforeAll(async () => {
    platform = await startPlatform({ settings: { PERFORMANCE_FEE_PERCENT: '10' } });
    const events = new DomainEventFixtures(platform.app);
    const investments = platform.app.get(InvestmentsService);
    const ann = await platform.given.user().withBalance('1500.00');
    platform.clock.moveTo('2026-03-02T11:00:00.000Z');
    const { id } = await investments.create(ann.id, { strategyId: 'balanced-10', amount: '1000.00' });
    platform.clock.moveTo('2026-03-05T12:00:00.000Z');
    const withdrawal = await events.withdraw(ann.id, '120.00');
    platform.clock.moveTo('2026-03-06T13:00:00.000Z');
    await events.withdrawal('withdrawal.completed', withdrawal);
    platform.clock.moveTo('2026-03-10T09:00:00.000Z');
    await investments.close(ann.id, id);
    platform.clock.moveTo('2026-03-12T10:00:00.000Z');
    admin = await platform.given.admin();
    accountant = await platform.given.admin('readonly'); // has reports:read
  });
  afterAll(() => platform?.stop());

  const read = (path: string, by = accountant) => platform.as(by).get(`${BOOKS}/${path}`);
  const file = async (path: string) => {
    const headers = { authorization: `Bearer ${accountant.token}` };
    return sendRequest(`${platform.baseUrl}${BOOKS}/${path}`, { headers });
  };
  /** Debit and credit by account, without the accounts in units. */
  const inUsdc = (accounts: { id: string; asset: string; debit: string; credit: string }[]) =>
    Object.fromEntries(
      accounts.filter(({ asset }) => asset === 'USDC').map(({ id, debit, credit }) => [id, [debit, credit]]),
    );

  it('have an account for the money of all users together and one for each account of the platform', async () => {
    const { data } = await read('accounts');
    expect(data).toContainEqual({
      id: 'user.available:USDC',
      kind: 'user.available',
      scope: null,
      asset: 'USDC',
      class: 'liability',
      owner: 'users',
    });
    expect(data).toContainEqual({
      id: 'expense.yield:balanced-10:USDC',
      kind: 'expense.yield',
      scope: 'balanced-10',
      asset: 'USDC',
      class: 'expense',
      owner: 'platform',
    });
  });

  it('show the balances of every account at the end of a past day, with debits that equal credits', async () => {
    const { data } = await read('trial-balance?date=2026-03-05');
    expect(data.date).toBe('2026-03-05');
    expect(inUsdc(data.accounts)).toEqual({
      'asset.deposit-provider:ERC20:USDC': ['1500.00', '0.00'],
      'user.available:USDC': ['0.00', '380.00'],
      'user.invested:USDC': ['0.00', '1000.00'],
      'user.reserved:USDC': ['0.00', '120.00'],
      // 1000.00 × (1.10^(2/365) − 1): the growth of 3 and 4 March.
      'strategy.accrued:balanced-10:USDC': ['0.00', '0.522384'],
      'expense.yield:balanced-10:USDC': ['0.522384', '0.00'],
    });
    expect(data.totals).toContainEqual({ asset: 'USDC', debit: '1500.522384', credit: '1500.522384' });
  });

  it('show the payment of a withdrawal on its day', async () => {
    const { data } = await read('trial-balance?date=2026-03-06');
    expect(inUsdc(data.accounts)).toMatchObject({
      'user.reserved:USDC': ['0.00', '0.00'],
      'asset.custody:USDC': ['0.00', '120.00'],
    });
  });

  it('show the balances of now, with the date of today, when no date is given', async () => {
    const { data } = await read('trial-balance');
    expect(data.date).toBe('2026-03-12');
    expect(inUsdc(data.accounts)).toMatchObject({ 'user.invested:USDC': ['0.00', '0.00'] });
  });

  it('explain the result of a month: yield is an expense when it accrues, and moves from accrued to realised when it is paid', async () => {
    const before = (await read('profit-and-loss?startDate=2026-03-01&endDate=2026-03-09')).data;
    expect(before.expense).toEqual({
      yieldRealised: '0.00',
      yieldAccrued: expect.stringMatching(/^1\.[0-9]+$/),
    });
    // Closing on the 9th would charge 1000.00 × 0.50 % × 7 / 365 and 10 % of the growth of six days, 1000.00 × (1.10^(6/365) − 1).
    expect(before.feesAccruedNotCharged).toBe('0.252687'); // 0.095890 + 0.156797
    expect(before.income).toEqual({ managementFees: '0.00', performanceFees: '0.00', strategyYield: '0.00' });
    const { data } = await read('profit-and-loss?startDate=2026-03-01');
    expect(data.period).toEqual({ startDate: '2026-03-01', endDate: '2026-03-12' });
    expect([data.expense.yieldAccrued, data.feesAccruedNotCharged]).toEqual(['0.00', '0.00']); // nothing is owed after the closing
    expect(Number(data.expense.yieldRealised)).toBeGreaterThan(Number(before.expense.yieldAccrued));
    expect(data.income.performanceFees).toMatch(/^0\.1\d+$/);
    expect(data.conversion).toEqual([]);
  });

  it('list the entries of an account with the balance after each; debits are positive', async () => {
    const { data, body } = await read(
      'accounts/user.available:USDC/entries?startDate=2026-03-05&endDate=2026-03-06',
    );
    expect([data.opening, data.closing]).toEqual(['-500.00', '-380.00']);
    expect(data.entries).toEqual([
      {
        at: '2026-03-05T12:00:00.000Z',
        posting: expect.objectContaining({ type: 'withdrawal-requested', referenceType: 'withdrawal' }),
        description: expect.any(String),
        amount: '120.00',
        balance: '-380.00',
      },
    ]);
    expect(body.pagination).toMatchObject({ total: 1, next: null, previous: null });
  });

  it.each([
    ['trial-balance?date=2026-03-05&', 'user.reserved:USDC,user.reserved,,USDC,0.00,120.00'],
    ['profit-and-loss?startDate=2026-03-01&endDate=2026-03-05&', 'expense,yieldAccrued,USDC,0.522384'],
    [
      'accounts/user.reserved:USDC/entries?',
      /^2026-03-06T13:00:00.000Z,.*,withdrawal-completed,.*,120.00,0.00\r$/m,
    ],
  ])('are files of comma-separated values: %s', async (path, line) => {
    const { status, headers, text } = await file(`${path}format=csv`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(text).toMatch(
      typeof line === 'string' ? new RegExp(`^${line.replaceAll('.', '\\.')}\\r$`, 'm') : line,
    );
  });

  it('record who exported the entries of an account', async () => {
    await file('accounts/user.reserved:USDC/entries?format=csv');
    const { data } = await platform.as(admin).get('/api/admin/audit?action=book-entries.export');
    expect(data[0]).toMatchObject({
      admin: 'readonly@example.com',
      after: expect.objectContaining({ account: 'user.reserved:USDC' }),
    });
  });

  it.each([
    ['accounts/user.available:EUR/entries', 404, 'ACCOUNT_NOT_FOUND'],
    [
      'accounts/user.available:USDC/entries?startDate=2026-03-09&endDate=2026-03-01',
      400,
      'INVALID_DATE_RANGE',
    ],
    ['accounts/user.available:USDC/entries?cursor=abc', 400, 'INVALID_PAGINATION'],
    ['accounts/user.available:USDC/entries?format=xml', 400, 'VALIDATION_ERROR'],
    ['trial-balance?date=2030-01-01', 400, 'INVALID_DATE_RANGE'],
    ['trial-balance?format=xml', 400, 'VALIDATION_ERROR'],
    ['profit-and-loss?startDate=2030-01-01', 400, 'INVALID_DATE_RANGE'],
    ['profit-and-loss?format=xml', 400, 'VALIDATION_ERROR'],
  ])('refuse %s with %i %s', async (path, status, code) => {
    const reply = await read(path);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('are closed to admins without reports:read', async () => {
    const operator = await platform.given.admin('operator');
    for (const path of [
      'accounts',
      'trial-balance',
      'profit-and-loss',
      'accounts/user.available:USDC/entries',
    ])
      expect([path, (await read(path, operator)).code]).toEqual([path, 'PERMISSION_DENIED']);
  });

  it('compute the fees of a day whose NAV is missing with the newest NAV before it', async () => {
    const ben = await platform.given.user().withBalance('1000.00');
    const wanted = { strategyId: 'balanced-10', amount: '1000.00' };
    await platform.app.get(InvestmentsService).create(ben.id, wanted);
    const fees = await platform.app
      .get(Snapshots)
      .read((snapshot) =>
        platform.app
          .get(InvestmentTotalsRepository)
          .getAccruedFees(snapshot, { day: '2026-03-22', until: null }, platform.app.get(AppConfig)),
      );
    expect(fees.toWire()).toBe('0.136986'); // 1000.00 × 0.50 % × 10 / 365; at the NAV of the 12th, ben's units have no growth
  });
});
