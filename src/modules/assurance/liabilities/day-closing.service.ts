import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Money } from '../../../common/money.js';
import { AppConfig } from '../../../config/app-config.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import { Clock } from '../../../common/clock.js';
import type { Day } from '../../../common/days.js';
import { liabilitiesLeafText } from '../proofs/domain/log-leaf.js';
import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import { SealingService } from '../proofs/sealing.service.js';
import { addBookLines, type AssetLine } from './domain/asset-lines.js';
import { GROUP_SIZE } from './domain/grouped-sum-tree.js';
import { type BuiltTree, LiabilitiesRepository } from './liabilities.repository.js';
import { TreeBuildingService } from './tree-building.service.js';

/** Days that one run closes at most; the next run continues. */
const MAX_DAYS_PER_RUN = 31;
/** How long a run waits for earlier transactions to end. The next run tries again. */
const MAX_WAIT_MS = 2000;
/** The interval at which a waiting run checks whether earlier transactions have ended. */
const WAIT_STEP_MS = 25;

/** Closes days: builds the trees of liabilities and appends their roots to the log. */
@Injectable()
export class DayClosingService {
  /** The day that is being closed. It is complete when all transactions with ids below `xid` have ended. */
  private closing: { readonly day: Day; readonly xid: string } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly chain: ChainClient,
    private readonly trees: TreeBuildingService,
    private readonly sealing: SealingService,
    private readonly repository: LiabilitiesRepository,
  ) {}

  /** Closes due days, the oldest first, and returns their number. Throws as `buildDay` does, and BLOCKCHAIN_ERROR. */
  async closeDueDays(stopping: AbortSignal): Promise<number> {
    let closed = 0;
    while (closed < MAX_DAYS_PER_RUN && !stopping.aborted) {
      const day = await this.repository.findNextDay();
      if (day === undefined || !(await this.isComplete(day, stopping))) break;
      // The day waits for NAVs that are still to be published; `buildDay` throws if one is missing although later ones exist.
      if (!(await this.repository.areNavsPublished(day))) break;
      if (!(await this.closeDay(day, stopping))) break;
      closed += 1;
    }
    return closed;
  }

  /** True if no transaction can add to the day any more. Waits up to MAX_WAIT_MS for earlier transactions to end. */
  private async isComplete(day: Day, stopping: AbortSignal): Promise<boolean> {
    if (this.closing?.day !== day) {
      const xid = await this.repository.takeTransactionId(day, this.clock);
      if (xid === undefined) return false;
      this.closing = { day, xid };
    }
    for (let waited = 0; ; waited += WAIT_STEP_MS) {
      if (await this.repository.haveEarlierTransactionsEnded(this.closing.xid)) return true;
      if (waited >= MAX_WAIT_MS || stopping.aborted) return false;
      await sleep(WAIT_STEP_MS);
    }
  }

  /**
   * Builds and publishes a day. In the log the transactions of the day precede its totals, so that every transaction after the totals
   * is of a later day. False if another process has closed the day, `stopping` is aborted, or a transaction of the day cannot be
   * sealed yet.
   */
  private async closeDay(day: Day, stopping: AbortSignal): Promise<boolean> {
    await this.sealing.sealCommittedTransactions(stopping);
    if (!(await this.repository.isSealed(day))) return false;
    const isOpen = await this.unitOfWork.runInNewTransaction(async (tx) => {
      if (!(await this.repository.lockOpenDay(tx, day))) return false;
      await this.repository.deleteUnfinishedTrees(tx);
      return true;
    });
    if (!isOpen) return false;
    // On a day that is closed late, money that has moved to custody since midnight would count twice: on the chain, and in
    // the ledger's balance of the deposit provider at midnight.
    const isJustOver = await this.repository.isJustOver(day, this.clock);
    const onChain = isJustOver ? await this.listOnChain() : [];
    const built = await this.trees.buildDay(day, stopping);
    if (!built) return false;
    const lines = addBookLines(onChain, built.places);
    return this.unitOfWork.runInNewTransaction((tx) => this.publishDay(tx, day, lines, built.trees));
  }

  /**
   * The USDC at custody's addresses in the newest block, one line for each address. Custody holds USDC; the ether at its
   * addresses only pays for transactions. Throws BLOCKCHAIN_ERROR.
   */
  private async listOnChain(): Promise<AssetLine[]> {
    const { CUSTODY_ADDRESS, CUSTODY_ADDRESSES } = this.config;
    const configured = [CUSTODY_ADDRESS, ...CUSTODY_ADDRESSES].filter((address) => address !== undefined);
    const addresses = [...new Set(configured)];
    if (addresses.length === 0) return [];
    const block = await this.chain.newestBlock();
    const balances = await this.chain.balances(addresses, block);
    return addresses.map((address, index) => ({
      place: 'custody',
      asset: 'USDC',
      amount: (balances[index]?.usdc ?? Money.ZERO).toExact(),
      source: 'chain',
      block,
      address,
    }));
  }

  /** Writes the day in one short transaction, so that a restart leaves either the whole day or nothing of it. */
  private async publishDay(
    tx: Tx,
    day: Day,
    lines: readonly AssetLine[],
    trees: readonly BuiltTree[],
  ): Promise<boolean> {
    if (!(await this.repository.lockOpenDay(tx, day))) return false;
    for (const { id, asset, leaves } of trees)
      if ((await this.repository.countChunks(tx, id)) !== Math.ceil(leaves / GROUP_SIZE))
        throw new Error(`Chunks of the tree of ${day} in ${asset} were deleted by another closing.`);
    const texts = trees.map((tree) => leafTextOfTree(day, tree)) as [string, ...string[]];
    this.repository.insertDay(tx, { day, closedAt: this.clock.now(), lines: [...lines] });
    const leafIndex = await this.sealing.appendTextLeaves(tx, texts);
    this.repository.insertTrees(tx, day, trees, leafIndex);
    await this.sealing.publishDayCheckpoint(tx, day);
    return true;
  }
}

function leafTextOfTree(day: Day, { asset, root, total, leaves }: BuiltTree): string {
  return liabilitiesLeafText({
    day,
    asset,
    leaves,
    root: root.toString('base64'),
    total: fromSmallestParts(total, scaleOf(asset)),
  });
}
