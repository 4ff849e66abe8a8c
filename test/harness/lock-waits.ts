/** Selects the statements that wait for a lock in the current database; concurrent tests use other databases. */
export const LOCK_WAITS = `
  select pid, query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
