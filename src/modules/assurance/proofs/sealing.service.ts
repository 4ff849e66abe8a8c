import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { WaitingHorizons } from '../../../events/commit-horizons.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { HASH_BYTES } from './domain/merkle-hash.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import { LeafAppendingService } from './leaf-appending.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogRepository } from './log.repository.js';
import type { UnsealedTransactions } from './proofs.types.js';

/** Ledger entries of one batch. Small, since a long database transaction would delay live delivery. */
const ENTRIES_PER_BATCH = 5_000;
/** How long a run waits for transactions that are writing. The next run seals the rest. */
const MAX_WAIT_MS = 2000;
/** Interval at which a waiting run looks for transactions that have ended. */
const WAIT_STEP_MS = 25;

/** Takes committed ledger transactions into the log. The lock of the row of `proof_log` lets one process append at a time. */
@Injectable()
export class SealingService {
  /** Kept between runs, so that a horizon that was not reached in one run serves a later one. */
  private readonly horizons = new WaitingHorizons();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly opening: LogOpeningService,
    private readonly appending: LeafAppendingService,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** Returns the number of sealed transactions. Reads the next batch while it writes one. */
  async sealCommittedTransactions(stopping: AbortSignal): Promise<number> {
    await this.opening.openLog();
    const lastEntryId = await this.awaitCompleteEntries(stopping);
    const state = await this.repository.findState();
    if (lastEntryId === null || !state || state.restoredAt) return 0;
    let sealed = 0;
    let reading = this.readBatch(state.sealedEntryId, lastEntryId);
    while (reading && !stopping.aborted) {
      const batch = await reading;
      reading = this.readBatch(batch.upTo, lastEntryId);
      const appended = await this.appendBatch(batch);
      if (appended === undefined) break;
      sealed += appended;
    }
    return sealed;
  }

  /** The id up to which all entries are committed or rolled back; null if none are new or transactions are still writing. */
  private async awaitCompleteEntries(stopping: AbortSignal): Promise<number | null> {
    const horizon = await this.entries.takeHorizon();
    if (!horizon) return null;
    this.horizons.addHorizon(horizon);
    for (let waited = 0; ; waited += WAIT_STEP_MS) {
      const upTo = this.horizons.removeReached(await this.entries.getOldestXid());
      if (upTo > 0) return upTo;
      if (waited >= MAX_WAIT_MS || stopping.aborted) return null;
      await sleep(WAIT_STEP_MS);
    }
  }

  /**
   * Undefined if no entries are left. Reads and hashes before the transaction of `appendBatch` begins, since a long transaction
   * that writes would delay live delivery.
   */
  private readBatch(after: number, lastEntryId: number): Promise<Batch> | undefined {
    if (after >= lastEntryId) return undefined;
    const upTo = Math.min(lastEntryId, after + ENTRIES_PER_BATCH);
    const nonces = randomBytes((upTo - after) * NONCE_BYTES);
    const batch = this.entries
      .findUnsealed(after, upTo, nonces)
      .then((unsealed) => ({ after, upTo, nonces, ...unsealed }));
    batch.catch(() => undefined); // the caller awaits the batch later and receives the error
    return batch;
  }

  /** Returns the number of leaves. Undefined if another process has sealed meanwhile or if the log is marked as restored. */
  private async appendBatch({ after, upTo, nonces, ids, hashes }: Batch): Promise<number | undefined> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const state = await this.repository.lockState(tx);
      if (state.sealedEntryId !== after || state.restoredAt) return undefined;
      const newState = { ...state, sealedEntryId: upTo };
      if (ids === null || hashes === null) {
        this.repository.updateState(tx, newState); // no committed transaction begins in this range
        return 0;
      }
      await this.appending.appendTransactionLeaves(tx, newState, { ids, nonces, hashes });
      return hashes.length / HASH_BYTES;
    });
  }
}

interface Batch extends UnsealedTransactions {
  /** The batch contains the transactions whose first entry has an id above `after` and up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
  /** Concatenated; at least one for each transaction. */
  readonly nonces: Buffer;
}
