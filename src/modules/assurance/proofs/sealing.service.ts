import { Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../../common/clock.js';
import type { Day } from '../../../common/days.js';
import { afterCommit } from '../../../database/statements.js';
import { type Tx, UnitOfWork } from '../../../database/unit-of-work.js';
import { WaitingHorizons } from '../../../events/commit-horizons.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { PublicText } from '../../../observability/logging/public-text.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { signCheckpoint } from './domain/checkpoint.js';
import { HASH_BYTES, leafHash, splitHashes } from './domain/merkle-tree.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import { edgeTiles, TreeEdge } from './domain/tiles.js';
import { LogKeysService } from './log-keys.service.js';
import { LogRepository } from './log.repository.js';
import type { LogCheckpointEvent, LogState, SignedCheckpoint, UnsealedTransactions } from './proofs.types.js';

/** Ledger entries of one batch. Small, since a long database transaction would delay live delivery. */
const ENTRIES_PER_BATCH = 5_000;
/** How long a run waits for transactions that are writing. The next run seals the rest. */
const MAX_WAIT_MS = 2000;
/** Interval at which a waiting run looks for transactions that have ended. */
const WAIT_STEP_MS = 25;

/**
 * Takes committed ledger transactions, and texts of the liabilities of days, into the log, and signs its checkpoints. The lock of the
 * row of `proof_log` lets one process append at a time.
 */
@Injectable()
export class SealingService {
  private readonly log = new Logger('TransparencyLog');
  /** Kept between runs, so that a horizon that was not reached in one run serves a later one. */
  private readonly horizons = new WaitingHorizons();

  constructor(
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly domainEvents: DomainEvents,
    private readonly keys: LogKeysService,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** Returns the number of sealed transactions. Reads the next batch while it writes one. */
  async sealCommittedTransactions(stopping: AbortSignal): Promise<number> {
    await this.keys.openLog();
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

  /**
   * Appends leaves for texts in canonical JSON, and stores the texts; those of transactions are computed from the ledger. Returns the
   * index of the first leaf. Sealing waits until `tx` ends, so call this as late as possible. Throws while the log is marked as restored.
   */
  async appendTextLeaves(tx: Tx, texts: readonly [string, ...string[]]): Promise<number> {
    const state = await this.repository.lockState(tx);
    if (state.restoredAt)
      throw new Error(
        'The log is marked as restored, so that nothing is appended. Continue it with POST /api/admin/proofs/continue.',
      );
    await this.appendLeaves(tx, state, texts.map(leafHash), () =>
      this.repository.insertTextLeaves(tx, state.size, texts),
    );
    return state.size;
  }

  /**
   * Sends the newest checkpoint to webhooks and, after the commit, to the log output, so that copies exist elsewhere. The
   * module liabilities calls it once for each day, in the transaction that appends the liabilities of the day.
   */
  async publishDayCheckpoint(tx: Tx, day: Day): Promise<void> {
    const checkpoint = (await this.repository.findNewestCheckpoint(tx)) as SignedCheckpoint;
    const name = 'log.checkpoint';
    await this.domainEvents.emit<LogCheckpointEvent>(tx, { name, at: this.clock.now(), day, checkpoint });
    const { size, note } = checkpoint;
    // `PublicText` is not redacted, although random base64 looks like a secret.
    const root = new PublicText(checkpoint.root.toString('base64'));
    const publicNote = new PublicText(note);
    afterCommit(tx, () => this.log.log({ msg: name, day, size, root, checkpoint: publicNote }));
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
      await this.appendLeaves(tx, newState, splitHashes(hashes), () =>
        this.repository.insertTransactionLeaves(tx, state.size, { ids, nonces }),
      );
      return hashes.length / HASH_BYTES;
    });
  }

  /**
   * Appends leaves to the tree and signs a checkpoint of it. The caller has locked the log (`lockState`) and has checked that it is
   * not marked as restored. Sends the writes together, without awaiting each answer: the transaction is several times shorter this way, and
   * live delivery waits for its end (DEC-61).
   */
  private async appendLeaves(
    tx: Tx,
    { origin, size, sealedEntryId }: LogState,
    hashes: Iterable<Buffer>,
    insertLeaves: () => void,
  ): Promise<void> {
    const edge = await this.openEdge(tx, size);
    for (const hash of hashes) edge.appendLeafHash(hash);
    const tree = { size: edge.treeSize, root: edge.root() };
    const note = signCheckpoint({ origin, ...tree }, this.keys.signingKeys);
    const now = this.clock.now();
    this.repository.insertCheckpoint(tx, { ...tree, at: now, note });
    this.repository.insertKeys(tx, this.keys.publicKeys, now);
    this.repository.saveTiles(tx, edge.changedTiles());
    this.repository.updateState(tx, { size: tree.size, sealedEntryId });
    insertLeaves();
  }

  /**
   * Reads the partial tiles at the right edge of the tree, to which leaves are appended. Throws if they differ from the
   * newest checkpoint, so that a changed history is never signed.
   */
  private async openEdge(tx: Tx, size: number): Promise<TreeEdge> {
    const [tiles, root] = await Promise.all([
      this.repository.findTiles(edgeTiles(size), tx),
      this.repository.findCheckpointRoot(tx, size),
    ]);
    const edge = TreeEdge.open(
      size,
      ({ level, n }) => tiles.find((tile) => tile.level === level && tile.n === n)?.hashes,
    );
    if (!root?.equals(edge.root()))
      throw new Error(`The tiles of the log do not lead to the root of its checkpoint of size ${size}.`);
    return edge;
  }
}

interface Batch extends UnsealedTransactions {
  /** The batch contains the transactions whose first entry has an id above `after` and up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
  /** Concatenated; at least one for each transaction. */
  readonly nonces: Buffer;
}
