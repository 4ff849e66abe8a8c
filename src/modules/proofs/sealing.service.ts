import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CommittedCuts } from '../../database/committed-cuts.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { leafHash } from './domain/merkle-hash.js';
import { leafTextOf } from './domain/sealed-leaf.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import { LeafAppendingService } from './leaf-appending.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogRepository } from './log.repository.js';
import { MAX_WAIT_MS, SEALED_ENTRIES, WAIT_STEP_MS } from './proofs.constants.js';
import type { LogState, NewLeaf, SealableTransaction } from './proofs.types.js';

/** Takes committed ledger transactions into the log. The lock on the log's row keeps two processes apart. */
@Injectable()
export class SealingService {
  private readonly cuts = new CommittedCuts();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly opening: LogOpeningService,
    private readonly appending: LeafAppendingService,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** Returns the number of transactions that entered the log. */
  async sealCommittedTransactions(stopping: AbortSignal): Promise<number> {
    await this.opening.openLog();
    const upTo = await this.awaitCompleteEntries(stopping);
    let sealed = 0;
    while (upTo !== null && !stopping.aborted) {
      const state = await this.repository.findState();
      if (!state || state.restoredAt || state.sealedEntryId >= upTo) break;
      sealed += await this.sealBatch(state, Math.min(upTo, state.sealedEntryId + SEALED_ENTRIES));
    }
    return sealed;
  }

  /** The id up to which all entries are committed or rolled back; null if there are no new ones or they are not complete. */
  private async awaitCompleteEntries(stopping: AbortSignal): Promise<number | null> {
    const cut = await this.entries.takeCut();
    if (!cut) return null;
    this.cuts.addCut(cut);
    for (let waited = 0; ; waited += WAIT_STEP_MS) {
      const { upTo, oldestXid } = await this.entries.findCompleteEntries(this.cuts);
      if (upTo !== null || waited >= MAX_WAIT_MS || stopping.aborted) {
        this.cuts.dropComplete(oldestXid);
        return upTo;
      }
      await sleep(WAIT_STEP_MS);
    }
  }

  /** Reads and hashes before the transaction begins, since a long write would delay live delivery. */
  private async sealBatch(before: LogState, upTo: number): Promise<number> {
    const transactions = await this.entries.findTransactions(before.sealedEntryId, upTo);
    const leaves = transactions.map(newLeaf);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const state = await this.repository.lockState(tx);
      if (state.sealedEntryId !== before.sealedEntryId || state.restoredAt) return 0;
      await this.appending.appendLeaves(tx, { ...state, sealedEntryId: upTo }, leaves);
      return leaves.length;
    });
  }
}

function newLeaf(transaction: SealableTransaction): NewLeaf {
  const nonce = randomBytes(NONCE_BYTES);
  return { transactionId: transaction.id, nonce, text: null, hash: leafHash(leafTextOf(transaction, nonce)) };
}
