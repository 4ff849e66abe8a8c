import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findRow } from '../../../database/entity-rows.js';
import { PREPARED, prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Day } from '../../../common/days.js';
import type { GroupPlace } from './domain/grouped-sum-tree.js';
import { LiabilityChunk } from './entities/liability-chunk.entity.js';
import { LiabilityDay } from './entities/liability-day.entity.js';
import { LiabilityNodes } from './entities/liability-nodes.entity.js';
import { LiabilityTree } from './entities/liability-tree.entity.js';
import { LIABILITY_ASSETS, type AssetLine, type LiabilityAsset } from './liabilities.types.js';

const OF_DAY = 'where asset = $2 and day = coalesce($1::date, (select max(day) from liability_day))';

const FIND_NODES = prepared(`
  select level, number, nodes from liability_nodes
   where tree_id = $1 and (level, number) in (select * from unnest($2::smallint[], $3::integer[])) order by level`);

/** Reads closed days, and deletes leaves of old trees. */
@Injectable()
export class LiabilityTreesRepository {
  constructor(private readonly dataSource: DataSource) {}

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
  findNodes(treeId: string, places: readonly GroupPlace[]): Promise<Omit<LiabilityNodes, 'treeId'>[]> {
    return this.dataSource.query(FIND_NODES, [
      treeId,
      places.map(({ level }) => level),
      places.map(({ number }) => number),
    ]);
  }

  async findAssetLines(day: Day): Promise<AssetLine[] | undefined> {
    return (await this.dataSource.manager.findOneBy(LiabilityDay, { day }))?.lines;
  }

  /** The ids of trees of days before `day` whose leaves are not deleted yet, the oldest first. */
  async findTreesWithLeavesBefore(day: Day, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from liability_tree
        where day < $1 and exists (select from liability_chunk where tree_id = liability_tree.id)
        order by day limit $2`,
      [day, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes the chunks of a tree, and its groups of nodes, which only serve paths from leaves. */
  async deleteLeaves(tx: Tx, treeId: string): Promise<void> {
    await tx.delete(LiabilityChunk, { treeId });
    await tx.delete(LiabilityNodes, { treeId });
  }
}
