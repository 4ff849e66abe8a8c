// The baseline of large reads: one sequential scan of a table.
import pg from 'pg';
import { timed } from '../frame.mjs';

/** A connection that scans tables sequentially, without indexes and parallel workers. */
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
