/**
 * A point in a sequence that rows draw their numbers from. The transactions that have drawn a number up to it have ids below
 * `xid`, if every transaction gets its id before it draws a number. When all of those have ended, the rows up to it are
 * complete: no further one can become visible.
 */
export interface Cut {
  readonly sequence: string;
  readonly xid: string;
}

/** Cuts that wait for transactions; further ones are left out, and later ones cover their rows. */
const MAX_CUTS = 100;

/** Selected by a transaction that may be lost in a crash of the server: its commit does not wait for the disk. */
export const COMMIT_WITHOUT_FLUSH_SQL = `set_config('synchronous_commit', 'off', true)`;

/**
 * Reads the sequence first and takes an id of its own afterwards. No row unless `condition` holds. `last_value` of a new
 * sequence is the number that it will give first. `endsWithSession` is for cuts that are forgotten when the session ends: after a
 * crash, the sequence may give numbers again that were never written to disk.
 */
export function takeCutSql(sequence: string, condition: string, { endsWithSession = false } = {}): string {
  return `
  with last as materialized (
    select case when is_called then last_value else last_value - 1 end as sequence from ${sequence} where ${condition}
  )
  select sequence, pg_current_xact_id()::text as xid${endsWithSession ? `, ${COMMIT_WITHOUT_FLUSH_SQL}` : ''} from last`;
}

/** The highest number up to which rows are complete, or null. $1 and $2: `CommittedCuts.parameters`. */
export const COMPLETE_UP_TO_SQL = `(
  select max(cut.sequence) from unnest($1::bigint[], $2::xid8[]) as cut(sequence, xid)
   where cut.xid <= pg_snapshot_xmin(pg_current_snapshot()))`;

/** The oldest transaction that may still write, to be given to `dropComplete`. */
export const OLDEST_XID_SQL = 'pg_snapshot_xmin(pg_current_snapshot())::text';

/** The cuts of one reader that wait for the end of transactions. */
export class CommittedCuts {
  private cuts: Cut[] = [];

  get areWaiting(): boolean {
    return this.cuts.length > 0;
  }

  /** True if further cuts are left out. */
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

  /** After the rows of all cuts that were complete have been handled. */
  dropComplete(oldestXid: string): void {
    this.cuts = this.cuts.filter(({ xid }) => BigInt(xid) > BigInt(oldestXid));
  }
}
