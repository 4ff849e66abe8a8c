import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { UNKNOWN_ID, withdrawalSteps } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { statementsDuring } from '../../harness/queries.js';
import { repetitions } from '../../harness/repetitions.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const LISTS = ['users', 'investments', 'withdrawals', 'deposits', 'transactions'] as const;
type List = (typeof LISTS)[number];

/** A query of each list that selects some of the rows below. */
const FILTERED: Record<List, string> = {
  users: 'search=ann&sortBy=totalInvested&orderBy=asc',
  investments: 'strategyId=balanced-10&sortBy=currentValue&orderBy=asc',
  withdrawals: 'status=rejected&sortBy=amount',
  deposits: 'currency=USDC&sortBy=amount&orderBy=asc',
  transactions: 'type=withdrawal',
};
const FORMULA = '=HYPERLINK("http://evil.example","Look")';

describe('format=csv on the lists for admins', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' }, blockIntervalMs: 0 });
    const withdrawals = await withdrawalSteps(platform);
    admin = withdrawals.admin;
    const investments = new AdminInvestmentSteps(platform, admin);
    const callbacks = new ProviderCallbacks(platform);
    ann = await platform.given.user('ann@example.org').withBalance('2000.00');
    const bob = await platform.given.user('bob@example.org').withBalance('2000.00');
    for (const user of [ann, bob]) {
      for (const strategyId of ['balanced-10', 'aggressive-20'])
        await investments.create(user, '100.00', strategyId);
      const { data } = await platform.as(user).get('/api/user/deposits/address?currency=USDC');
      for (const amount of ['600', '70.123456789'])
        await callbacks.reportDeposit({ currency: 'USDC', address: data.address, amount });
      for (const amount of ['20.00', '30.00']) await withdrawals.request(user, amount);
      const { id } = (await withdrawals.request(user, '40.00')).data;
      await withdrawals.reject(id, FORMULA);
    }
  });
  afterAll(() => platform?.stop());

  const get = (path: string, by: { token: string } = admin) =>
    sendRequest(`${platform.baseUrl}/api/admin/${path}`, {
      headers: { authorization: `Bearer ${by.token}` },
    });
  const itemsOf = ({ data }: { data: any }): Record<string, unknown>[] => data.transactions ?? data;

  /** The lines of a file; reads quoted fields as RFC 4180 describes them. */
  function parse(text: string): string[][] {
    const lines: string[][] = [[]];
    for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
      lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      if (end !== ',') lines.push([]);
    }
    lines.pop();
    return lines;
  }

  /** The fields of an item in JSON as a file shows them. */
  function flat(item: object, prefix = ''): [name: string, text: string][] {
    return Object.entries(item).flatMap(([name, value]): [string, string][] => {
      if (value !== null && typeof value === 'object' && !Array.isArray(value))
        return flat(value as object, `${prefix}${name}.`);
      const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
      return [[prefix + name, text.startsWith('=') ? `'${text}` : text]];
    });
  }

  it.each(LISTS)('has all %s in the order of the list, with the JSON fields as header', async (list) => {
    for (const query of ['', `${FILTERED[list]}&`]) {
      const json = itemsOf((await platform.as(admin).get(`/api/admin/${list}?${query}limit=100`)).body);
      expect(json.length).toBeGreaterThan(0);
      // A file has all rows, whatever `page` and `limit` are.
      const ignored = query ? 'page=2&limit=1' : 'page=0&limit=100000';
      const file = await get(`${list}?${query}format=csv&${ignored}`);
      expect(file.status).toBe(200);
      expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${list}.csv"`);
      const [header = [], ...lines] = parse(file.text);
      expect(lines.length).toBe(json.length);
      for (const [index, item] of json.entries()) {
        const shown = Object.fromEntries(header.map((name, column) => [name, lines[index]?.[column]]));
        const expected = Object.fromEntries(flat(item));
        const absent = header.filter((name) => !(name in expected)); // protocols of other strategies
        for (const name of absent) expect(name).toMatch(/^allocation\./);
        expect(shown).toEqual({ ...expected, ...Object.fromEntries(absent.map((name) => [name, ''])) });
      }
    }
  });

  it('names nested fields with dots', async () => {
    const headerOf = async (list: List) => (await get(`${list}?format=csv`)).text.split('\r\n')[0];
    expect(await headerOf('deposits')).toBe(
      'id,userId,amount,currency,status,fromAddress,toAddress,txHash,blockNumber,confirmations,requiredConfirmations,' +
        'network,chainId,gasUsed,gasFee,createdAt,confirmedAt,metadata.depositAddress,metadata.derivationPath,' +
        'metadata.contractAddress,metadata.estimatedCompletionTime,metadata.reason,metadata.nextStep,' +
        'metadata.holdReason,userEmail',
    );
    expect(await headerOf('users')).toContain('riskProfile.strategies');
    expect(await headerOf('investments')).toContain('performance.currentValue');
  });

  it.each(LISTS)('has only the header if no %s match', async (list) => {
    const { text } = await get(`${list}?format=csv&userId=${UNKNOWN_ID}`);
    expect(text).toMatch(/^id,[^\r\n]+\r\n$/);
  });

  it('escapes text that a spreadsheet would evaluate as a formula [SEC-147]', async () => {
    const { text } = await get('withdrawals?format=csv&status=rejected');
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"",""Look"")"`);
    expect(text).not.toMatch(/(^|,)"?[=+@]/m);
  });

  it.each(LISTS)('of %s is recorded in the audit log, unlike the same list as JSON', async (list) => {
    const entries = async () =>
      (await platform.as(admin).get(`/api/admin/audit?action=${list}.export&limit=100`)).data;
    const before = await entries();
    await get(`${list}?format=csv&${FILTERED[list]}`);
    const [newest, ...older] = await entries();
    expect(older).toEqual(before);
    expect(newest).toMatchObject({
      admin: admin.email,
      subjectType: 'list',
      subjectId: list,
      after: { format: 'csv', ...Object.fromEntries(new URLSearchParams(FILTERED[list])) },
    });
    await platform.as(admin).get(`/api/admin/${list}?format=json`);
    expect(await entries()).toHaveLength(older.length + 1);
  });

  it.each(LISTS)(
    'of %s needs the permission to read them, and another format than csv and json is refused with 400',
    async (list) => {
      for (const format of ['xml', 'CSV', '']) {
        const reply = await platform.as(admin).get(`/api/admin/${list}?format=${format}`);
        expect([format, reply.status, reply.code]).toEqual([format, 400, 'VALIDATION_ERROR']);
      }
      const readonly = await platform.given.admin('readonly');
      const refused = await get(`${list}?format=csv`, readonly);
      expect([refused.status, refused.body.error.code]).toEqual([403, 'PERMISSION_DENIED']);
      expect((await get(`${list}?format=csv`, ann)).status).toBe(403);
    },
  );

  describe('with thousands of rows', () => {
    const COUNT = repetitions(20_000);
    const SENDER = 'a'.repeat(Math.ceil(7_000_000 / COUNT)); // 7 MB in all rows: more than a connection buffers

    beforeAll(async () => {
      await platform.dataSource.query(
        `insert into deposit (id, user_id, network, currency, tx_hash, from_address, to_address, status, amount, credited, confirmations,
                              required_confirmations, succeeded, created_at, updated_at, seen_at, confirmed_at)
         select gen_random_uuid(), $2, 'TRC20', 'USDT', 'bulk-' || n, $3, 'T' || repeat('a', 33), 'completed', n, n, 20, 20, true,
                at, at, at, at
           from generate_series(1, $1) as n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as at) as moment`,
        [COUNT, ann.id, SENDER],
      );
      await platform.dataSource.query('analyze deposit');
    });
    afterAll(() => queryWithoutTriggers(platform, `delete from deposit where tx_hash like 'bulk-%'`, []));

    const path = 'deposits?format=csv&currency=USDT';

    it('reads the rows in batches and in the order of an index', async () => {
      const recorded = await statementsDuring(async () => {
        const lines = parse((await get(path)).text);
        expect(lines).toHaveLength(COUNT + 1);
        expect(new Set(lines.map(([id]) => id)).size).toBe(COUNT + 1);
      });
      const texts = recorded.map(({ text }) => text);
      expect(texts.filter((text) => /^fetch 100 from /.test(text))).toHaveLength(COUNT / 100 + 1); // the last one finds no row
      const declared = recorded.find(({ text }) => text.startsWith('declare'));
      const plan: { 'QUERY PLAN': string }[] = await platform.dataSource.query(
        `explain ${declared?.text}`,
        declared?.values as unknown[],
      );
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toMatch(/Sort|Seq Scan on deposit/);
    });

    it('closes the connection if reading fails midway, instead of ending the file', async () => {
      const headers = { authorization: `Bearer ${admin.token}` };
      const response = await fetch(`${platform.baseUrl}/api/admin/${path}`, { headers });
      expect(response.status).toBe(200);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let received = (await reader.read()).value?.length ?? 0;
      expect(received).toBeGreaterThan(0);
      await eventually(async () => {
        const ended: unknown[] = await platform.dataSource.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction' and query like 'fetch 100 from%'`,
        );
        expect(ended).toHaveLength(1);
      });
      const readAll = async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read())
          received += piece.value.length;
      };
      await expect(readAll()).rejects.toThrow();
      const whole = await get(path); // the admin's export has ended, so another one is possible
      expect(whole.status).toBe(200);
      expect(received).toBeLessThan(Buffer.byteLength(whole.text));
    });

    it('refuses a second export of an admin while the first one is open, but not one of another admin', async () => {
      const headers = { authorization: `Bearer ${admin.token}` };
      const first = await fetch(`${platform.baseUrl}/api/admin/${path}`, { headers });
      const second = await platform.as(admin).get('/api/admin/users?format=csv');
      expect(second).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect((await get('users?format=csv', await platform.given.admin('admin2'))).status).toBe(200);
      // The header, the rows, and the empty text after the last line.
      expect((await first.text()).split('\r\n')).toHaveLength(COUNT + 2);
    });
  });
});
