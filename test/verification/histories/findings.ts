import { Money } from '../../../src/common/money.js';
import { ADMIN_TRANSACTIONS } from '../../fixtures/treasury.js';
import type { Client } from './client.js';
import type { LoadedUser } from './users.js';
import { isOpen, type Found, type Item } from './verdict.js';
import type { World } from './world.js';

const PAGE = 100;
const HOUR = 1 / 24;

/** What the API shows of a user. */
export async function found(client: Client, user: LoadedUser, adminToken: string): Promise<Found> {
  const get = async (token: string, path: string) => (await client.read({ token, method: 'GET', path })).body;
  const pages = async (path: string): Promise<any[]> => {
    const all = [];
    for (let page = 1; ; page++) {
      const { data, pagination } = await get(user.token, `${path}?limit=${PAGE}&page=${page}`);
      all.push(...(data.requests ?? data));
      if (page >= pagination.totalPages) return all;
    }
  };
  const { data: balance } = await get(user.token, '/api/user/balance');
  const { available, reserved, invested } = balance;
  const bookings: Item[] = [];
  for (const id of await bookingsOf(user, get, adminToken)) {
    const { status, amount } = (await get(adminToken, `${ADMIN_TRANSACTIONS}/${id}`)).data;
    bookings.push({ id, status, amount });
  }
  return {
    funds: { available, reserved, invested },
    deposits: (await pages('/api/user/deposits')).map(({ txHash, ...rest }) => item({ ...rest, id: txHash })),
    withdrawals: (await pages('/api/user/withdrawals')).map(item),
    investments: (await pages('/api/user/investments')).map((one) => ({
      ...item(one),
      ...(isOpen(one.status) ? {} : { amount: 'ended' }),
    })),
    bookings,
  };
}

/** Those that the client knows of, and those that nobody was told of. */
async function bookingsOf(
  user: LoadedUser,
  get: (token: string, path: string) => Promise<any>,
  adminToken: string,
): Promise<Set<string>> {
  const ids = new Set(user.expected.bookings.keys());
  for (let page = 1; ; page++) {
    const path = `${ADMIN_TRANSACTIONS}?userId=${user.id}&limit=${PAGE}&page=${page}`;
    const { data } = await get(adminToken, path);
    for (const { id } of data.transactions) {
      const { byAdmins } = (await get(adminToken, `${ADMIN_TRANSACTIONS}/${id}`)).data;
      if (byAdmins) ids.add(id);
    }
    if (page >= data.totalPages) return ids;
  }
}

function item({ id, status, amount }: Item): Item {
  return { id, status, amount: Money.of(amount).toWire() };
}

/**
 * As if a while had passed: the leases of processes that were killed have ended, and what waits to be tried again is
 * due.
 */
export async function aWhileLater(world: World): Promise<void> {
  await world.query('update lease set until = clock_timestamp()');
  world.outside.providers.clock.advance(HOUR);
}

/** Callbacks that the service has still to process, and payments (by hash) that it has still to see or to credit. */
export async function unsettled(world: World, payments: readonly string[]): Promise<string[]> {
  const rows = await world.query<{ what: string }>(
    `select kind || ' callback ' || event_key as what from webhook_event where status = 'received'
     union all
     select status || ' deposit ' || id from deposit where status in ('pending', 'confirming')
     union all
     select 'unseen payment ' || hash from unnest($1::text[]) as hash
      where not exists (select from deposit where tx_hash = hash)`,
    [payments],
  );
  return rows.map(({ what }) => what);
}

/** Where the audit log has not one entry for each answered deed of an admin. */
export async function misrecorded(world: World, deeds: ReadonlyMap<string, number>): Promise<string[]> {
  const rows = await world.query<{ id: string; actions: string[] }>(
    'select subject_id as id, array_agg(action order by id) as actions from audit_entry where subject_id = any($1) group by 1',
    [[...deeds.keys()]],
  );
  const actions = new Map(rows.map((row) => [row.id, row.actions]));
  return [...deeds]
    .filter(([id, times]) => actions.get(id)?.length !== times)
    .map(([id, times]) => `${id}: ${times} deeds, in the audit log ${actions.get(id)?.join() ?? 'nothing'}`);
}
