/** Statements that wait for a lock in the database that is asked: its server has others, of tests that run meanwhile. */
export const LOCK_WAITS = `
  select pid, query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
