// The baseline of what reads much: one look at every row of a table.
import pg from 'pg';
import { timed } from '../frame.mjs';

/** A connection on which a table can be read from its beginning to its end, by one process, past all indexes. */
export async function scanner(databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off;
    set max_parallel_workers_per_gather = 0; set jit = off`);
  return {
    scan: (table) => timed(() => client.query(`select count(*) from ${table}`)),
    rows: async (table) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count),
    end: () => client.end(),
  };
}
