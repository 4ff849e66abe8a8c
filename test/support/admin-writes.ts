import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../src/kernel/errors/error-catalogue.js';
import { USERS_PATH } from './admin-users.js';
import type { TestAdmin } from './given.js';
import { listAdmin } from './listed-admins.js';
import { moneyCalls, onOne, type MoneyCall, type MoneyStage } from './money-calls.js';
import { BREAKS, RECONCILIATIONS, Reconciling } from './reconciliations.js';
import { NOBODYS } from './withdrawals.js';

type Call = Omit<MoneyCall, 'other' | 'wrong'> & Partial<Pick<MoneyCall, 'wrong'>>;

/** A write of an admin's, and what is to be seen of it. */
export interface AdminWrite {
  /** A call of it, everything in place for it to succeed; another one each time. */
  prepare: () => Promise<Call>;
  /** Ids that the audit log names, from the `data` of the answer. */
  subjects: (call: Call, data: any) => string[];
  /**
   * What comes of the second when two admins make one call at once: a refusal; `nothing` where it is answered and
   * finds nothing left to do; `done` where it is another deed.
   */
  second: ErrorCode | 'nothing' | 'done';
  /** Takes back what would be in the way of other writes. */
  undo?: () => Promise<unknown>;
}

/** Writes that change nothing but the session they are called with: no deeds of the audit log's. */
export const OWN_SESSION = [
  'POST /api/admin/auth/logout',
  'POST /api/admin/auth/refresh',
  'POST /api/auth/cookie/admin/logout',
];

/** A write without the defaults of `adminWrites`. */
type Line = Pick<AdminWrite, 'prepare'> & Partial<AdminWrite>;

/**
 * Every admin route that is not GET. Those of `money-calls.ts` are here by themselves. The subject is the `:id` of the
 * path or else the `id` of the answer; the second at once is refused with INVALID_STATE when the path has an `:id`, and
 * another deed when it has none. A line in `differing` says what is otherwise; a route that takes no Idempotency-Key
 * has its line in one of the tables below.
 */
export function adminWrites(stage: MoneyStage): Record<string, AdminWrite> {
  const money = moneyCalls(stage);
  const close = 'POST /api/admin/investments/:id/close';

  const differing: Record<string, Partial<AdminWrite>> = {
    'POST /api/admin/withdrawals/bulk-take': { subjects: (_, data) => data.taken, second: 'nothing' },
    'POST /api/admin/transactions/generate': { subjects: (_, data) => [data.runId] },
    'POST /api/admin/transactions/execute': { subjects: () => ['transfers'] },
    [close]: {
      prepare: async () => ({ ...(await money[close]!()), body: {} }), // all of it: parts can be closed by both
      second: 'INVESTMENT_ALREADY_CLOSED',
    },
  };

  const deciding = Object.entries(money)
    .filter(([route]) => route.includes(' /api/admin/'))
    .map(([route, prepare]) => [route, { prepare }] as const);
  const others: Record<string, Line> = {
    ...admins(stage),
    ...users(stage),
    ...testData(stage),
    ...reconciliations(stage),
    ...pauses(stage),
    'PUT /api/admin/strategies/:id': {
      prepare: async () => ({
        by: stage.steps.admin,
        method: 'PUT',
        path: '/api/admin/strategies/balanced-10',
        body: { apy: '12.00' },
        wrong: { path: '/api/admin/strategies/reckless-90' },
      }),
      second: 'done', // a request is recorded, and another one beside it
    },
  };
  return Object.fromEntries(
    [...deciding, ...Object.entries(others)].map(([route, write]) => [
      route,
      {
        subjects: subjectOf(route),
        second: route.includes('/:id') ? ('INVALID_STATE' as const) : ('done' as const),
        ...write,
        ...differing[route],
      },
    ]),
  );
}

function subjectOf(route: string): AdminWrite['subjects'] {
  const place = route.split('/').indexOf(':id');
  return ({ method, path }, data) => [
    place < 0 ? data.id : (`${method} ${path}`.split('/')[place] as string),
  ];
}

function admins(stage: MoneyStage): Record<string, Line> {
  return {
    'POST /api/admin/auth/register': {
      prepare: async () => {
        const email = `${randomUUID()}@example.com`;
        await listAdmin(stage.platform, email);
        return {
          by: stage.steps.admin,
          method: 'POST',
          path: '/api/admin/auth/register',
          body: { email, password: 'a-password-to-keep' },
          wrong: { body: { email, password: 'short' } },
        };
      },
      subjects: (_, data) => [data.email],
      second: 'FORBIDDEN', // a password is set once
    },
    'POST /api/admin/webhook-events/:id/replay': {
      prepare: async () => {
        const [{ id }] = await stage.platform.dataSource.query(GIVEN_UP, [randomUUID()]);
        const path = (of: string) => `/api/admin/webhook-events/${of}/replay`;
        return { by: stage.steps.admin, method: 'POST', path: path(id), wrong: { path: path(NOBODYS) } };
      },
    },
  };
}

/** A report that makes sense by now: replayed, it is acted upon and can not be replayed again. */
const GIVEN_UP = `
  insert into webhook_event
    (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at)
  values (gen_random_uuid(), 'custody', 'yield', $1,
          '{"type":"yield.reported","data":{"strategyId":"balanced-10","day":"2026-03-02","apy":"10"}}',
          'failed', 'an unexpected error', 12, now(), now(), now())
  returning id`;

function users(stage: MoneyStage): Record<string, Line> {
  const onUser = (method: string, body?: object) => async () =>
    onOne(stage.steps.admin, method, USERS_PATH, (await stage.platform.given.user()).id, '', body);
  return {
    [`POST ${USERS_PATH}`]: {
      prepare: async () => ({
        by: stage.steps.admin,
        method: 'POST',
        path: USERS_PATH,
        body: { email: `${randomUUID()}@example.org` },
        wrong: { body: { email: stage.steps.admin.email } },
      }),
      second: 'VALIDATION_ERROR', // the address is taken
    },
    [`PUT ${USERS_PATH}/:id`]: {
      prepare: onUser('PUT', { status: 'suspended', reason: 'Fraud' }),
      second: 'nothing',
    },
    [`DELETE ${USERS_PATH}/:id`]: { prepare: onUser('DELETE'), second: 'nothing' },
  };
}

function testData(stage: MoneyStage): Record<string, Line> {
  const ofAll = (method: string, path: string): Line => ({
    prepare: async () => ({ by: stage.steps.admin, method, path }),
    subjects: () => ['users'],
  });
  return {
    'DELETE /api/admin/test-data': ofAll('DELETE', '/api/admin/test-data'),
    'POST /api/admin/test-data/cleanup': ofAll('POST', '/api/admin/test-data/cleanup'),
  };
}

function reconciliations(stage: MoneyStage): Record<string, Line> {
  /** One line, for which nothing here stands. */
  const statement = () => {
    const day = stage.platform.clock.today();
    const line = { reference: randomUUID(), amount: '1.00', currency: 'USDC', direction: 'out', date: day };
    return { source: 'custody', format: 'json', from: day, to: day, lines: [line] };
  };

  /** Id of a break on which the verbs were done, each by its admin. */
  const breakAfter = async (...done: [admin: TestAdmin, verb: string, body: object][]) => {
    const reconciling = new Reconciling(stage.platform, stage.steps.admin);
    const made = await reconciling.make(statement());
    const [line] = await reconciling.lines(made.data.id); // the statement's come first
    for (const [by, verb, body] of done)
      await stage.platform.as(by).post(`${BREAKS}/${line?.id}/${verb}`, body);
    return line?.id as string;
  };

  const onBreak = (verb: string, body: object | undefined, prepare: () => Promise<string>) => async () =>
    onOne(stage.steps.admin, 'POST', BREAKS, await prepare(), `/${verb}`, body);
  const ASSIGN = { owner: 'admin2@example.com' };
  const PROPOSE = { resolution: 'timing', note: 'Paid after midnight.' };
  const assigned = () => breakAfter([stage.steps.admin, 'assign', ASSIGN]);
  const proposed = async () => {
    const admin2 = await stage.platform.given.admin('admin2');
    return breakAfter([admin2, 'assign', ASSIGN], [admin2, 'propose', PROPOSE]);
  };

  return {
    [`POST ${RECONCILIATIONS}`]: {
      prepare: async () => {
        const body = statement();
        return {
          by: stage.steps.admin,
          method: 'POST',
          path: RECONCILIATIONS,
          body,
          wrong: { body: { ...body, format: 'csv' } },
        };
      },
      second: 'RECONCILIATION_EXISTS',
    },
    [`POST ${BREAKS}/:id/assign`]: { prepare: onBreak('assign', ASSIGN, breakAfter), second: 'nothing' },
    [`POST ${BREAKS}/:id/propose`]: { prepare: onBreak('propose', PROPOSE, assigned) },
    [`POST ${BREAKS}/:id/confirm`]: { prepare: onBreak('confirm', undefined, proposed) },
    [`POST ${BREAKS}/:id/reopen`]: { prepare: onBreak('reopen', { reason: 'Another one' }, assigned) },
  };
}

function pauses(stage: MoneyStage): Record<string, Line> {
  const press = (button: 'pause' | 'resume') =>
    stage.platform.as(stage.steps.admin).post(`/api/admin/integrity/${button}`, { reason: 'Test' });
  const line = (button: 'pause' | 'resume'): Line => ({
    prepare: async () => {
      await press(button === 'pause' ? 'resume' : 'pause'); // refused when it is so already
      return {
        by: stage.steps.admin,
        method: 'POST',
        path: `/api/admin/integrity/${button}`,
        body: { reason: 'Something is odd' },
        wrong: { body: { reason: '' } },
      };
    },
    subjects: (_, data) => [(button === 'pause' ? data : data.ended).id],
    second: 'INVALID_STATE',
    undo: () => press('resume'),
  });
  return {
    'POST /api/admin/integrity/pause': line('pause'),
    'POST /api/admin/integrity/resume': line('resume'),
  };
}
