// CPU time of processes (Linux only).
import { existsSync, readFileSync } from 'node:fs';
import pg from 'pg';

const MS_A_TICK = 10;

function millisecondsOf(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
}

/** CPU milliseconds so far of each database connection and of a process. */
export async function processorTime(postgresUrl, pid) {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  const { rows } = await client.query(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  await client.end();
  return {
    connections: new Map(rows.map((row) => [row.pid, millisecondsOf(row.pid)])),
    node: millisecondsOf(pid),
  };
}

/** Difference of two readings. */
export function usedBetween(before, after) {
  const database = [...after.connections].map(([pid, ms]) => ms - (before.connections.get(pid) ?? 0));
  return { database: database.reduce((sum, ms) => sum + ms, 0), node: after.node - before.node };
}
