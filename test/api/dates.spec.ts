import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { operationsOf, type Operation } from '../verification/hostile-input/operations.js';

// Every date that a list or a report is asked by, at the bounds of what dates can be.

/** Each stands for a rule of its own; the year 0, the year 10000 and their neighbours. */
const OUT_OF_BOUNDS = [
  '0000-01-01',
  '0001-01-01',
  '0001-01-01T00:00:00+23:59', // in UTC still the year 0
  '1969-12-31',
  '1970-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01', // in UTC already the year 10000
  '9999-12-31T23:59:59.999-23:59',
];
const WITHIN_BOUNDS = [
  '1970-01-01',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.001Z',
  '9999-12-30T23:59:59.999Z',
  '9999-12-31',
  '9999-12-31T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
];

describe('A date in a query', () => {
  let platform: TestPlatform;
  let tokens: Record<Operation['caller'], { token: string } | null>;
  let asked: { operation: Operation; name: string; path: string }[];

  beforeAll(async () => {
    platform = await startPlatform();
    const user = await platform.given.user().withBalance('1000.00');
    tokens = { nobody: null, user, admin: await platform.given.admin() };
    const document: OpenAPIObject = openApiDocument(platform.app, 'test');
    asked = operationsOf(document).flatMap((operation) =>
      operation.inQuery
        .filter(({ name }) => /(?:Date|After)$|^(?:from|to)$/.test(name))
        .map(({ name }) => ({ operation, name, path: operation.path.replace(/\{id\}/, 'balanced-10') })),
    );
  });
  afterAll(() => platform.stop());

  /** What each route that takes dates answers to this one, by route and parameter. */
  async function answers(date: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const { operation, name, path } of asked) {
      const { status, code } = await platform
        .as(tokens[operation.caller])
        .get(`${path}?${name}=${encodeURIComponent(date)}`);
      found[`${operation.path} ${name}`] = `${status} ${code ?? ''}`.trim();
    }
    return found;
  }

  it('is taken by the lists and reports that have one', () => {
    const paths = new Set(asked.map(({ operation }) => operation.path));
    for (const list of ['withdrawals', 'investments', 'audit', 'webhook-events', 'users', 'reports/users'])
      expect(paths).toContain(`/api/admin/${list}`);
    for (const list of ['transactions', 'deposits', 'balance/history'])
      expect(paths).toContain(`/api/user/${list}`);
  });

  it.each(OUT_OF_BOUNDS)(
    'is 400 VALIDATION_ERROR when it is %s, and never an error of ours',
    async (date) => {
      expect([...new Set(Object.values(await answers(date)))]).toEqual(['400 VALIDATION_ERROR']);
    },
  );

  it.each(WITHIN_BOUNDS)('is taken, or refused by a rule of its range, when it is %s', async (date) => {
    const odd = Object.entries(await answers(date)).filter(
      ([, answer]) => !['200', '400 INVALID_DATE_RANGE'].includes(answer),
    );
    expect(odd).toEqual([]);
  });

  it('selects nothing of the last day, and everything since the first', async () => {
    const count = async (createdAfter: string) =>
      (await platform.as(tokens.admin).get(`/api/admin/users?registeredAfter=${createdAfter}`)).body
        .pagination.total;
    expect(await count('9999-12-31T23:59:59.999Z')).toBe(0);
    expect(await count('1970-01-01')).toBeGreaterThan(0);
    const user = tokens.user as { token: string };
    const order = { amount: '10.00', currency: 'USDC', toAddress: `0x${'1'.repeat(39)}2` };
    expect((await platform.as(user).post('/api/user/withdrawals', order)).status).toBe(201);
    const withdrawals = async (createdAfter: string) =>
      (await platform.as(tokens.admin).get(`/api/admin/withdrawals?createdAfter=${createdAfter}`)).body
        .pagination.total;
    expect(await withdrawals('9999-12-31T12:00:00Z')).toBe(0);
    expect(await withdrawals('1970-01-01T00:00:00.001Z')).toBe(1);
  });
});
