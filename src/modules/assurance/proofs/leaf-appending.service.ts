import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { signCheckpoint } from './domain/checkpoint.js';
import { splitHashes, leafHash } from './domain/merkle-hash.js';
import { edgeTiles, TreeEdge } from './domain/tiles.js';
import { LogKeysService } from './log-keys.service.js';
import { LogRepository } from './log.repository.js';
import type { LogState, TransactionLeaves } from './proofs.types.js';

/** Appends leaves to the tree and signs a checkpoint of it. */
@Injectable()
export class LeafAppendingService {
  constructor(
    private readonly clock: Clock,
    private readonly keys: LogKeysService,
    private readonly repository: LogRepository,
  ) {}

  /**
   * Appends leaves whose texts, canonical JSON, the log stores (those of transactions are computed). Returns the index of the
   * first leaf. Sealing waits until `tx` ends, so call this as late as possible. Throws while the log is marked as restored.
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
   * The caller has locked the log (`lockState`), has checked that it is not marked as restored, and has set `sealedEntryId` of
   * `state`, which this call stores.
   */
  async appendTransactionLeaves(tx: Tx, state: LogState, leaves: TransactionLeaves): Promise<void> {
    await this.appendLeaves(tx, state, splitHashes(leaves.hashes), () =>
      this.repository.insertTransactionLeaves(tx, state.size, leaves),
    );
  }

  /**
   * Sends the writes together, without awaiting each answer: the transaction is several times shorter this way, and
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
