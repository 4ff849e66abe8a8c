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

/** The highest number of all reached horizons, or null. $1 and $2: `WaitingHorizons.parameters`. */
export const REACHED_SEQUENCE_SQL = `(
  select max(horizon.sequence) from unnest($1::bigint[], $2::xid8[]) as horizon(sequence, xid)
   where horizon.xid <= pg_snapshot_xmin(pg_current_snapshot()))`;

/** The id below which every transaction has ended, for `removeReached`. */
export const OLDEST_XID_SQL = 'pg_snapshot_xmin(pg_current_snapshot())::text';

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

  /** The number of the newest horizon; 0 without one. */
  get lastSequence(): string {
    return this.horizons.at(-1)?.sequence ?? '0';
  }

  /** The numbers and the transaction ids, for `REACHED_SEQUENCE_SQL`. */
  get parameters(): [string[], string[]] {
    return [this.horizons.map(({ sequence }) => sequence), this.horizons.map(({ xid }) => xid)];
  }

  addHorizon(horizon: CommitHorizon): void {
    if (!this.isFull) this.horizons.push(horizon);
  }

  /** Removes the horizons that are reached when every transaction with an id below `oldestXid` has ended. */
  removeReached(oldestXid: string): void {
    this.horizons = this.horizons.filter(({ xid }) => BigInt(xid) > BigInt(oldestXid));
  }
}
