import { write } from '../database/statements.js';
import type { Tx } from '../database/tx.js';
import { tablesOf, type ListName } from './list-rows.js';

// A mark is an hour whose sums are recomputed after the commit of the transaction that writes it. The hour is that of a record's own
// time, not of its change.

/** A list, or the sums of reports. */
export type TotalName = ListName | 'report';

const MARK_HOURS = `
  insert into total_mark (name, hour)
  select distinct $1::text, date_trunc('hour', at, 'UTC') from unnest($2::timestamptz[]) as changed(at)`;

/** Marks the hours that contain these times. */
export function markHours(tx: Tx, name: TotalName, ...times: readonly Date[]): void {
  if (times.length > 0) write(tx, MARK_HOURS, [name, times.map((time) => time.toISOString())]);
}

/** Marks the hour of a record of a list that `tx` has changed without reading the record's time. */
export function markRecord(tx: Tx, list: ListName, id: string): void {
  write(tx, `insert into total_mark (name, hour) ${hoursOfRecords(list, '$1')}`, [[id]]);
}

/** Selects the hours of records of a list. `ids` is the parameter of an array. */
export function hoursOfRecords(list: ListName, ids: string): string {
  const times = tablesOf(list).map(
    ({ table, time }) => `select ${time} from ${table} where id = any(${ids}::uuid[])`,
  );
  return `select distinct '${list}', date_trunc('hour', at, 'UTC') from (${times.join(' union all ')}) as record(at)`;
}
