// CPU time of processes (Linux only).
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const MS_PER_TICK = 10; // USER_HZ is 100 per second on all usual systems
/** Places of fields of /proc/<pid>/stat, counted from the state of the process, which is 0. */
const PARENT = 1;
const OWN_TIMES = [11, 12]; // user and system
const TIMES_OF_ENDED_CHILDREN = [13, 14];

const millisecondsIn = (fields, places) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0) * MS_PER_TICK, 0);

const millisecondsOf = (pid) => millisecondsIn(fieldsOf(pid), OWN_TIMES);

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

const STEAL = 7; // place among the times in the first line of /proc/stat, of which user time is 0

/** Returns a function that returns the share of processor time since this call that the hypervisor gave to other machines. */
export function measureSteal() {
  const read = () => {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).slice(1, 9).map(Number);
    return { stolen: ticks[STEAL], all: ticks.reduce((sum, count) => sum + count, 0) };
  };
  const before = read();
  return () => {
    const after = read();
    return (after.stolen - before.stolen) / (after.all - before.all);
  };
}

/** The CPU milliseconds between two results of `processorTime`, of all database connections together and of the process. */
export function usedBetween(before, after) {
  const database = [...after.connections].map(([pid, ms]) => ms - (before.connections.get(pid) ?? 0));
  return { database: database.reduce((sum, ms) => sum + ms, 0), node: after.node - before.node };
}

/** CPU milliseconds so far of a PostgreSQL server on this machine, including its processes that have ended. */
export async function serverTime(postgresUrl) {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const server = fieldsOf(rows[0].pid)[PARENT];
  const running = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && fieldsOf(pid)[PARENT] === server);
  await client.end();
  const ended = millisecondsIn(fieldsOf(server), TIMES_OF_ENDED_CHILDREN);
  return [server, ...running].reduce((sum, pid) => sum + millisecondsOf(pid), ended);
}

/** The fields of /proc/<pid>/stat from the state of the process on; empty if the process does not exist. */
function fieldsOf(pid) {
  const file = `/proc/${pid}/stat`;
  try {
    return readFileSync(file, 'utf8').split(') ')[1].split(' ');
  } catch {
    return [];
  }
}
