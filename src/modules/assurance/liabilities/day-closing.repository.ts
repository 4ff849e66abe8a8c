import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { insertRow } from '../../../database/entity-rows.js';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { findOldestXid } from '../../../events/commit-horizons.js';
import type { Clock } from '../../../common/clock.js';
import type { Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import { FIRST_CHECKPOINT_DAY, SEALED_ENTRY_ID, TAKES_LEAVES } from '../proofs/log.repository.js';
import { encodeNodes, type NodeGroup } from './domain/grouped-sum-tree.js';
import { LiabilityChunk } from './entities/liability-chunk.entity.js';
import { LiabilityDay } from './entities/liability-day.entity.js';
import { LiabilityNodes } from './entities/liability-nodes.entity.js';
import { LiabilityTree } from './entities/liability-tree.entity.js';
import type { BuiltTree } from './liabilities.types.js';

/**
 * A day is closed at the earliest so many seconds after its end, by the database's clock. By then every transaction whose
 * domain time is on the day has begun to write, because clocks of processes that write differ from the database's by a minute
 * at most (DEC-26).
 */
const SECONDS_AFTER_MIDNIGHT = 60;
/**
 * Until this time after midnight the assets of custody are read from the chain. A day that is closed later uses the ledger's
 * balance at midnight, because the chain by then shows transfers of the next day (DEC-73).
 */
export const READ_CHAIN_WITHIN_SECONDS = 300;

/** SQL: the day after the last closed one, or the day of the log's first checkpoint; null before the log is opened. */
export const NEXT_DAY = `coalesce((select max(day) + 1 from liability_day), ${FIRST_CHECKPOINT_DAY})`;

// The present time: the database's clock plus the offset by which tests and the sandbox move the domain clock.
// $1: the day, $2: the offset in milliseconds.
const NOW = `clock_timestamp() + make_interval(secs => $2::float8 / 1000)`;
const afterMidnight = (seconds: number) =>
  `($1::date + 1)::timestamp at time zone 'UTC' + interval '${seconds} seconds'`;

const TAKE_XID = `
  select pg_current_xact_id()::text as xid where ${NOW} >= ${afterMidnight(SECONDS_AFTER_MIDNIGHT)}`;

const IS_JUST_OVER = `select ${NOW} < ${afterMidnight(READ_CHAIN_WITHIN_SECONDS)} as "isJustOver"`;

/** Finds the next day to close, and writes closed days. */
@Injectable()
export class DayClosingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** `NEXT_DAY`, which may not be over yet. Undefined before the log is opened, and while it is marked as restored (DEC-68). */
  async findNextDay(): Promise<Day | undefined> {
    const sql = `select ${NEXT_DAY} as day where ${TAKES_LEAVES}`;
    const [row] = await this.dataSource.query<{ day: Day | null }[]>(sql);
    return row?.day ?? undefined;
  }

  /** Takes a new transaction id for `haveEarlierTransactionsEnded`. Undefined until SECONDS_AFTER_MIDNIGHT have passed. */
  async takeTransactionId(day: Day, clock: Clock): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ xid: string }[]>(TAKE_XID, [day, clock.offsetMs]);
    return row?.xid;
  }

  /** True within READ_CHAIN_WITHIN_SECONDS after the midnight that ended the day. */
  async isJustOver(day: Day, clock: Clock): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ isJustOver: boolean }]>(IS_JUST_OVER, [day, clock.offsetMs]);
    return row.isJustOver;
  }

  /** True if all transactions with ids below `xid` have ended, in all databases of the server. */
  async haveEarlierTransactionsEnded(xid: string): Promise<boolean> {
    return BigInt(await findOldestXid(this.dataSource)) >= BigInt(xid);
  }

  /**
   * True if every strategy that has NAVs has one of the next day or of a later day: the NAV of the next day is published together
   * with the growth of this day. Reads a table of the module strategies.
   */
  async areNavsPublished(day: Day): Promise<boolean> {
    const missing = await this.dataSource.query<unknown[]>(
      `select strategy_id from strategy_nav group by strategy_id having max(day) <= $1 limit 1`,
      [day],
    );
    return missing.length === 0;
  }

  /** True if the log has all transactions up to the end of the day. Reads a table of the module ledger. */
  async isSealed(day: Day): Promise<boolean> {
    const unsealed = await this.dataSource.query<unknown[]>(
      `select from ledger_entry where id > ${SEALED_ENTRY_ID} and effective_at < ${afterMidnight(0)} limit 1`,
      [day],
    );
    return unsealed.length === 0;
  }

  insertChunks(tx: Tx, chunks: readonly LiabilityChunk[]): void {
    for (const chunk of chunks) insertRow(tx, LiabilityChunk, chunk);
  }

  insertNodeGroups(tx: Tx, treeId: string, groups: readonly NodeGroup[]): void {
    for (const { nodes, ...place } of groups)
      insertRow(tx, LiabilityNodes, { ...place, treeId, nodes: encodeNodes(nodes) });
  }

  /** Locks the closing of days until the transaction ends. Returns true if the day is not closed yet. */
  async lockOpenDay(tx: Tx, day: Day): Promise<boolean> {
    await lockName(tx, 'liabilities');
    return !(await tx.existsBy(LiabilityDay, { day }));
  }

  countChunks(tx: Tx, treeId: string): Promise<number> {
    return tx.countBy(LiabilityChunk, { treeId });
  }

  /**
   * Deletes chunks and nodes of unpublished trees. The caller holds the lock of `lockOpenDay`. Another process may still build
   * such a tree. It writes nodes with or after the chunks below them; nodes are therefore deleted first, so that a tree that
   * has lost nodes has also lost chunks, which `countChunks` reveals.
   */
  async deleteUnfinishedTrees(tx: Tx): Promise<void> {
    for (const table of ['liability_nodes', 'liability_chunk'])
      await tx.query(
        `delete from ${table} as part where not exists (select from liability_tree where id = part.tree_id)`,
      );
  }

  insertDay(tx: Tx, day: LiabilityDay): void {
    insertRow(tx, LiabilityDay, day);
  }

  /** `leafIndex`: the index of the first tree's leaf in the log; the leaves of the other trees follow it. */
  insertTrees(tx: Tx, day: Day, trees: readonly BuiltTree[], leafIndex: number): void {
    for (const [index, { total, ...tree }] of trees.entries())
      insertRow(tx, LiabilityTree, {
        ...tree,
        day,
        total: Money.of(fromSmallestParts(total, scaleOf(tree.asset))),
        leafIndex: leafIndex + index,
      });
  }
}
