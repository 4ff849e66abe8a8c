// The baseline for benchmarks of large reads: the time of one sequential scan of a table.
import pg from 'pg';
import { timed } from '../frame.mjs';

/** Opens a connection on which PostgreSQL reads tables by sequential scans only, without parallel workers. */
export async function connectScanner(databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off;
    set max_parallel_workers_per_gather = 0; set jit = off`);
  return {
    /** Scans the table once and returns the milliseconds. */
    timeScan: (table) => timed(() => client.query(`select count(*) from ${table}`)),
    countRows: async (table) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count),
    end: () => client.end(),
  };
}
