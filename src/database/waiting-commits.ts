import type { DataSource } from 'typeorm';
import { DomainError } from '../common/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 1;
/** `state_change` is the time at which the statement began; a standby confirms most commits within milliseconds. */
const COUNT_SQL = `
  select count(*)::int as waiting from pg_stat_activity
   where datname = current_database() and wait_event = 'SyncRep' and state_change < clock_timestamp() - interval '1 second'`;

/**
 * Commits of all processes that wait for a standby. With synchronous replication and no standby PostgreSQL answers no commit, ends
 * no such wait, and keeps the session with its locks, also after the connection is closed. Each further write would occupy one more
 * session, so none begins while commits wait. The waits are not cancelled: PostgreSQL would report such a commit as done, though it would
 * be lost with the server.
 */
export class WaitingCommits {
  private static readonly ofAddress = new Map<string, WaitingCommits>();
  private mayExist = false;
  private running: Promise<number> | undefined;

  /** All connections to an address share what they have noticed. */
  static of(address = ''): WaitingCommits {
    const waiting = this.ofAddress.get(address) ?? new WaitingCommits();
    this.ofAddress.set(address, waiting);
    return waiting;
  }

  /** True while commits wait at the database of this data source. */
  static exist(dataSource: DataSource): Promise<boolean> {
    return this.of((dataSource.options as { url?: string }).url).check(dataSource);
  }

  /** Throws SERVICE_UNAVAILABLE while commits wait at the database of this data source. */
  static async requireNone(dataSource: DataSource): Promise<void> {
    if (!(await this.exist(dataSource))) return;
    const message = 'No standby of the database confirms commits, so nothing is written. Try again later.';
    throw new DomainError('SERVICE_UNAVAILABLE', undefined, {
      message,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** A connection was closed because the server has not answered in time. */
  reportSilence(): void {
    this.mayExist = true;
  }

  /** Sends a query only if a connection was silent since the last query that has found no waiting commit. */
  private async check(dataSource: DataSource): Promise<boolean> {
    if (!this.mayExist) return false;
    this.running ??= countWaiting(dataSource).finally(() => (this.running = undefined));
    this.mayExist = (await this.running) > 0;
    return this.mayExist;
  }
}

async function countWaiting(dataSource: DataSource): Promise<number> {
  const [{ waiting }] = await dataSource.query<[{ waiting: number }]>(COUNT_SQL);
  return waiting;
}
