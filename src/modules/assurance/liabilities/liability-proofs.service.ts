import { Injectable } from '@nestjs/common';
import type { Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { type InclusionPath, LogProofsService } from '../proofs/log-proofs.service.js';
import { type SumSibling, sumTreeSize } from '../proofs/domain/sum-tree.js';
import { type AssetLine, type AssetTotal, assetTotals, type LiabilityAsset } from './domain/asset-lines.js';
import {
  decodeLeaves,
  decodeNodes,
  GROUP_SIZE,
  groupsAbove,
  leafGroup,
  pathInGroup,
  sortKeyOf,
  type UserLeaf,
} from './domain/grouped-sum-tree.js';
import type { LiabilityChunk, LiabilityTree } from './entities/liability-day.entity.js';
import { LiabilitiesRepository } from './liabilities.repository.js';

/** The tree of a closed day and an asset, with the proof that its root is in the log. */
export interface PublishedLiabilities {
  readonly tree: LiabilityTree;
  /** The number of leaves with padding. */
  readonly size: number;
  readonly inclusion: InclusionPath;
}

/** A user's leaf, with the path from it to the root of its tree. */
export interface UserLiability {
  readonly tree: LiabilityTree;
  /** The index of the leaf in the tree. */
  readonly index: number;
  readonly leaf: UserLeaf;
  readonly path: readonly SumSibling[];
}

interface DayAssets {
  readonly day: Day;
  readonly lines: readonly AssetLine[];
  readonly totals: readonly AssetTotal[];
}

/** Proofs about closed days. A path is read from one chunk and some groups of nodes, however many users there are. */
@Injectable()
export class LiabilityProofsService {
  constructor(
    private readonly repository: LiabilitiesRepository,
    private readonly proofs: LogProofsService,
  ) {}

  /** The trees of a day with proofs that their roots and totals are in the log. Throws PROOF_NOT_FOUND. */
  async getLiabilities(day: Day): Promise<PublishedLiabilities[]> {
    const trees = await this.repository.findTrees(day);
    if (trees.length === 0) throwError('PROOF_NOT_FOUND');
    const paths = await this.proofs.proveInclusion(trees.map(({ leafIndex }) => leafIndex));
    return trees.map((tree, index) => ({
      tree,
      size: sumTreeSize(tree.leaves),
      inclusion: paths[index] as InclusionPath,
    }));
  }

  /** The user's leaf and path on a day, or on the last closed day if `day` is null. Throws PROOF_NOT_FOUND. */
  async getUserLiability(userId: string, day: Day | null, asset: LiabilityAsset): Promise<UserLiability> {
    const tree = (await this.repository.findTree(day, asset)) ?? throwError('PROOF_NOT_FOUND');
    const chunk =
      (await this.repository.findChunk(tree.id, sortKeyOf(tree.shuffleKey, userId))) ??
      throwError('PROOF_NOT_FOUND');
    const leaves = decodeLeaves(chunk);
    const indexInChunk = leaves.findIndex((leaf) => leaf.userId === userId);
    const leaf = leaves[indexInChunk] ?? throwError('PROOF_NOT_FOUND');
    const index = chunk.number * GROUP_SIZE + indexInChunk;
    return { tree, index, leaf, path: await this.readPath(tree, chunk, leaves, indexInChunk) };
  }

  /** Where the assets of a day are, and how much of the liabilities they cover. Throws PROOF_NOT_FOUND. */
  async getAssets(day: Day): Promise<DayAssets> {
    const lines = (await this.repository.findAssetLines(day)) ?? throwError('PROOF_NOT_FOUND');
    return { day, lines, totals: assetTotals(lines, await this.repository.findTrees(day)) };
  }

  private async readPath(
    tree: LiabilityTree,
    { number }: LiabilityChunk,
    leaves: readonly UserLeaf[],
    indexInChunk: number,
  ): Promise<SumSibling[]> {
    const size = sumTreeSize(tree.leaves);
    const first = number * GROUP_SIZE;
    const groups = groupsAbove(first + indexInChunk, size);
    const stored = groups.length > 0 ? await this.repository.findNodes(tree.id, groups) : [];
    const pathsAbove = groups.map((group) => {
      const nodes = stored.find(({ level }) => level === group.level)?.nodes;
      // The retention job may have deleted the leaves since the chunk was read.
      return pathInGroup(decodeNodes(nodes ?? throwError('PROOF_NOT_FOUND')), group.place).path;
    });
    return [...pathInGroup(leafGroup(first, leaves, size), indexInChunk).path, ...pathsAbove.flat()];
  }
}
