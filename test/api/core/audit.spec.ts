import { HOUR_MS } from '../../../src/common/durations.js';
import { PreparingClient } from '../../../src/database/prepared.js';
import { sendRequest, type Reply } from '../../harness/http-client.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  UNKNOWN_ID,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/audit';
const HASH = `0x${'ab'.repeat(32)}`;

describe('The audit log', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;
  const ids: string[] = [];

  // 10:00 admin takes the first withdrawal, 11:00 admin2 completes it; 12:00 admin2 approves the second by a request
  // that is sent three times, 13:00 admin rejects it; on the next day admin takes the third and fourth in one request.
  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
    for (let i = 0; i < 4; i++) ids.push((await steps.createPending()).id);
    const [first, second, third, fourth] = ids as [string, string, string, string];
    await steps.take(first);
    platform.clock.advance(HOUR_MS);
    await steps.complete(first, HASH, { note: 'By hand' }, admin2);
    platform.clock.advance(HOUR_MS);
    const headers = { 'idempotency-key': 'approve-once' };
    for (let i = 0; i < 3; i++)
      await platform.as(admin2).put(`${ADMIN_WITHDRAWALS}/${second}/approve`, undefined, { headers });
    platform.clock.advance(HOUR_MS);
    await steps.reject(second, '=HYPERLINK("http://evil.example","Look")');
    platform.clock.moveTo('2026-03-03T09:00:00.000Z');
    const bulk = { ids: [third, UNKNOWN_ID, fourth] };
    await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, bulk);
  });
  afterAll(() => platform?.stop());

  const list = (query = '', by = steps.admin) => platform.as(by).get(`${PATH}${query}`);
  const actions = (reply: Reply) =>
    reply.data.map(({ action }: { action: string }) => action.replace('withdrawal.', ''));
  const ALL = ['take', 'take', 'reject', 'approve', 'complete', 'take'];

  it('records the admin, the action, the reason and the changed fields', async () => {
    const reply = await list(`?subject=withdrawal:${ids[1]}`);
    const entry = {
      id: expect.any(String),
      subjectType: 'withdrawal',
      subjectId: ids[1],
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    };
    const reason = '=HYPERLINK("http://evil.example","Look")';
    expect(reply.data).toEqual([
      {
        ...entry,
        at: '2026-03-02T13:00:00.000Z',
        admin: 'admin@example.com',
        action: 'withdrawal.reject',
        reason,
        before: { status: 'approved', note: null, returnedAt: null },
        after: { status: 'rejected', note: reason, returnedAt: '2026-03-02T13:00:00.000Z' },
      },
      {
        ...entry,
        at: '2026-03-02T12:00:00.000Z',
        admin: 'admin2@example.com',
        action: 'withdrawal.approve',
        reason: null,
        before: { status: 'pending', approvedAt: null, approvedBy: null },
        after: {
          status: 'approved',
          approvedAt: '2026-03-02T12:00:00.000Z',
          approvedBy: 'admin2@example.com',
        },
      },
    ]);
    expect(reply.body.pagination).toMatchObject({ page: 1, limit: 50, total: 2, totalPages: 1 });
  });

  it('records the payment that completed a withdrawal', async () => {
    const [entry] = (await list('?action=withdrawal.complete')).data;
    expect(entry).toMatchObject({
      before: { status: 'processing', txHash: null, chainCheck: null, note: null },
      after: { status: 'completed', txHash: HASH, chainCheck: 'unverified', note: 'By hand' },
    });
  });

  it('has one entry for each withdrawal of a bulk request, with the same trace id', async () => {
    const { data } = await list('?from=2026-03-03');
    expect(data.map(({ subjectId }: { subjectId: string }) => subjectId).sort()).toEqual(ids.slice(2).sort());
    expect(new Set(data.map(({ traceId }: { traceId: string }) => traceId)).size).toBe(1);
  });

  it.each([
    ['', ALL],
    ['?admin=admin@example.com', ['take', 'take', 'reject', 'take']],
    ['?admin=Admin2@Example.com', ['approve', 'complete']],
    ['?admin=nobody@example.com', []],
    ['?action=withdrawal.take', ['take', 'take', 'take']],
    ['?action=withdrawal.take&to=2026-03-02', ['take']],
    ['?subjectType=withdrawal', ALL],
    ['?subjectType=admin', []],
    [`?subjectId=${UNKNOWN_ID}`, []],
    // Both ends of the range are included.
    ['?from=2026-03-02T11:00:00Z&to=2026-03-02T12:00:00Z', ['approve', 'complete']],
    ['?from=2026-03-02T11:00:00.001Z&to=2026-03-02T11:59:59.999Z', []],
    ['?from=2026-03-02T14:00:00%2B02:00&to=2026-03-02T12:00:00Z', ['approve']],
    ['?limit=2&page=2', ['reject', 'approve']],
    ['?page=9', []],
  ])('lists exactly the entries that match the query "%s", newest first', async (query, expected) => {
    expect(actions(await list(query))).toEqual(expected);
  });

  it('finds a subject by its id alone and by type and id', async () => {
    for (const query of [
      `?subjectId=${ids[0]}`,
      `?subjectType=withdrawal&subjectId=${ids[0]}`,
      `?subject=withdrawal:${ids[0]}&subjectType=admin`, // `subject` takes precedence
    ])
      expect(actions(await list(query))).toEqual(['complete', 'take']);
  });

  it('counts the filtered entries over all pages', async () => {
    const { body } = await list('?admin=admin@example.com&limit=3&page=2');
    expect(body.data).toHaveLength(1);
    const pagination = { page: 2, limit: 3, total: 4, totalPages: 2, hasNext: false, hasPrevious: true };
    expect(body.pagination).toEqual({
      ...pagination,
      next: null,
      previous: expect.any(String),
      asOf: expect.any(String),
    });
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['admin=', 'VALIDATION_ERROR'],
    ['admin=a%00b', 'VALIDATION_ERROR'],
    ['admin=a&admin=b', 'VALIDATION_ERROR'],
    ['action=take', 'VALIDATION_ERROR'],
    ['subject=withdrawal', 'VALIDATION_ERROR'],
    ['subjectType=%25', 'VALIDATION_ERROR'],
    ['from=yesterday', 'VALIDATION_ERROR'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'INVALID_DATE_RANGE'],
    ['from=2026-03-04', 'INVALID_DATE_RANGE'], // a date in the future
    ['format=xml', 'VALIDATION_ERROR'],
    ['format=csv&from=2026-03-04', 'INVALID_DATE_RANGE'],
  ])('refuses the query ?%s: 400 %s', async (query, code) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, code });
  });

  it('states both ends of a refused range in the details of the error', async () => {
    const { body } = await list('?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z');
    expect(body.error.details).toMatchObject({
      startDate: '2026-03-02T00:00:00Z',
      endDate: '2026-03-01T00:00:00Z',
    });
  });

  it('is readable only by admins with the role admin', async () => {
    for (const name of ['operator', 'support', 'readonly'])
      expect((await list('', await platform.given.admin(name))).code).toBe('PERMISSION_DENIED');
  });

  it('has one entry for requests repeated with the same Idempotency-Key', async () => {
    expect(actions(await list(`?subjectId=${ids[1]}&action=withdrawal.approve`))).toEqual(['approve']);
  });

  it.each([
    'update audit_entry set reason = null',
    'delete from audit_entry',
    'truncate audit_entry',
    'truncate audit_entry cascade',
    `delete from audit_entry where actor = 'nobody@example.com'`,
  ])('cannot be changed in the database: %s [SEC-005]', async (statement) => {
    const before = await platform.dataSource.query('select * from audit_entry order by id');
    await expect(platform.dataSource.query(statement)).rejects.toThrow(/audit_entry: [A-Z]+ is refused/);
    expect(await platform.dataSource.query('select * from audit_entry order by id')).toEqual(before);
  });

  describe('as CSV', () => {
    const file = (query: string) =>
      sendRequest(`${platform.baseUrl}${PATH}?format=csv${query}`, {
        headers: { authorization: `Bearer ${steps.admin.token}` },
      });

    it('contains all filtered entries regardless of the limit', async () => {
      const response = await file(`&subjectId=${ids[0]}&limit=1`);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
      const [header, ...lines] = response.text.split('\r\n');
      expect(header).toBe('id,at,admin,action,subjectType,subjectId,reason,before,after,traceId');
      const { data } = await list(`?subjectId=${ids[0]}`);
      const quoted = (value: object) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
      expect(lines).toEqual([
        ...data.map((entry: Record<string, any>) =>
          [
            entry.id,
            entry.at,
            entry.admin,
            entry.action,
            entry.subjectType,
            entry.subjectId,
            '', // no reason
            quoted(entry.before),
            quoted(entry.after),
            entry.traceId,
          ].join(),
        ),
        '',
      ]);
    });

    it('escapes values that a spreadsheet would evaluate as formulas [SEC-044]', async () => {
      const { text } = await file(`&subjectId=${ids[1]}`);
      expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"",""Look"")",`);
      expect(text).not.toMatch(/(^|,)"?[=+@]/m);
    });

    it('contains only the header when no entry matches', async () => {
      const { text } = await file('&admin=nobody@example.com');
      expect(text).toBe('id,at,admin,action,subjectType,subjectId,reason,before,after,traceId\r\n');
    });
  });

  describe('with 20,000 entries', () => {
    const COUNT = 20_000;

    beforeAll(async () => {
      await platform.dataSource.query(
        `insert into audit_entry (id, at, actor, action, subject_type, subject_id, before, after)
         select gen_random_uuid(), timestamptz '2025-01-01' + n * interval '1 minute', 'admin' || n % 40 || '@example.org',
                'record-' || chr(97 + n % 20) || '.change', 'record-' || chr(97 + n % 20), (n / 3)::text, '{}', '{}'
           from generate_series(1, $1) as n`,
        [COUNT],
      );
      await platform.dataSource.query('select mark_all_totals()');
      await platform.dataSource.query('vacuum analyze audit_entry');
    });
    afterAll(() => executeWithoutTriggers(platform, `delete from audit_entry where at < '2026-01-01'`));

    it.each([
      '',
      '?admin=admin7@example.org',
      '?action=record-c.change',
      '?subjectType=record-c',
      '?subjectId=1200',
      '?subject=record-c:1200',
      '?from=2025-01-10&to=2025-01-10',
      '?admin=admin7@example.org&from=2025-01-10&to=2025-01-10&limit=1',
    ])('is read in the order of an index for the query "%s"', async (query) => {
      const spy = jest.spyOn(PreparingClient.prototype, 'query');
      await list(query);
      const sent = spy.mock.calls.map((call) => call as unknown as [string, unknown[]]);
      spy.mockRestore();
      const pageQuery = sent.find(([text]) => typeof text === 'string' && text.includes('from audit_entry'));
      const [text, values] = pageQuery as [string, unknown[]];
      const plan: { 'QUERY PLAN': string }[] = await platform.dataSource.query(`explain ${text}`, values);
      const nodes = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(nodes).toMatch(/Index (Only )?Scan/);
      expect(nodes).not.toMatch(/Seq Scan|Sort/);
    });

    it('exports all entries as CSV and rejects a second concurrent export of the same admin [SEC-128]', async () => {
      const query = `${PATH}?format=csv`;
      const headers = { authorization: `Bearer ${steps.admin.token}` };
      // `fetch` returns after the headers; sendRequest would read the whole file and end the export.
      const first = await fetch(`${platform.baseUrl}${query}`, { headers });
      const second = await platform.as(steps.admin).get(query);
      expect(second).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      const { body } = await list('?limit=1');
      const lines = (await first.text()).split('\r\n');
      expect(lines).toHaveLength(body.pagination.total + 2); // the header, and the empty text after the last line end
      expect((await sendRequest(`${platform.baseUrl}${query}`, { headers })).status).toBe(200);
    });
  });
});
