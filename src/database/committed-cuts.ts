/**
 * Rows of some tables take their numbers from a sequence, and a transaction that has not ended yet may still add a row with a
 * low number. A cut is the last number that was taken, and the id of a transaction that began to write afterwards. When every
 * transaction with a lower id has ended, no further row up to that number can appear: the cut is complete. This requires that
 * each transaction has its id before it takes a number.
 */
export interface Cut {
  /** The last number that was taken from the sequence. */
  readonly sequence: string;
  /** The id of a transaction that began to write afterwards. */
  readonly xid: string;
}

/** When so many cuts wait, no cut is added. A cut that is taken later covers the rows in between. */
const MAX_CUTS = 100;

/** Selected in a transaction whose commit need not wait for the disk, and may be lost in a crash of the server. */
export const COMMIT_WITHOUT_FLUSH_SQL = `set_config('synchronous_commit', 'off', true)`;

/**
 * A statement that reads the last number and then gives its own transaction an id. It returns no row, and takes no id, if
 * `condition` is false. If `is_called` is false, no number was taken yet. With `withoutFlush` the commit does not wait for the
 * disk: only for cuts that are forgotten when the session ends, since the sequence may give numbers again after a crash.
 */
export function takeCutSql(sequence: string, condition: string, { withoutFlush = false } = {}): string {
  return `
  with last as materialized (
    select case when is_called then last_value else last_value - 1 end as sequence
      from ${sequence} where ${condition}
  )
  select sequence, pg_current_xact_id()::text as xid${withoutFlush ? `, ${COMMIT_WITHOUT_FLUSH_SQL}` : ''}
    from last`;
}

/** The highest number up to which rows are complete, or null. $1 and $2: `WaitingCuts.parameters`. */
export const COMPLETE_UP_TO_SQL = `(
  select max(cut.sequence) from unnest($1::bigint[], $2::xid8[]) as cut(sequence, xid)
   where cut.xid <= pg_snapshot_xmin(pg_current_snapshot()))`;

/** The oldest transaction that may still write, to be given to `dropComplete`. */
export const OLDEST_XID_SQL = 'pg_snapshot_xmin(pg_current_snapshot())::text';

/** The cuts of one reader that are not complete yet. */
export class WaitingCuts {
  private cuts: Cut[] = [];

  get areWaiting(): boolean {
    return this.cuts.length > 0;
  }

  /** True if `addCut` would add nothing. */
  get areFull(): boolean {
    return this.cuts.length >= MAX_CUTS;
  }

  get lastSequence(): string {
    return this.cuts.at(-1)?.sequence ?? '0';
  }

  get parameters(): [string[], string[]] {
    return [this.cuts.map(({ sequence }) => sequence), this.cuts.map(({ xid }) => xid)];
  }

  addCut(cut: Cut): void {
    if (!this.areFull) this.cuts.push(cut);
  }

  /** Removes the complete cuts, after the caller has handled their rows. */
  dropComplete(oldestXid: string): void {
    this.cuts = this.cuts.filter(({ xid }) => BigInt(xid) > BigInt(oldestXid));
  }
}
