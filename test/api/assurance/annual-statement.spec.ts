import { verifyReceipt } from '../../../client/verify.js';
import { Money } from '../../../src/common/money.js';
import { AnnualStatementsService } from '../../../src/modules/assurance/annual-statements/annual-statements.service.js';
import { LogKeysService } from '../../../src/modules/assurance/proofs/log-keys.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { readPdf } from '../../fixtures/pdf-reader.js';
import { withdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/statement/annual';

describe('GET /api/user/statement/annual', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let ids: { first: string; second: string };
  let proceeds: string;
  let units: { first: Money; second: Money };

  // 5000.00 deposited and 1000.00 invested on 10 December 2026, another 1000.00 on the 20th. In 2027 the second investment is closed on
  // 1 February, 100.00 are withdrawn and paid on the 2nd, and 40.00 are requested on the 3rd. Today is 5 March 2027.
  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-12-10T10:00:00.000Z' });
    const withdrawals = await withdrawalSteps(platform);
    const investments = new InvestmentSteps(platform);
    ann = await platform.given.user().withBalance('5000.00');
    const first = await investments.create(ann, '1000.00');
    platform.clock.moveTo('2026-12-20T10:00:00.000Z');
    const second = await investments.create(ann, '1000.00');
    ids = { first, second };
    units = { first: await unitsOf(first), second: await unitsOf(second) };
    platform.clock.moveTo('2027-02-01T10:00:00.000Z');
    proceeds = (await platform.as(ann).delete(`/api/user/investments/${second}`)).data.finalValue;
    platform.clock.moveTo('2027-02-02T10:00:00.000Z');
    const paid = (await withdrawals.request(ann, '100.00')).data.id;
    await withdrawals.take(paid);
    await withdrawals.complete(paid);
    platform.clock.moveTo('2027-02-03T10:00:00.000Z');
    await withdrawals.request(ann, '40.00');
    platform.clock.moveTo('2027-03-05T10:00:00.000Z');
  });
  afterAll(() => platform?.stop());

  async function unitsOf(id: string): Promise<Money> {
    const [row] = await platform.dataSource.query('select units from investment where id = $1', [id]);
    return Money.of(row.units);
  }

  const request = (query: string, user = ann) => platform.as(user).get(`${PATH}?${query}`);

  /** The content of the statement, whose signature is verified. */
  async function read(query: string, user = ann): Promise<any> {
    const { status, data } = await request(query, user);
    expect(status).toBe(200);
    const keys = platform.app.get(LogKeysService).signingKeys.map(({ publicKey }) => publicKey.jwk);
    return verifyReceipt(data, { keys });
  }

  const less = (a: string, b: string) => Money.of(a).minus(Money.of(b)).toWire();
  const fetchFile = (query: string) =>
    fetch(`${platform.baseUrl}${PATH}?${query}`, { headers: { authorization: `Bearer ${ann.token}` } });

  it('has the values, deposits, paid withdrawals and fees of the year', async () => {
    const statement = await read('year=2027');
    expect(statement).toMatchObject({
      v: 1,
      kind: 'annual-statement',
      userId: ann.id,
      year: 2027,
      method: 'fifo',
      from: '2027-01-01',
      to: '2027-03-05',
      asOf: '2027-03-05T10:00:00.000Z',
      opening: { available: '3000.00', reserved: '0.00', invested: '2000.00' },
      closing: { reserved: '40.00', invested: '1000.00' },
      deposits: '0.00',
      withdrawals: '100.00', // the 40.00 are not paid
      fees: { management: '0.589041', performance: '0.00', total: '0.589041' }, // 1000.00 × 0.50 % × 43 / 365
    });
    const { data: balance } = await platform.as(ann).get('/api/user/balance');
    expect(statement.closing).toMatchObject({
      available: balance.available,
      accruedEarnings: balance.accruedEarnings,
    });
    expect((await read('year=2026')).deposits).toBe('5000.00');
  });

  it('states the growth of each strategy in the month in which it was earned', async () => {
    const { income } = await read('year=2027');
    const { data } = await platform.as(ann).get('/api/user/statement?from=2027-01-01&to=2027-03-05');
    const ofMonth = (month: string) =>
      Money.sum(
        data.growth
          .filter(({ date }: { date: string }) => date.startsWith(month))
          .map(({ growth }: { growth: string }) => Money.of(growth)),
      ).toWire();
    expect(income.months).toEqual(
      ['2027-01', '2027-02', '2027-03'].map((month) => ({
        month,
        strategyId: 'balanced-10',
        growth: ofMonth(month),
        forfeited: '0.00',
        income: ofMonth(month),
      })),
    );
    expect(income.growth).toBe(ofMonth('2027'));
  });

  // The closing disposes of as many units as the second investment has, which are fewer than those of the first one. By `fifo` the
  // oldest units are disposed of, so that they cost a part of the 1000.00 of the first investment; by `average` a part of the 2000.00 of
  // both. The lot is the closed investment itself, which has cost 1000.00.
  it.each([
    ['fifo', () => Money.of('1000').times(units.second).dividedBy(units.first)],
    ['average', () => Money.of('2000').times(units.second).dividedBy(units.first.plus(units.second))],
  ] as const)(
    'states the gain of a disposal by the method %s, and beside it the gain by the lot of the closed investment',
    async (method, costOf) => {
      const { disposals, holdings } = await read(`year=2027&method=${method}`);
      const cost = costOf().roundHalfEven(6).toWire();
      const amounts = {
        proceeds,
        fees: '0.589041',
        cost,
        gain: less(proceeds, cost),
        lotCost: '1000.00',
        lotGain: less(proceeds, '1000.00'),
        difference: less('1000.00', cost),
      };
      expect(disposals).toEqual({
        ...amounts,
        list: [
          {
            ...amounts,
            at: '2027-02-01T10:00:00.000Z',
            kind: 'closing',
            investmentId: ids.second,
            strategyId: 'balanced-10',
            units: units.second.toExact(),
          },
        ],
      });
      expect(holdings).toEqual([
        {
          strategyId: 'balanced-10',
          units: units.first.toExact(),
          cost: less('2000.00', cost),
          lotCost: '1000.00',
        },
      ]);
      expect((await read(`year=2026&method=${method}`)).disposals.list).toEqual([]);
    },
  );

  it('answers the same signed bytes each time for a year that has ended', async () => {
    const [one, two] = [await request('year=2026'), await request('year=2026')];
    expect(one.data).toEqual(two.data);
    expect(JSON.parse(one.data.payload)).toMatchObject({ to: '2026-12-31', asOf: null });
  });

  it('contains nothing of other users', async () => {
    const { opening, closing, income, disposals, holdings } = await read(
      'year=2027',
      await platform.given.user(),
    );
    expect([opening.value, closing.value, income.months, disposals.list, holdings]).toEqual([
      '0.00',
      '0.00',
      [],
      [],
      [],
    ]);
  });

  it('has the same amounts as a page and as PDF, in the language of the user', async () => {
    const { opening, closing, disposals } = await read('year=2027&method=average');
    const page = await fetchFile('year=2027&method=average&format=html');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';style-src 'sha256-/);
    const html = await page.text();
    const file = await fetchFile('year=2027&method=average&format=pdf');
    expect(file.headers.get('content-disposition')).toBe(
      'attachment; filename="annual-statement-2027-average.pdf"',
    );
    const { pages, isTagged } = await readPdf(new Uint8Array(await file.arrayBuffer()));
    expect(isTagged).toBe(true);
    const text = pages.flat().join('\n');
    const { cost, gain, lotGain, difference } = disposals;
    for (const shown of [opening.value, closing.value, proceeds, cost, gain, lotGain, difference, ids.second])
      expect([shown, html.includes(shown), text.includes(shown)]).toEqual([shown, true, true]);
    await platform.as(ann).put('/api/user/profile', { language: 'de' });
    expect(await (await fetchFile('year=2027&format=html')).text()).toContain('Jahresaufstellung 2027');
  });

  describe('to bound its cost', () => {
    let statements: AnnualStatementsService;

    beforeAll(() => {
      statements = platform.app.get(AnnualStatementsService);
    });

    const fetchStatus = async (format: string) => {
      const file = await fetchFile(`year=2027&format=${format}`);
      await file.arrayBuffer(); // the statement is being written until its end
      return file.status;
    };
    /** The status of 2027 in each format. */
    const statuses = async () => [
      (await request('year=2027')).status,
      await fetchStatus('html'),
      await fetchStatus('pdf'),
    ];
    const refusal = (field: string, message: string) => ({
      status: 400,
      code: 'INVALID_DATE_RANGE',
      body: { error: { details: { fields: [{ field, message }] } } },
    });

    it('is not written as a page or PDF above a number of disposals [SEC-809]', async () => {
      const { limits } = statements;
      const { printedDisposals } = limits;
      expect(printedDisposals).toBe(5000);
      try {
        limits.printedDisposals = 0; // the year has one
        expect(await statuses()).toEqual([200, 400, 400]);
        expect(await request('year=2027&format=pdf')).toMatchObject(
          refusal('format', 'At most 0 disposals in a page or PDF: choose the format json.'),
        );
        limits.printedDisposals = 1;
        expect(await statuses()).toEqual([200, 200, 200]);
      } finally {
        limits.printedDisposals = printedDisposals;
      }
    });

    it('is not written in any format above a number of acquisitions and disposals of units [SEC-810]', async () => {
      const { limits } = statements;
      const { unitEvents } = limits;
      expect(unitEvents).toBe(20_000);
      try {
        limits.unitEvents = 2; // two until the end of 2026, three until that of 2027
        expect(await statuses()).toEqual([400, 400, 400]);
        expect(await request('year=2027')).toMatchObject(
          refusal('year', 'At most 2 acquisitions and disposals of units until the end of the year.'),
        );
        expect((await read('year=2026')).holdings).toHaveLength(1);
      } finally {
        limits.unitEvents = unitEvents;
      }
    });

    it('is refused while another statement of the user is being written [SEC-811]', async () => {
      const twoPieces = async function* () {
        yield 'the first piece';
        yield 'the last piece';
      };
      const pieces = await statements.print(ann.id, { year: 2027, method: 'fifo' }, twoPieces);
      await pieces.next(); // the statement is being written until its last piece is read
      expect(await statuses()).toEqual([503, 503, 503]);
      expect((await platform.as(ann).get('/api/user/statement')).code).toBe('SERVICE_UNAVAILABLE');
      await pieces.return();
      expect(await statuses()).toEqual([200, 200, 200]);
    });
  });

  it('rejects a request without a year with MISSING_REQUIRED_FIELD', async () => {
    expect(await request('')).toMatchObject({ status: 400, code: 'MISSING_REQUIRED_FIELD' });
  });

  it.each([
    'year=',
    'year=27',
    'year=2028',
    'year=2027&method=lifo',
    'year=2027&format=csv',
    'year=2027&year=2026',
  ])('rejects the query "%s" with VALIDATION_ERROR', async (query) => {
    expect(await request(query)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('rejects anonymous callers and admins', async () => {
    expect((await platform.as(null).get(`${PATH}?year=2027`)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(await platform.given.admin()).get(`${PATH}?year=2027`)).code).toBe('FORBIDDEN');
  });
});
