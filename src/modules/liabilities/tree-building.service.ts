import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Snapshots, type Snapshot } from '../../database/snapshots.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { Day } from '../../common/days.js';
import { newId } from '../../common/ids.js';
import { NONCE_BYTES } from '../proofs/domain/sum-tree.js';
import { DayClosingRepository, type NewChunk } from './day-closing.repository.js';
import { GROUP_SIZE, GroupedSumTree } from './domain/grouped-sum-tree.js';
import { encodeLeaves, shuffledPlace, type UserLeaf, userLeaf } from './domain/leaf-chunk.js';
import { LIABILITY_ASSETS, type LiabilityAsset } from './liabilities.constants.js';
import type { BuiltTree, PastAmounts } from './liabilities.types.js';
import { PastAmountsRepository } from './past-amounts.repository.js';

const SHUFFLE_KEY_BYTES = 32;

/** Builds the trees of a day and writes their chunks, in flat memory for any number of users. */
@Injectable()
export class TreeBuildingService {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly unitOfWork: UnitOfWork,
    private readonly amounts: PastAmountsRepository,
    private readonly repository: DayClosingRepository,
  ) {}

  /** A tree in USDC, and one in each other asset that users own at the end of the day. Undefined if `stopping` is aborted. */
  async buildTrees(day: Day, stopping: AbortSignal): Promise<BuiltTree[] | undefined> {
    return this.snapshots.readWithoutTimeouts(async (snapshot) => {
      const trees: BuiltTree[] = [];
      for (const asset of LIABILITY_ASSETS) {
        if (asset !== 'USDC' && !(await this.amounts.isOwed(snapshot, day, asset))) continue;
        const tree = await this.buildTree(snapshot, day, asset, stopping);
        if (!tree) return undefined;
        trees.push(tree);
      }
      return trees;
    });
  }

  private async buildTree(
    snapshot: Snapshot,
    day: Day,
    asset: LiabilityAsset,
    stopping: AbortSignal,
  ): Promise<BuiltTree | undefined> {
    const id = newId();
    const shuffleKey = randomBytes(SHUFFLE_KEY_BYTES);
    const tree = new GroupedSumTree();
    let number = 0;
    for await (const rows of this.amounts.streamAmounts(snapshot, day, asset, shuffleKey)) {
      if (stopping.aborted) return undefined;
      const chunks: NewChunk[] = [];
      const nonces = randomBytes(rows.length * NONCE_BYTES);
      for (let first = 0; first < rows.length; first += GROUP_SIZE) {
        const leaves = rows
          .slice(first, first + GROUP_SIZE)
          .map((row, place) => newLeaf(row, nonceAt(nonces, first + place)));
        const firstKey = shuffledPlace(shuffleKey, (leaves[0] as UserLeaf).userId);
        tree.appendLeaves(leaves);
        chunks.push({ number, firstKey, ...encodeLeaves(leaves) });
        number += 1;
      }
      await this.saveChunks(id, chunks, tree);
    }
    const { root, leaves } = tree.finish();
    await this.saveChunks(id, [], tree);
    return { id, asset, root: root.hash, total: root.sum, leaves, shuffleKey };
  }

  private async saveChunks(treeId: string, chunks: readonly NewChunk[], tree: GroupedSumTree): Promise<void> {
    const groups = tree.takeCompleteGroups();
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      if (chunks.length > 0) await this.repository.insertChunks(tx, treeId, chunks);
      if (groups.length > 0) await this.repository.insertNodeGroups(tx, treeId, groups);
    });
  }
}

function nonceAt(nonces: Buffer, place: number): Buffer {
  return nonces.subarray(place * NONCE_BYTES, (place + 1) * NONCE_BYTES);
}

function newLeaf({ userId, ...amounts }: PastAmounts, nonce: Buffer): UserLeaf {
  return userLeaf(userId, nonce, {
    available: BigInt(amounts.available),
    reserved: BigInt(amounts.reserved),
    invested: BigInt(amounts.invested),
    held: BigInt(amounts.held),
  });
}
