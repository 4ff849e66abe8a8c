import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { investmentClosed } from '../../../src/modules/core/ledger/domain/postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { addDays, dayOf } from '../../../src/common/days.js';
import { DAY_MS } from '../../../src/common/durations.js';
import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { DESTINATION, unknownHash, withdrawalSteps } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/statement';

describe('GET /api/user/statement', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let ids: { investment: string; withdrawal: string };

  // 1500.00 deposited and 1000.00 invested on 2 March, a withdrawal of 120.00 requested on the 5th and cancelled on
  // the 6th, the investment closed on the 10th. Today is the 12th.
  beforeAll(async () => {
    platform = await startPlatform();
    const events = new DomainEventFixtures(platform.app);
    const investments = platform.app.get(InvestmentsService);
    ann = await platform.given.user().withBalance('1500.00');
    platform.clock.moveTo('2026-03-02T11:00:00.000Z');
    const { id } = await investments.create(ann.id, { strategyId: 'balanced-10', amount: '1000.00' });
    platform.clock.moveTo('2026-03-05T12:00:00.000Z');
    const withdrawal = await events.withdraw(ann.id, '120.00');
    platform.clock.moveTo('2026-03-06T13:00:00.000Z');
    await events.withdrawal('withdrawal.cancelled', withdrawal);
    platform.clock.moveTo('2026-03-10T09:00:00.000Z');
    await investments.close(ann.id, id);
    platform.clock.moveTo('2026-03-12T10:00:00.000Z');
    ids = { investment: id, withdrawal: withdrawal.id };
  });
  afterAll(() => platform?.stop());

  const statement = (query = '', user = ann) => platform.as(user).get(`${PATH}?${query}`);
  const file = (query: string, user = ann) =>
    sendRequest(`${platform.baseUrl}${PATH}?${query}`, {
      headers: { authorization: `Bearer ${user.token}` },
    });

  it('lists every movement with the balance after it', async () => {
    const { status, data, body } = await statement('from=2026-03-03');
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, timestamp: '2026-03-12T10:00:00.000Z' });
    const unpaid = { txHash: null, toAddress: null };
    const unreserved = { reservedAmount: '0.00', reservedBalance: '0.00', ...unpaid };
    const investment = { referenceType: 'investment', referenceId: ids.investment };
    const withdrawal = { referenceType: 'withdrawal', referenceId: ids.withdrawal };
    const closing = { date: '2026-03-10T09:00:00.000Z', ...investment };
    expect(data).toEqual({
      currency: 'USDC',
      from: '2026-03-03',
      to: '2026-03-12',
      opening: {
        total: '1500.00',
        available: '500.00',
        invested: '1000.00',
        reserved: '0.00',
        accruedEarnings: '0.00',
      },
      closing: {
        total: '1501.719949',
        available: '1501.719949', // 500.00 − 120.00 + 120.00 + 1000.00 + 1.829538 − 0.109589
        invested: '0.00',
        reserved: '0.00',
        accruedEarnings: '0.00',
      },
      movements: [
        {
          date: '2026-03-05T12:00:00.000Z',
          type: 'withdrawal-requested',
          ...withdrawal,
          description: 'Reserved for a withdrawal',
          amount: '-120.00',
          balance: '380.00',
          reservedAmount: '120.00',
          reservedBalance: '120.00',
          ...unpaid,
        },
        {
          date: '2026-03-06T13:00:00.000Z',
          type: 'withdrawal-returned',
          ...withdrawal,
          description: 'Released from a withdrawal',
          amount: '120.00',
          balance: '500.00',
          reservedAmount: '-120.00',
          reservedBalance: '0.00',
          ...unpaid,
        },
        {
          ...closing,
          type: 'divestment',
          description: 'Principal returned from Balanced 10%',
          amount: '1000.00',
          balance: '1500.00',
          ...unreserved,
        },
        {
          ...closing,
          type: 'earning',
          description: 'Growth of Balanced 10%',
          amount: '1.829538', // 1000 × (1.1^(7/365) − 1); growth begins on the second day after the investment
          balance: '1501.829538',
          ...unreserved,
        },
        {
          ...closing,
          type: 'fee',
          description: 'Management fee of Balanced 10%',
          amount: '-0.109589', // 1000.00 × 0.50 % × 8 / 365, rounded down; the fee counts every day since 2 March
          balance: '1501.719949',
          ...unreserved,
        },
      ],
      growth: [
        { date: '2026-03-03', strategyId: 'balanced-10', growth: '0.261158' },
        { date: '2026-03-04', strategyId: 'balanced-10', growth: '0.261226' },
        { date: '2026-03-05', strategyId: 'balanced-10', growth: '0.261294' },
        { date: '2026-03-06', strategyId: 'balanced-10', growth: '0.261363' },
        { date: '2026-03-07', strategyId: 'balanced-10', growth: '0.261431' },
        { date: '2026-03-08', strategyId: 'balanced-10', growth: '0.261499' },
        { date: '2026-03-09', strategyId: 'balanced-10', growth: '0.261567' }, // sum 1.829538
      ],
    });
  });

  it('describes the two fees of a closing with different texts, also if their amounts are equal', async () => {
    const bob = await platform.given.user().withBalance('10000.00');
    const investments = platform.app.get(InvestmentsService);
    const { id } = await investments.create(bob.id, { strategyId: 'balanced-10', amount: '1000.00' });
    const ledger = platform.app.get(LedgerService);
    const common = { investmentId: id, userId: bob.id, strategyId: 'balanced-10', at: platform.clock.now() };
    const sums = { principal: Money.of('300'), growth: Money.of('5'), units: Money.ZERO };
    const fees = { managementFee: Money.of('2'), performanceFee: Money.of('2') };
    const postings = investmentClosed({ ...common, ...sums, ...fees, closing: 1 });
    await platform.app.get(UnitOfWork).runInTransaction((tx) => ledger.post(tx, ...postings));
    const { data } = await statement('', bob);
    expect(data.movements.map((movement: { description: string }) => movement.description)).toEqual([
      'Deposit of 10000.00 USDC',
      'Investment in Balanced 10%',
      'Principal returned from Balanced 10% (part 1)',
      'Growth of Balanced 10% (part 1)',
      'Management fee of Balanced 10% (part 1)',
      'Performance fee of Balanced 10% (part 1)',
    ]);
  });

  it('is returned as a JSON file by default', async () => {
    const { headers } = await statement('from=2026-03-01&to=2026-03-04');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="statement-2026-03-01-2026-03-04.json"',
    );
  });

  it('contains the same data as CSV', async () => {
    const response = await file('from=2026-03-03&to=2026-03-05&format=csv');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="statement-2026-03-03-2026-03-05.csv"',
    );
    expect(response.text).toBe(
      [
        'record,date,type,referenceType,referenceId,strategyId,description,amount,balance,reservedAmount,reservedBalance,invested,accruedEarnings,txHash,toAddress',
        'opening,2026-03-03,,,,,Opening balances,,500.00,,0.00,1000.00,0.00,,',
        `movement,2026-03-05T12:00:00.000Z,withdrawal-requested,withdrawal,${ids.withdrawal},,Reserved for a withdrawal,-120.00,380.00,120.00,120.00,,,,`,
        'closing,2026-03-05,,,,,Closing balances,,380.00,,120.00,1000.00,0.522384,,', // 0.261158 + 0.261226
        'growth,2026-03-03,,,,balanced-10,,0.261158,,,,,,,',
        'growth,2026-03-04,,,,balanced-10,,0.261226,,,,,,,',
        'growth,2026-03-05,,,,balanced-10,,0.261294,,,,,,,', // in accruedEarnings from the 6th on
        '',
      ].join('\r\n'),
    );
  });

  it('is available as a journal for hledger and Ledger', async () => {
    const response = await file('from=2026-03-03&to=2026-03-05&format=journal');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="statement-2026-03-03-2026-03-05.journal"',
    );
    expect(response.text).toContain(
      [
        '2026-03-05 * Reserved for a withdrawal',
        `    ; withdrawal-requested withdrawal ${ids.withdrawal}`,
        '    assets:stablecoin platform:available  -120.00 USDC = 380.00 USDC',
        '    assets:stablecoin platform:reserved  120.00 USDC = 120.00 USDC',
      ].join('\n'),
    );
  });

  it('shows the payment of a withdrawal on its day, with hash and address, in every format', async () => {
    const bob = await platform.given.user().withBalance('500.00');
    const steps = await withdrawalSteps(platform);
    const { id } = (await steps.request(bob, '80.00')).data;
    await steps.take(id);
    platform.clock.advance(2 * DAY_MS);
    const txHash = unknownHash();
    await steps.complete(id, txHash);
    const day = dayOf(platform.clock.now());
    const range = `from=${addDays(day, -1)}&to=${day}`;
    const payment = {
      date: platform.clock.now().toISOString(),
      type: 'withdrawal-paid',
      referenceType: 'withdrawal',
      referenceId: id,
      description: 'Paid out by the custody provider',
      amount: '0.00',
      balance: '420.00', // 500.00 − 80.00
      reservedAmount: '-80.00',
      reservedBalance: '0.00',
      txHash,
      toAddress: DESTINATION,
    };
    const { data } = await statement(range, bob);
    expect(data.movements).toEqual([payment]);
    expect([data.opening.reserved, data.closing.reserved]).toEqual(['80.00', '0.00']);
    expect((await file(`${range}&format=csv`, bob)).text.split('\r\n').slice(1, 4)).toEqual([
      `opening,${addDays(day, -1)},,,,,Opening balances,,420.00,,80.00,0.00,0.00,,`,
      `movement,${payment.date},withdrawal-paid,withdrawal,${id},,${payment.description},0.00,420.00,-80.00,0.00,,,${txHash},${DESTINATION}`,
      `closing,${day},,,,,Closing balances,,420.00,,0.00,0.00,0.00,,`,
    ]);
    expect((await file(`${range}&format=journal`, bob)).text).toContain(
      [
        `${day} * Paid out by the custody provider`,
        `    ; withdrawal-paid withdrawal ${id}, txHash:${txHash}, toAddress:${DESTINATION}`,
        '    assets:stablecoin platform:reserved  -80.00 USDC = 0.00 USDC',
        '    equity:withdrawals  80.00 USDC',
      ].join('\n'),
    );
    platform.clock.moveTo('2026-03-12T10:00:00.000Z');
  });

  it('covers the last thirty days by default, and whole days', async () => {
    const { data } = await statement();
    expect([data.from, data.to]).toEqual(['2026-02-11', '2026-03-12']);
    expect(data.movements).toHaveLength(7); // the deposit, the investment and the five movements above
    expect((await statement('from=2026-03-02&to=2026-03-02')).data.movements).toHaveLength(2);
    expect((await statement('from=2026-03-03&to=2026-03-04')).data.movements).toEqual([]);
  });

  it('contains only the caller’s movements', async () => {
    const { data } = await statement('', await platform.given.user());
    expect([data.movements, data.growth, data.closing.total]).toEqual([[], [], '0.00']);
  });

  it('supports HEAD', async () => {
    const { status, headers } = await sendRequest(`${platform.baseUrl}${PATH}?format=csv`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ann.token}` },
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    // The HEAD request has ended its read: while a user's read is open, further statements are refused with 503.
    await eventually(async () => expect((await statement()).status).toBe(200));
  });

  it.each([
    ['from=2026-03-05&to=2026-03-04', 'INVALID_DATE_RANGE'],
    ['from=2026-03-13', 'INVALID_DATE_RANGE'],
    ['to=2026-03-14', 'INVALID_DATE_RANGE'], // tomorrow, the 13th, is permitted because of time zones
    ['from=2016-03-04', 'INVALID_DATE_RANGE'], // more than 3,660 days
    ['from=1969-12-31&to=1970-01-02', 'VALIDATION_ERROR'],
    ['from=2026-02-30', 'VALIDATION_ERROR'],
    ['from=', 'VALIDATION_ERROR'],
    ['to=now', 'VALIDATION_ERROR'],
    ['from=2026-03-01&from=2026-03-02', 'VALIDATION_ERROR'],
    ['format=docx', 'VALIDATION_ERROR'],
    ['format=CSV', 'VALIDATION_ERROR'],
    ['format=', 'VALIDATION_ERROR'],
    ['format=csv&format=json', 'VALIDATION_ERROR'],
    ['format=csv&from=2026-03-05&to=2026-03-04', 'INVALID_DATE_RANGE'], // errors are in the envelope in every format
  ])('rejects %s with %s', async (query, code) => {
    const reply = await statement(query);
    expect(reply).toMatchObject({ status: 400, code });
    expect(reply.headers.get('content-disposition')).toBeNull();
  });

  it('names both dates in the details of a wrong range', async () => {
    const { error } = (await statement('from=2026-03-05&to=2026-03-04')).body;
    expect(error.details).toMatchObject({ startDate: '2026-03-05', endDate: '2026-03-04' });
  });

  it('rejects anonymous callers and admins', async () => {
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(await platform.given.admin()).get(PATH)).code).toBe('FORBIDDEN');
  });
});
