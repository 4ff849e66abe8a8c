import { DAY_MS } from '../../../src/common/durations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { treasuryMoved } from '../../../src/modules/core/ledger/domain/treasury-postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { sendRequest } from '../../harness/http-client.js';
import { queriesDuring } from '../../harness/queries.js';
import { ReconciliationSteps, RECONCILIATIONS } from '../../fixtures/reconciliations.js';
import {
  DESTINATION,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { repetitions } from '../../harness/repetitions.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const HEADER = 'reference,txHash,amount,currency,network,direction,date,status';

// In responses `there` is the provider's statement and `here` are the platform's records. `chainVerdict` names the side
// that agrees with the chain.
describe('Reconciliation with a statement of the custody provider', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let reconciling: ReconciliationSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
    reconciling = new ReconciliationSteps(platform, steps.admin);
  });
  afterAll(() => platform?.stop());

  /** Separates the records of tests: two days, because a line may be dated one day outside of the range. */
  const beginLaterDay = () => platform.clock.advance(2 * DAY_MS);

  const payOnChain = (amount: string) => platform.outside.chain.payUsdc(DESTINATION, amount);

  /** Creates a withdrawal, completes it with this hash and returns its id. */
  async function createCompleted(amount: string, txHash: string, more: object = {}): Promise<string> {
    const { id } = await steps.createProcessing(amount);
    expect((await steps.complete(id, txHash, more)).status).toBe(200);
    return id;
  }

  /** A line of a statement, by default about a payment from custody. */
  const out = (reference: string, amount: string, more: object = {}) => ({
    reference,
    amount,
    currency: 'USDC',
    direction: 'out',
    date: platform.clock.today(),
    ...more,
  });

  /** Posts a transfer to custody, or from it if the amount is negative, and returns its id. */
  async function postTreasuryTransfer(amount: string): Promise<string> {
    const transferId = newId();
    const transfer = { transferId, network: 'ERC20', amount: Money.of(amount), at: platform.clock.now() };
    await platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => platform.app.get(LedgerService).post(tx, treasuryMoved(transfer)));
    return transferId;
  }

  it('matches payments by hash, by a hash that two withdrawals share or by withdrawal id, and treasury transfers by id', async () => {
    beginLaterDay();
    const [own, batch] = [await payOnChain('100'), await payOnChain('50')];
    await createCompleted('100.00', own);
    const idsOfBatch = [
      await createCompleted('20.00', batch),
      await createCompleted('30.00', batch, { allowSharedTxHash: true }),
    ];
    const byId = await createCompleted('12.50', unknownHash());
    // Earlier versions accepted any text as a hash.
    await queryWithoutTriggers(platform, `update withdrawal set tx_hash = 'wire 77' where id = $1`, [byId]);
    const inward = await postTreasuryTransfer('1000.00');
    const outward = await postTreasuryTransfer('-40.00');

    const { status, data } = await reconciling.createFromCustody([
      out('P-1', '100', { txHash: own.toUpperCase().replace('0X', '0x') }),
      out('P-2', '50.000000', { txHash: batch.slice('0x'.length), network: 'erc20', status: 'Completed' }),
      out(byId.toUpperCase(), '12.5'),
      out(inward, '1000', { direction: 'in' }),
      out(outward, '40'),
      out('P-3', '9', { status: 'Rejected' }), // not executed at the provider and unknown to the platform
    ]);
    expect(status).toBe(201);
    expect(data).toMatchObject({ status: 'matched', lines: 6, matched: 6, chainUnread: 0, unresolved: 0 });
    expect(data.sums).toEqual([
      { currency: 'USDC', direction: 'in', there: '1000.00', here: '1000.00', difference: '0.00' },
      // 100 + 50 + 12.5 + 40
      { currency: 'USDC', direction: 'out', there: '202.50', here: '202.50', difference: '0.00' },
    ]);
    const lines = await reconciling.lines(data.id);
    expect(lines[0]).toMatchObject({ chainVerdict: 'both', chainAmount: '100.00' });
    expect(lines[1]).toMatchObject({ chainVerdict: 'both', chainAmount: '50.00', here: { amount: '50.00' } });
    expect([...lines[1]?.here.ids].sort()).toEqual([...idsOfBatch].sort());
    expect(lines[2]).toMatchObject({ here: { type: 'withdrawal', ids: [byId], txHash: 'wire 77' } });
    expect(lines[3]).toMatchObject({ direction: 'in', here: { type: 'treasury-transfer', ids: [inward] } });
    expect(lines[5]).toMatchObject({ outcome: 'matched', here: null, break: null });
    const shown = await platform.as(steps.admin).get(`${RECONCILIATIONS}/${data.id}`);
    expect(shown.data).toEqual(data);
  });

  it('reports breaks: an underpaid batch, a withdrawal still processing, and a payment missing in the statement', async () => {
    beginLaterDay();
    const batch = await payOnChain('49.999999');
    await createCompleted('20.00', batch);
    await createCompleted('30.00', batch, { allowSharedTxHash: true });
    const { id: processing } = await steps.createProcessing('25.00');
    const missing = await createCompleted('70.00', unknownHash());
    const { data } = await reconciling.createFromCustody([
      out('B-1', '49.999999', { txHash: batch }),
      out(processing, '25.00'),
    ]);
    const lines = await reconciling.lines(data.id);
    expect(lines.map(({ outcome, differs, difference }) => [outcome, differs, difference])).toEqual([
      ['differing', ['amount'], '-0.000001'], // 49.999999 − 20 − 30
      ['differing', ['status'], '25.00'], // moved at the provider, reserved in the ledger
      ['missing-there', [], '-70.00'],
    ]);
    expect(lines[0]).toMatchObject({ chainVerdict: 'there', chainAmount: '49.999999' });
    expect(lines[2]).toMatchObject({ here: { ids: [missing] }, chainVerdict: 'there', chainAmount: '0.00' });
    // 49.999999 + 25; 20 + 30 + 70
    expect(data.sums).toMatchObject([{ there: '74.999999', here: '120.00', difference: '-45.000001' }]);
  });

  it('matches a line dated one day after the range, and ignores such a line if it matches no record', async () => {
    beginLaterDay();
    const hash = unknownHash();
    await createCompleted('10.00', hash);
    const today = platform.clock.today();
    platform.clock.advance(DAY_MS);
    const line = out('M-1', '10.00', { txHash: hash, date: `${platform.clock.today()}T00:00:01Z` });
    const outside = out('M-2', '11.00');
    const { data } = await reconciling.createFromCustody([line, outside], { from: today, to: today });
    expect(data).toMatchObject({ lines: 1, missingHere: 0, missingThere: 0 });
  });

  describe('as CSV', () => {
    it('reads a byte order mark, quotes, CRLF and cells that look like formulas', async () => {
      beginLaterDay();
      const hash = await payOnChain('33');
      await createCompleted('33.00', hash);
      const day = platform.clock.today();
      const formula = '=HYPERLINK("http://example.org","a, b")';
      const text = [
        HEADER,
        `"=HYPERLINK(""http://example.org"",""a, b"")",${hash},33.00,USDC,,out,${day},`,
        `"-1+2",,"4.00","USDC",,"out",${day}T10:00:00Z,pending`,
      ];
      const { status, data } = await reconciling.createFromCsv(`\uFEFF${text.join('\r\n')}\r\n`);
      expect(status).toBe(201);
      expect(data).toMatchObject({ format: 'csv', lines: 2, matched: 1, missingHere: 1 });
      const lines = await reconciling.lines(data.id);
      expect(lines.map(({ line, there }) => [line, there.reference])).toEqual([
        [2, formula],
        [3, '-1+2'],
      ]);
      expect(lines[1]).toMatchObject({ there: { status: 'underway', network: null }, difference: '0.00' });
    });

    /** A valid line without a status, which is its last cell. */
    const good = (day: string) => `P,,1.00,USDC,,out,${day},`;
    it.each<[string, (day: string) => string, number, string]>([
      ['an open quote', (day) => `${HEADER}\n${good(day)}\n"P,,1.00`, 3, 'csv'],
      ['a quote inside a cell', (day) => `${HEADER}\nP"x",,1.00,USDC,,out,${day},`, 2, 'csv'],
      ['a lone carriage return', (day) => `${HEADER}\nP\r,,1.00,USDC,,out,${day},`, 2, 'csv'],
      [
        'a missing cell, after a cell of two lines',
        (day) => `${HEADER}\n"P\n",,1.00,USDC,,out,${day},\nP,,1`,
        4,
        'csv',
      ],
      ['an empty line', (day) => `${HEADER}\n\n${good(day)}`, 2, 'csv'],
      ['an empty file', () => '\uFEFF', 1, 'reference'],
      ['a missing amount column', () => 'reference,currency,direction,date', 1, 'amount'],
      ['an unknown column', () => `${HEADER},note`, 1, 'note'],
      ['a repeated column', () => `${HEADER},amount`, 1, 'amount'],
      ['a formula as an amount', (day) => `${HEADER}\n${good(day)}\nP,,=1+1,USDC,,out,${day},`, 3, 'amount'],
      ['a thousands separator', (day) => `${HEADER}\nP,,"1,000.00",USDC,,out,${day},`, 2, 'amount'],
      ['a negative amount', (day) => `${HEADER}\nP,,-1.00,USDC,,out,${day},`, 2, 'amount'],
      ['nineteen decimals', (day) => `${HEADER}\nP,,0.${'0'.repeat(18)}1,USDC,,out,${day},`, 2, 'amount'],
      ['a missing reference', (day) => `${HEADER}\n,,1.00,USDC,,out,${day},`, 2, 'reference'],
      ['an unknown status', (day) => `${HEADER}\n${good(day)}Perhaps`, 2, 'status'],
      ['a day that does not exist', () => `${HEADER}\n${good('2026-02-30')}`, 2, 'date'],
      ['a day outside the range', () => `${HEADER}\n${good('2026-01-01')}`, 2, 'date'],
    ])('rejects %s and names the line and the field', async (_, textOf, line, field) => {
      const before = await reconciling.stored();
      const reply = await reconciling.createFromCsv(textOf(platform.clock.today()));
      expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(reply.body.error.details.fields).toContainEqual({ line, field, message: expect.any(String) });
      expect(await reconciling.stored()).toEqual(before);
    });
  });

  it.each<[string, object[], number, string]>([
    ['an amount as a number', [{ amount: 1 }], 1, 'amount'],
    ['an unknown field', [{}, { fee: '0' }], 2, 'fee'],
    ['a control character', [{ reference: 'P\n1' }], 1, 'reference'],
    ['an unknown direction', [{ direction: 'up' }], 1, 'direction'],
  ])('rejects JSON with %s and names the line and the field', async (_, changes, line, field) => {
    const reply = await reconciling.createFromCustody(changes.map((change) => out('P', '1.00', change)));
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(reply.body.error.details.fields).toEqual([{ line, field, message: expect.any(String) }]);
  });

  it('lists at most the first twenty problems', async () => {
    const { body } = await reconciling.createFromCustody(Array.from({ length: 100 }, () => out('P', '0')));
    expect(body.error.details.fields).toHaveLength(20);
  });

  it.each<[string, object, string]>([
    ['missing lines', { lines: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['no CSV text', { format: 'csv', lines: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['lines beside CSV text', { format: 'csv', csv: HEADER }, 'VALIDATION_ERROR'],
    ['CSV text beside lines', { csv: HEADER }, 'VALIDATION_ERROR'],
    [
      'a format that the custody provider does not support',
      { format: 'provider', lines: undefined },
      'VALIDATION_ERROR',
    ],
    ['a line that is null', { lines: [null] }, 'VALIDATION_ERROR'],
    ['too many lines', { lines: Array.from({ length: 20_001 }, () => 1) }, 'VALIDATION_ERROR'],
    ['an unknown source', { source: 'bank' }, 'VALIDATION_ERROR'],
    ['a range that ends before it begins', { from: '2026-02-02', to: '2026-02-01' }, 'INVALID_DATE_RANGE'],
    ['a range of 93 days', { from: '2025-11-01', to: '2026-02-01' }, 'INVALID_DATE_RANGE'],
    ['a day in the future', { to: '2026-12-31' }, 'INVALID_DATE_RANGE'],
  ])('rejects %s and stores nothing', async (_, more, code) => {
    const before = await reconciling.stored();
    expect(await reconciling.createFromCustody([], more)).toMatchObject({ status: 400, code });
    expect(await reconciling.stored()).toEqual(before);
  });

  it('names both dates in the details of a wrong range', async () => {
    const range = { from: '2026-02-02', to: '2026-02-01' };
    expect((await reconciling.createFromCustody([], range)).body.error.details).toMatchObject({
      startDate: range.from,
      endDate: range.to,
    });
  });

  it('refuses more than 5 MB, and reads more than the 100 kB of other routes on every spelling of its path, for admins with the permission', async () => {
    const lines = [out('x'.repeat(5_000_000), '1.00')];
    expect(await reconciling.createFromCustody(lines)).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    // Other routes refuse more than 100 kB with 413. Each of these spellings of the path leads to the route, or to no route.
    const body = JSON.stringify({ note: 'x'.repeat(200_000) });
    const headers = { authorization: `Bearer ${steps.admin.token}`, 'content-type': 'application/json' };
    const sendTo = (path: string) => sendRequest(platform.baseUrl + path, { method: 'POST', headers, body });
    for (const path of [`${RECONCILIATIONS}/`, RECONCILIATIONS.toUpperCase(), `${RECONCILIATIONS}?a=1`])
      expect([path, (await sendTo(path)).status]).toEqual([path, 400]); // the body was read
    for (const path of [`/${RECONCILIATIONS}`, RECONCILIATIONS.replace('admin', '%61dmin')])
      expect([path, (await sendTo(path)).status]).toEqual([path, 404]);
    const support = await platform.given.admin('support');
    expect(await reconciling.create({ lines: [] }, support)).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    });
    expect(await platform.as(null).post(RECONCILIATIONS, { lines: [] })).toMatchObject({ status: 401 });
  });

  it('writes 5,000 lines with one SQL statement, and looks up at most 1,000 hashes on chain', async () => {
    beginLaterDay();
    // Only with THOROUGH=1 are there more than 5,000 lines and more than 1,000 hashes.
    const count = repetitions(10_000);
    const lookedUp = repetitions(1040); // each costs three calls to the node
    const lines = Array.from({ length: count }, (_, index) =>
      out(`L-${index}`, '0.10', index < lookedUp ? { txHash: unknownHash() } : {}),
    );
    let reply = { status: 0, data: {} as Record<string, unknown> };
    const statements = await queriesDuring(async () => {
      reply = await reconciling.createFromCustody(lines);
    });
    expect(reply).toMatchObject({ status: 201, data: { lines: count, missingHere: count } });
    // Three statements read the ledger, write the header and read the result; each other one writes a batch of 5,000 lines.
    const relevant = statements.filter((text) => /^\s*with named|reconciliation/.test(text));
    expect(relevant).toHaveLength(3 + Math.ceil(count / 5000));
    expect(reply.data.chainUnread).toBe(Math.max(0, lookedUp - 1000));
    expect(reply.data.sums).toMatchObject([{ there: (count / 10).toFixed(2), here: '0.00' }]); // 0.10 per line
  });

  it('stores one of several concurrent identical statements', async () => {
    beginLaterDay();
    const lines = [out('twice', '1.00')];
    const replies = await Promise.all([1, 2, 3].map(() => reconciling.createFromCustody(lines)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const first = replies.find(({ status }) => status === 201)?.data.id;
    for (const { body } of replies.filter(({ status }) => status === 409))
      expect(body.error.details).toEqual({ reconciliationId: first });
  });
});
