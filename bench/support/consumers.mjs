import { setTimeout as sleep } from 'node:timers/promises';

/** Cursors that move later: the deletion of old events, and the platform's webhook if it has an address. */
const OTHER_CURSORS = ['old-events', 'event-webhook'];

/** Resolves when the consumers have handled the events that are committed now; at once for a checkout without a log of events. */
export async function consumersCaughtUp(pool) {
  const { rows } = await pool.query(`select to_regclass('event_consumer') is not null as "hasConsumers"`);
  if (!rows[0].hasConsumers) return;
  const last = await lastEventNumber(pool);
  const lowest = 'select min(number)::float8 as number from event_consumer where name <> all($1)';
  while ((await pool.query(lowest, [OTHER_CURSORS])).rows[0].number < last) await sleep(20);
}

export async function lastEventNumber(pool) {
  const { rows } = await pool.query('select coalesce(max(number), 0)::float8 as number from domain_event');
  return rows[0].number;
}
