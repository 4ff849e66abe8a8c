import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { EncodedLeaves } from './domain/leaf-chunk.js';
import type { GroupPlace } from './domain/grouped-sum-tree.js';
import {
  type AssetLine,
  LIABILITY_ASSETS,
  type LiabilityAsset,
  type PublishedTree,
} from './liabilities.types.js';

type TreeRow = Omit<PublishedTree, 'total'> & { readonly total: string };

export interface StoredChunk extends EncodedLeaves {
  readonly number: number;
}

export interface StoredNodes {
  readonly level: number;
  readonly number: number;
  readonly nodes: Buffer;
}

// `float8`: the driver returns a bigint as text.
const TREE = `id, day, asset, root, trim_scale(total)::text as total, leaves, shuffle_key as "shuffleKey",
  leaf_index::float8 as "leafIndex"`;

const FIND_TREES = prepared(`
  select ${TREE} from liability_tree where day = $1 order by array_position($2::text[], asset)`);

const FIND_TREE = prepared(`
  select ${TREE} from liability_tree
   where asset = $2 and day = coalesce($1::date, (select max(day) from liability_day))`);

const FIND_CHUNK = prepared(`
  select number, identities, amounts from liability_chunk
   where tree_id = $1 and first_key <= $2 order by first_key desc limit 1`);

const FIND_NODES = prepared(`
  select level, number, nodes from liability_nodes
   where tree_id = $1 and (level, number) in (select * from unnest($2::smallint[], $3::integer[])) order by level`);

/** Reads closed days, and deletes leaves of old trees. */
@Injectable()
export class LiabilityTreesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The trees of a closed day in the order of LIABILITY_ASSETS; none if the day is not closed. */
  async findTrees(day: Day): Promise<PublishedTree[]> {
    const rows = await this.dataSource.query<TreeRow[]>(FIND_TREES, [day, LIABILITY_ASSETS]);
    return rows.map(toTree);
  }

  /** `day`: null for the last closed day. */
  async findTree(day: Day | null, asset: LiabilityAsset): Promise<PublishedTree | undefined> {
    const [row] = await this.dataSource.query<TreeRow[]>(FIND_TREE, [day, asset]);
    return row && toTree(row);
  }

  /** The only chunk that can contain the leaf with this sort key. */
  async findChunk(treeId: string, sortKey: Buffer): Promise<StoredChunk | undefined> {
    const [row] = await this.dataSource.query<StoredChunk[]>(FIND_CHUNK, [treeId, sortKey]);
    return row;
  }

  /** The groups of nodes that contain the places, in the order of levels. */
  findNodes(treeId: string, places: readonly GroupPlace[]): Promise<StoredNodes[]> {
    return this.dataSource.query(FIND_NODES, [
      treeId,
      places.map(({ level }) => level),
      places.map(({ number }) => number),
    ]);
  }

  async findAssetLines(day: Day): Promise<AssetLine[] | undefined> {
    const [row] = await this.dataSource.query<{ lines: AssetLine[] }[]>(
      prepared('select lines from liability_day where day = $1'),
      [day],
    );
    return row?.lines;
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
    await tx.query('delete from liability_chunk where tree_id = $1', [treeId]);
    await tx.query('delete from liability_nodes where tree_id = $1', [treeId]);
  }
}

function toTree(row: TreeRow): PublishedTree {
  return { ...row, total: Money.of(row.total) };
}
