/**
 * Selects the statements that wait for a lock in the current database; concurrent tests use other databases. It omits the statements
 * of the consumers of events, which write notifications at any time after the request that caused them.
 */
export const LOCK_WAITS = `
  select pid, query from pg_stat_activity as session
   where datname = current_database() and wait_event_type = 'Lock'
     and not exists (select from pg_locks
                      where pg_locks.pid = session.pid and granted and mode = 'RowShareLock'
                        and database = session.datid and relation = to_regclass('event_consumer'))`;
