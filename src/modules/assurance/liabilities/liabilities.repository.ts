import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../../../common/clock.js';
import type { Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { findRow, findRows, insertRow } from '../../../database/entity-rows.js';
import { PREPARED } from '../../../database/prepared.js';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { findOldestXid } from '../../../events/commit-horizons.js';
import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import { FIRST_CHECKPOINT_DAY, SEALED_ENTRY_ID, TAKES_LEAVES } from '../proofs/log.repository.js';
import { LIABILITY_ASSETS, type AssetLine, type LiabilityAsset } from './domain/asset-lines.js';
import { encodeNodes, type GroupPlace, type NodeGroup } from './domain/grouped-sum-tree.js';
import {
  LiabilityChunk,
  LiabilityDay,
  LiabilityNodes,
  LiabilityTree,
} from './entities/liability-day.entity.js';

/**
 * A day is closed at the earliest this number of seconds after its end, by the database's clock. By then every transaction whose
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

const OF_DAY = 'where asset = $2 and day = coalesce($1::date, (select max(day) from liability_day))';
const OF_GROUPS = `
  where tree_id = $1 and (level, number) in (select * from unnest($2::smallint[], $3::integer[])) order by level`;

/** A sum tree whose chunks and nodes are written. It is published with its day. */
export interface BuiltTree {
  readonly id: string;
  readonly asset: LiabilityAsset;
  /** The hash of the root. */
  readonly root: Buffer;
  /** In the smallest part of the asset. */
  readonly total: bigint;
  /** The number of users. */
  readonly leaves: number;
  readonly shuffleKey: Buffer;
}

/** Finds the next day to close. Writes and reads closed days, and deletes leaves of old trees. */
@Injectable()
export class LiabilitiesRepository {
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

  /** The trees of a closed day in the order of LIABILITY_ASSETS; none if the day is not closed. */
  async findTrees(day: Day): Promise<LiabilityTree[]> {
    const trees = await this.dataSource.manager.find(LiabilityTree, { where: { day }, comment: PREPARED });
    return LIABILITY_ASSETS.flatMap((asset) => trees.filter((tree) => tree.asset === asset));
  }

  /** `day`: null for the last closed day. */
  findTree(day: Day | null, asset: LiabilityAsset): Promise<LiabilityTree | undefined> {
    return findRow(this.dataSource.manager, LiabilityTree, OF_DAY, [day, asset]);
  }

  /** The only chunk that can contain the leaf with this sort key. */
  findChunk(treeId: string, sortKey: Buffer): Promise<LiabilityChunk | undefined> {
    const tail = 'where tree_id = $1 and first_key <= $2 order by first_key desc limit 1';
    return findRow(this.dataSource.manager, LiabilityChunk, tail, [treeId, sortKey]);
  }

  /** The groups of nodes that contain the places, in the order of levels. */
  findNodes(treeId: string, places: readonly GroupPlace[]): Promise<LiabilityNodes[]> {
    const levels = places.map(({ level }) => level);
    const numbers = places.map(({ number }) => number);
    return findRows(this.dataSource.manager, LiabilityNodes, OF_GROUPS, [treeId, levels, numbers]);
  }

  async findAssetLines(day: Day): Promise<AssetLine[] | undefined> {
    return (await this.dataSource.manager.findOneBy(LiabilityDay, { day }))?.lines;
  }

  /** The ids of trees of days before `day` whose leaves are not deleted yet, the oldest first. */
  async findTreesWithLeavesBefore(day: Day, limit: number): Promise<string[]> {
    const tail = `where day < $1 and exists (select from liability_chunk where tree_id = liability_tree.id)
                  order by day limit $2`;
    const trees = await findRows(this.dataSource.manager, LiabilityTree, tail, [day, limit]);
    return trees.map(({ id }) => id);
  }

  /** Deletes the chunks of a tree, and its groups of nodes, which only serve paths from leaves. */
  async deleteLeaves(tx: Tx, treeId: string): Promise<void> {
    await tx.delete(LiabilityChunk, { treeId });
    await tx.delete(LiabilityNodes, { treeId });
  }
}
