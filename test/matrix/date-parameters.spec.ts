import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from '../../src/http/openapi/document.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { operationsOf, type Operation } from '../verification/hostile-input/operations.js';

// Every date parameter of lists, reports and bodies, at the limits of valid dates.

/** Dates before 1970 or after 9999 in UTC, and days that do not exist. */
const INVALID_DATES = [
  '0000-01-01',
  '0001-01-01',
  '0001-01-01T00:00:00+23:59', // the year 0 in UTC
  '1969-12-31',
  '1970-01-01T00:00:00+00:01',
  '2025-02-29',
  '2100-02-29T00:00:00Z', // not a leap year, although 2000 was
  '9999-12-31T23:59:59-00:01', // the year 10000 in UTC
  '9999-12-31T23:59:59.999-23:59',
];
const VALID_DATES = [
  '1970-01-01',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.001Z',
  '2000-02-29',
  '2024-02-29T23:59:59+14:00',
  '9999-12-30T23:59:59.999Z',
  '9999-12-31',
  '9999-12-31T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
];

/** This route answers every invalid date with INVALID_DATE_RANGE. */
const AUDIT_PACK = '/api/admin/audit-pack';

/** The views of a list, each as the beginning of a query; each view has different date parameters. */
function viewsOf({ inQuery }: Operation): string[] {
  const views = inQuery.find(({ name }) => name === 'view')?.schema.enum as string[] | undefined;
  return views?.map((view) => `view=${view}&`) ?? [''];
}

/** An id that the route finds. */
function idIn(path: string, user: TestUser): string {
  if (path.includes('/books/')) return 'user.available:USDC';
  return path.includes('/admin/users/') ? user.id : 'balanced-10';
}

describe('A date', () => {
  let platform: TestPlatform;
  let tokens: Record<Operation['caller'], { token: string } | null>;
  let parameters: { operation: Operation; name: string; path: string }[];

  beforeAll(async () => {
    platform = await startPlatform();
    const user = await platform.given.user().withBalance('1000.00');
    tokens = { anonymous: null, user, admin: await platform.given.admin() };
    const document: OpenAPIObject = openApiDocument(platform.app, 'test');
    parameters = operationsOf(document).flatMap((operation) =>
      operation.inQuery
        .filter(
          ({ name, schema }) => /(?:Date|After|Before)$|^(?:from|to)$/.test(name) && schema.type === 'string',
        )
        .flatMap(({ name }) => {
          const path = operation.path.replace('{id}', idIn(operation.path, user));
          return viewsOf(operation).map((view) => ({ operation, name, path: `${path}?${view}` }));
        }),
    );
  });
  afterAll(() => platform?.stop());

  /** Sends the date in each date parameter of each route; returns the answers by route and parameter. */
  async function answersTo(date: string): Promise<Record<string, string>> {
    const answers: Record<string, string> = {};
    for (const { operation, name, path } of parameters) {
      const { status, code } = await platform
        .as(tokens[operation.caller])
        .get(`${path}${name}=${encodeURIComponent(date)}`);
      answers[`${path}${name}`] = `${status} ${code ?? ''}`.trim();
    }
    return answers;
  }

  it('can be given to the lists and reports that filter by date (control)', () => {
    const paths = new Set(parameters.map(({ operation }) => operation.path));
    for (const list of ['withdrawals', 'investments', 'audit', 'webhook-events', 'users', 'reports/users'])
      expect(paths).toContain(`/api/admin/${list}`);
    for (const list of ['transactions', 'deposits', 'balance/history'])
      expect(paths).toContain(`/api/user/${list}`);
  });

  it.each([...INVALID_DATES, ...VALID_DATES])(
    'in a body has the same limits as in a query: %s',
    async (date) => {
      const isInvalid = INVALID_DATES.includes(date);
      const { status, code } = await platform
        .as(tokens.user)
        .put('/api/user/notifications/mark-all-read', { beforeDate: date });
      const permitted = isInvalid ? ['400 VALIDATION_ERROR'] : ['200 ', '400 NO_UNREAD_NOTIFICATIONS'];
      expect(permitted).toContain(`${status} ${code ?? ''}`);
      for (const field of ['from', 'to']) {
        const statement = {
          source: 'custody',
          format: 'json',
          from: '2026-03-01',
          to: '2026-03-01',
          lines: [],
        };
        const reply = await platform
          .as(tokens.admin)
          .post('/api/admin/reconciliations', { ...statement, [field]: date });
        expect(reply.status).toBe(400); // with a valid date the range is reversed, over 92 days long or in the future
        if (isInvalid) expect(reply.body.error.details.fields[0].field).toBe(field);
      }
    },
  );

  it.each(INVALID_DATES)('in a query is answered with 400 VALIDATION_ERROR when it is %s', async (date) => {
    const unexpected = Object.entries(await answersTo(date)).filter(
      ([path, answer]) =>
        answer !== (path.startsWith(AUDIT_PACK) ? '400 INVALID_DATE_RANGE' : '400 VALIDATION_ERROR'),
    );
    expect(unexpected).toEqual([]);
  });

  it.each(VALID_DATES)(
    'in a query is accepted or rejected as INVALID_DATE_RANGE when it is %s',
    async (date) => {
      const unexpected = Object.entries(await answersTo(date)).filter(
        ([, answer]) => !['200', '400 INVALID_DATE_RANGE'].includes(answer),
      );
      expect(unexpected).toEqual([]);
    },
  );

  it('in a query selects no rows after the last valid day and all rows after the first', async () => {
    const countUsers = async (registeredAfter: string) =>
      (await platform.as(tokens.admin).get(`/api/admin/users?registeredAfter=${registeredAfter}`)).body
        .pagination.total;
    expect(await countUsers('9999-12-31T23:59:59.999Z')).toBe(0);
    expect(await countUsers('1970-01-01')).toBeGreaterThan(0);
    const user = tokens.user as { token: string };
    const order = { amount: '10.00', currency: 'USDC', toAddress: `0x${'1'.repeat(39)}2` };
    expect((await platform.as(user).post('/api/user/withdrawals', order)).status).toBe(201);
    const countWithdrawals = async (createdAfter: string) =>
      (await platform.as(tokens.admin).get(`/api/admin/withdrawals?createdAfter=${createdAfter}`)).body
        .pagination.total;
    expect(await countWithdrawals('9999-12-31T12:00:00Z')).toBe(0);
    expect(await countWithdrawals('1970-01-01T00:00:00.001Z')).toBe(1);
  });
});
