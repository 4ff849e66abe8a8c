import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../src/kernel/errors/error-catalogue.js';
import { listAdmin } from './listed-admins.js';
import { moneyCalls, type MoneyCall, type MoneyStage } from './money-calls.js';
import { NOBODYS } from './withdrawals.js';

type Call = Omit<MoneyCall, 'other'>;

/** A write of an admin's, and what is to be seen of it. */
export interface AdminWrite {
  /** A call of it, everything in place for it to succeed; another one each time. */
  prepare: () => Promise<Call>;
  /** Ids that the audit log names, from the `data` of the answer. */
  subjects: (call: Call, data: any) => string[];
  /** What the second of two admins is answered who do it to one record at once; `done` where both may. */
  second: ErrorCode | 'done';
}

/** Writes that change nothing but the session they are called with: no deeds of the audit log's. */
export const OWN_SESSION = [
  'POST /api/admin/auth/logout',
  'POST /api/admin/auth/refresh',
  'POST /api/auth/cookie/admin/logout',
];

/**
 * Every admin route that is not GET. Those of `money-calls.ts` are here by themselves: the subject is the `:id` of the
 * path or else the `id` of the answer, and the second at once is refused with INVALID_STATE. A line in `differing` says
 * what is otherwise; a route that takes no Idempotency-Key has its line in `others`.
 */
export function adminWrites(stage: MoneyStage): Record<string, AdminWrite> {
  const differing: Record<string, Partial<AdminWrite>> = {
    'POST /api/admin/withdrawals/bulk-take': { subjects: (_, data) => data.taken },
  };

  const others: Record<string, Pick<AdminWrite, 'prepare'> & Partial<AdminWrite>> = {
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
    },
    'POST /api/admin/webhook-events/:id/replay': {
      prepare: async () => {
        const [{ id }] = await stage.platform.dataSource.query(GIVEN_UP, [randomUUID()]);
        const path = (of: string) => `/api/admin/webhook-events/${of}/replay`;
        return { by: stage.steps.admin, method: 'POST', path: path(id), wrong: { path: path(NOBODYS) } };
      },
    },
  };

  const deciding = Object.entries(moneyCalls(stage))
    .filter(([route]) => route.includes(' /api/admin/'))
    .map(([route, prepare]) => [route, { prepare }] as const);
  return Object.fromEntries(
    [...deciding, ...Object.entries(others)].map(([route, write]) => [
      route,
      { subjects: subjectOf(route), second: 'INVALID_STATE', ...write, ...differing[route] },
    ]),
  );
}

/** A report that makes sense by now: replayed, it is acted upon and can not be replayed again. */
const GIVEN_UP = `
  insert into webhook_event
    (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at)
  values (gen_random_uuid(), 'custody', 'yield', $1,
          '{"type":"yield.reported","data":{"strategyId":"balanced-10","day":"2026-03-02","apy":"10"}}',
          'failed', 'an unexpected error', 12, now(), now(), now())
  returning id`;

function subjectOf(route: string): AdminWrite['subjects'] {
  const place = route.split('/').indexOf(':id');
  return ({ method, path }, data) => [
    place < 0 ? data.id : (`${method} ${path}`.split('/')[place] as string),
  ];
}
