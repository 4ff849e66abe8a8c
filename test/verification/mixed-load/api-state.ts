import { Money } from '../../../src/common/money.js';
import { ADMIN_TRANSACTIONS } from '../../fixtures/treasury.js';
import type { RetryingClient } from './client.js';
import type { UserActor } from './users.js';
import { isOpen, type ApiState, type Item } from './comparison.js';
import { queryDirectly, type LoadEnvironment } from './environment.js';

const PAGE_SIZE = 100;

/** The user's records and balances in the API. */
export async function readApiState(
  client: RetryingClient,
  user: UserActor,
  adminToken: string,
): Promise<ApiState> {
  const get = async (token: string, path: string) => (await client.read({ token, method: 'GET', path })).body;
  const pages = async (path: string): Promise<any[]> => {
    const all = [];
    for (let page = 1; ; page++) {
      const { data, pagination } = await get(user.token, `${path}?limit=${PAGE_SIZE}&page=${page}`);
      all.push(...(data.requests ?? data)); // `requests` in the list of withdrawals
      if (page >= pagination.totalPages) return all;
    }
  };
  const { data: balance } = await get(user.token, '/api/user/balance');
  const { available, reserved, invested } = balance;
  const bookings: Item[] = [];
  for (const id of await bookingIds(user, get, adminToken)) {
    const { status, amount } = (await get(adminToken, `${ADMIN_TRANSACTIONS}/${id}`)).data;
    bookings.push({ id, status, amount });
  }
  return {
    funds: { available, reserved, invested },
    deposits: (await pages('/api/user/deposits')).map(({ txHash, status, amount }) =>
      item({ id: txHash, status, amount }),
    ),
    withdrawals: (await pages('/api/user/withdrawals')).map(item),
    investments: (await pages('/api/user/investments')).map((investment) => ({
      ...item(investment),
      ...(isOpen(investment.status) ? {} : { amount: 'ended' }),
    })),
    bookings,
  };
}

/**
 * Ids of the bookings (transactions by hand) that operators have created for the user, and of those that the API lists
 * for the user: one that only the API knows is a difference.
 */
async function bookingIds(
  user: UserActor,
  get: (token: string, path: string) => Promise<any>,
  adminToken: string,
): Promise<Set<string>> {
  const ids = new Set(user.expected.bookings.keys());
  for (let page = 1; ; page++) {
    const path = `${ADMIN_TRANSACTIONS}?userId=${user.id}&limit=${PAGE_SIZE}&page=${page}`;
    const { data } = await get(adminToken, path);
    for (const { id } of data.transactions) {
      const { byAdmins } = (await get(adminToken, `${ADMIN_TRANSACTIONS}/${id}`)).data;
      if (byAdmins) ids.add(id); // null for transactions of the user
    }
    if (page >= data.totalPages) return ids;
  }
}

function item({ id, status, amount }: Item): Item {
  return { id, status, amount: Money.of(amount).toWire() };
}

/**
 * Expires all leases, also those of killed processes, and makes retries of callbacks due. The domain clock is not moved instead: a day
 * later the service would fail a deposit whose callbacks still wait, because the deposit provider does not know some of the payments.
 */
export async function makeRetriesDue(environment: Pick<LoadEnvironment, 'databaseUrl'>): Promise<void> {
  await queryDirectly(environment, 'update lease set until = clock_timestamp()');
  await queryDirectly(
    environment,
    `update webhook_event set due_at = received_at where status = 'received' and attempts > 0`,
  );
}

/** Callbacks that are not processed, and deposits that are not detected or credited; `payments` are transaction hashes. */
export async function unfinishedWork(
  environment: LoadEnvironment,
  payments: readonly string[],
): Promise<string[]> {
  const rows = await queryDirectly<{ item: string }>(
    environment,
    `select kind || ' callback ' || event_key as item from webhook_event where status = 'received'
     union all
     select status || ' deposit ' || id from deposit where status in ('pending', 'confirming')
     union all
     select 'undetected payment ' || hash from unnest($1::text[]) as hash
      where not exists (select from deposit where tx_hash = hash)`,
    [payments],
  );
  return rows.map(({ item }) => item);
}

/** Records whose number of audit entries differs from the number of acknowledged admin actions. */
export async function auditDifferences(
  environment: LoadEnvironment,
  adminActions: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await queryDirectly<{ id: string; actions: string[] }>(
    environment,
    'select subject_id as id, array_agg(action order by id) as actions from audit_entry where subject_id = any($1) group by 1',
    [[...adminActions.keys()]],
  );
  const auditedActions = new Map(rows.map((row) => [row.id, row.actions]));
  return [...adminActions]
    .filter(([id, times]) => auditedActions.get(id)?.length !== times)
    .map(
      ([id, times]) =>
        `${id}: ${times} actions, in the audit log: ${auditedActions.get(id)?.join() ?? 'none'}`,
    );
}
