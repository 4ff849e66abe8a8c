import type { EntityManager } from 'typeorm';

// Rows of some tables take a number from a sequence before their transaction commits, so that a row can appear after rows with
// higher numbers. A reader that must not miss such a row reads only up to the number of a reached horizon.

/**
 * A commit horizon: it is reached when every transaction with an id below `xid` has ended. No further row up to the number
 * `sequence` can appear then. This requires that each transaction has its id before it takes a number.
 */
export interface CommitHorizon {
  /** The last number that was taken from the sequence. */
  readonly sequence: string;
  /** The id of the reader's transaction, which was assigned after the number was read. */
  readonly xid: string;
}

/** When so many horizons wait, no further one is added. A later horizon covers the rows in between. */
const MAX_HORIZONS = 100;

/** Selected in a transaction whose commit need not wait for the disk, and which a crash of the server may undo. */
export const COMMIT_WITHOUT_FLUSH_SQL = `set_config('synchronous_commit', 'off', true)`;

/**
 * A statement that reads the last number and then gives its own transaction an id. It returns no row, and takes no id, if
 * `condition` is false. Its commit does not wait for the disk, so the server may give the same numbers and the same id again
 * after a crash. With `survivesCrash` it writes a record to the write-ahead log, and its commit waits until the record is on
 * the disk: for readers that keep their horizons when the connection is lost.
 */
export function takeHorizonSql(sequence: string, condition: string, { survivesCrash = false } = {}): string {
  const record = `pg_logical_emit_message(true, 'commit horizon', '')`;
  // While `is_called` is false, the sequence has not given `last_value` yet.
  return `
  with last as materialized (
    select case when is_called then last_value else last_value - 1 end as sequence
      from ${sequence} where ${condition}
  )
  select sequence, pg_current_xact_id()::text as xid${survivesCrash ? `, ${record}` : ''} from last`;
}

/** The id below which every transaction has ended, in all databases of the server, for `removeReached`. */
export async function findOldestXid(database: Pick<EntityManager, 'query'>): Promise<string> {
  const [row] = await database.query<[{ xid: string }]>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as xid',
  );
  return row.xid;
}

/** SQL of the id below which every transaction has ended. Those with ids in the parameter `ignored` do not count: they draw no numbers. */
export function oldestXidSql(ignored: string): string {
  return `
  (select coalesce(
            (select min(xid) from pg_snapshot_xip(snapshot) as xid where xid <> all(${ignored}::xid8[])),
            pg_snapshot_xmax(snapshot))::text
     from pg_current_snapshot() as snapshot)`;
}

/** The horizons that a reader has taken and has not found reached yet. */
export class WaitingHorizons {
  private horizons: CommitHorizon[] = [];

  get isEmpty(): boolean {
    return this.horizons.length === 0;
  }

  /** True if `addHorizon` would add nothing. */
  get isFull(): boolean {
    return this.horizons.length >= MAX_HORIZONS;
  }

  addHorizon(horizon: CommitHorizon): void {
    if (!this.isFull) this.horizons.push(horizon);
  }

  /**
   * Removes the horizons that are reached when every transaction with an id below `oldestXid` has ended. Returns the highest number
   * of them; 0 without one.
   */
  removeReached(oldestXid: string): number {
    const isReached = ({ xid }: CommitHorizon) => BigInt(xid) <= BigInt(oldestXid);
    const reached = this.horizons.filter(isReached);
    this.horizons = this.horizons.filter((horizon) => !isReached(horizon));
    return Math.max(0, ...reached.map(({ sequence }) => Number(sequence)));
  }
}
