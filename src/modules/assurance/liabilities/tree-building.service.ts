import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Snapshots, type Snapshot } from '../../../database/snapshots.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { Day } from '../../../common/days.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { fromSmallestParts, NONCE_BYTES, scaleOf } from '../proofs/domain/sum-tree.js';
import { LIABILITY_ASSETS, type LiabilityAsset, type PlaceBalance } from './domain/asset-lines.js';
import {
  COMPONENTS,
  encodeLeaves,
  GROUP_SIZE,
  GroupedSumTree,
  sortKeyOf,
  type UserLeaf,
  userLeaf,
} from './domain/grouped-sum-tree.js';
import type { LiabilityChunk } from './entities/liability-day.entity.js';
import { type BuiltTree, LiabilitiesRepository } from './liabilities.repository.js';
import { type PastAmounts, PastAmountsRepository } from './past-amounts.repository.js';

const SHUFFLE_KEY_BYTES = 32;

/** The trees and the balances of a day, read from one snapshot. */
interface BuiltDay {
  readonly trees: readonly BuiltTree[];
  readonly places: readonly PlaceBalance[];
}

/**
 * Builds the trees of a day and writes their chunks, with constant memory for any number of users. After each group of
 * 256 leaves the process serves waiting requests.
 */
@Injectable()
export class TreeBuildingService {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly unitOfWork: UnitOfWork,
    private readonly amounts: PastAmountsRepository,
    private readonly repository: LiabilitiesRepository,
  ) {}

  /**
   * Builds a tree in USDC and in each other asset that users own at the end of the day, and reads the balances of the places
   * where the assets are, all from one snapshot. Undefined if `stopping` is aborted. Throws if an amount is below zero, if a NAV
   * of units that users hold is missing, or if the trees have less than the ledger owes.
   */
  async buildDay(day: Day, stopping: AbortSignal): Promise<BuiltDay | undefined> {
    return this.snapshots.readWithoutTimeouts(async (snapshot) => {
      const withoutNav = await this.amounts.findStrategiesWithoutNav(snapshot, day);
      if (withoutNav.length > 0)
        throw new Error(
          `Users hold units of strategies without a value of ${day}: ${withoutNav.join(', ')}.`,
        );
      const places = await this.amounts.findPlaceBalances(snapshot, day);
      const trees: BuiltTree[] = [];
      for (const asset of LIABILITY_ASSETS) {
        if (asset !== 'USDC' && !(await this.amounts.isOwed(snapshot, day, asset))) continue;
        const tree = await this.buildTree(snapshot, day, asset, stopping);
        if (!tree) return undefined;
        trees.push(tree);
      }
      requireAllOwed(trees, await this.amounts.findOwed(snapshot, day), day);
      return { trees, places };
    });
  }

  /** Builds one tree: hashes each batch of users while the previous batch is written. Undefined if `stopping` is aborted. */
  private async buildTree(
    snapshot: Snapshot,
    day: Day,
    asset: LiabilityAsset,
    stopping: AbortSignal,
  ): Promise<BuiltTree | undefined> {
    const id = newId();
    const shuffleKey = randomBytes(SHUFFLE_KEY_BYTES);
    const tree = new GroupedSumTree();
    let chunkNumber = 0;
    let saving: Promise<void> = Promise.resolve();
    for await (const rows of this.amounts.streamAmounts(snapshot, day, asset, shuffleKey)) {
      if (stopping.aborted) {
        await saving;
        return undefined;
      }
      requireNoneBelowZero(rows, `${day} in ${asset}`);
      const chunks: LiabilityChunk[] = [];
      const nonces = randomBytes(rows.length * NONCE_BYTES);
      for (let first = 0; first < rows.length; first += GROUP_SIZE) {
        const leaves = rows
          .slice(first, first + GROUP_SIZE)
          .map((row, index) => newLeaf(row, nonceAt(nonces, first + index)));
        const firstKey = sortKeyOf(shuffleKey, (leaves[0] as UserLeaf).userId);
        tree.appendLeaves(leaves);
        chunks.push({ treeId: id, number: chunkNumber, firstKey, ...encodeLeaves(leaves) });
        chunkNumber += 1;
        await yieldToRequests();
      }
      await saving;
      saving = this.saveChunksAndNodes(id, chunks, tree); // while the next batch is read and hashed
      saving.catch(() => undefined); // the next `await saving` throws the error
    }
    await saving;
    while (tree.appendPadding()) await yieldToRequests();
    const { root, leaves } = tree.finish();
    await this.saveChunksAndNodes(id, [], tree);
    return { id, asset, root: root.hash, total: root.sum, leaves, shuffleKey };
  }

  /** Writes the chunks and the groups of nodes that `tree` has completed since the last call, in one transaction. */
  private async saveChunksAndNodes(
    treeId: string,
    chunks: readonly LiabilityChunk[],
    tree: GroupedSumTree,
  ): Promise<void> {
    const groups = tree.takeCompleteGroups();
    await this.unitOfWork.runInNewTransaction((tx) => {
      this.repository.insertChunks(tx, chunks);
      this.repository.insertNodeGroups(tx, treeId, groups);
      return Promise.resolve();
    });
  }
}

/** Throws for a negative amount: counting it as zero would hide that entries were changed. */
function requireNoneBelowZero(rows: readonly PastAmounts[], dayAndAsset: string): void {
  for (const row of rows) {
    const component = COMPONENTS.find((name) => row[name].startsWith('-'));
    if (component)
      throw new Error(
        `Amounts of ${dayAndAsset} are below zero: ${component} of user ${row.userId}. Run the integrity check.`,
      );
  }
}

/** Throws if a tree has less than the ledger owes: the total of a day would hide that a record was changed. */
function requireAllOwed(trees: readonly BuiltTree[], owed: ReadonlyMap<string, Money>, day: Day): void {
  for (const asset of LIABILITY_ASSETS) {
    const ledger = owed.get(asset) ?? Money.ZERO;
    const total = trees.find((tree) => tree.asset === asset)?.total ?? 0n;
    const published = Money.of(fromSmallestParts(total, scaleOf(asset)));
    if (published.isLessThan(ledger))
      throw new Error(
        `The liabilities of ${day} in ${asset} are ${published.toString()}, and the ledger owes ${ledger.toString()}. Run the integrity check.`,
      );
  }
}

function nonceAt(nonces: Buffer, index: number): Buffer {
  return nonces.subarray(index * NONCE_BYTES, (index + 1) * NONCE_BYTES);
}

function newLeaf({ userId, ...amounts }: PastAmounts, nonce: Buffer): UserLeaf {
  return userLeaf(userId, nonce, {
    available: BigInt(amounts.available),
    reserved: BigInt(amounts.reserved),
    invested: BigInt(amounts.invested),
    held: BigInt(amounts.held),
  });
}
