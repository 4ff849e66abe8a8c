import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { NoteVerifier } from './domain/checkpoint.js';
import { leafTextOfRows } from './domain/log-leaf.js';
import {
  consistencyRanges,
  HASH_BYTES,
  inclusionRanges,
  leafHash,
  type LeafRange,
  rangeHash,
  rootHash,
  type SubtreeReader,
  subtreesOf,
} from './domain/merkle-tree.js';
import { PublicKey } from './domain/signing-key.js';
import { parseTilePath, subtreeHashInTile, tileOfSubtree, type TilePlace } from './domain/tiles.js';
import { LogKeysService } from './log-keys.service.js';
import { LogRepository } from './log.repository.js';
import type { LogState, SealedLeaf, SignedCheckpoint } from './proofs.types.js';

export interface InclusionPath {
  readonly leafIndex: number;
  /** The sibling hashes, from the leaf to the root of the checkpoint. */
  readonly path: readonly Buffer[];
  readonly checkpoint: SignedCheckpoint;
}

/**
 * Provides what verifiers need: stored checkpoints, tiles and public keys, texts of leaves, which it computes from the rows of the
 * ledger, and proofs, which it computes from the tiles.
 */
@Injectable()
export class LogProofsService {
  constructor(
    private readonly config: AppConfig,
    private readonly keys: LogKeysService,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** Returns the checkpoint of all leaves of the log. Creates the log, with a checkpoint of size 0, if it does not exist. */
  async getNewestCheckpoint(): Promise<SignedCheckpoint> {
    const checkpoint = await this.repository.findNewestCheckpoint();
    if (checkpoint) return checkpoint;
    await this.keys.openLog();
    const created = await this.repository.findNewestCheckpoint();
    if (!created) throw new Error('The log was opened but has no checkpoint.');
    return created;
  }

  /**
   * Returns the newest checkpoint first; with `before`, only checkpoints of fewer leaves than this number. Without `before`,
   * creates the log if it does not exist.
   */
  async listCheckpoints(before: number | undefined, limit: number): Promise<SignedCheckpoint[]> {
    const checkpoints = await this.repository.findCheckpoints(before, limit);
    if (checkpoints.length > 0 || before !== undefined) return checkpoints;
    await this.keys.openLog();
    return this.repository.findCheckpoints(before, limit);
  }

  /**
   * Returns the concatenated hashes of the tile with this path. A partial tile, which clients of an older checkpoint request,
   * is the beginning of the stored tile. Throws PROOF_NOT_FOUND if the path is malformed, or the tile is missing or has too few
   * hashes.
   */
  async getTile(path: string): Promise<Buffer> {
    const coordinates = parseTilePath(path) ?? throwError('PROOF_NOT_FOUND');
    const [tile] = await this.repository.findTiles([coordinates]);
    const length = coordinates.width * HASH_BYTES;
    return tile && tile.hashes.length >= length
      ? tile.hashes.subarray(0, length)
      : throwError('PROOF_NOT_FOUND');
  }

  /** The public keys that verify everything that was signed: those of this process, then the others that are recorded. */
  async listPublicKeys(): Promise<PublicKey[]> {
    await this.keys.openLog(); // records the keys of this process
    const signing = this.keys.signingKeys.map(({ publicKey }) => publicKey);
    const recorded = (await this.repository.findPublicKeys()).map((bytes) => new PublicKey(bytes));
    return [...signing, ...recorded.filter(({ bytes }) => !signing.some((key) => key.bytes.equals(bytes)))];
  }

  /** The keys of `listPublicKeys` with the name that their signatures of checkpoints carry. */
  async listVerifiers(): Promise<NoteVerifier[]> {
    const keys = await this.listPublicKeys();
    const { origin } = (await this.repository.findState()) as LogState;
    return keys.map((key) => new NoteVerifier(origin, key));
  }

  /** In the order of the log. Omits ledger transactions that are not sealed. */
  async listLeavesOfTransactions(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    const leaves = await this.repository.findLeavesOfTransactions(transactionIds);
    const ids = leaves.map(({ transactionId }) => transactionId);
    const transactions = ids.length > 0 ? await this.entries.findTransactionsById(ids) : [];
    const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
    return leaves.map(({ leafIndex, transactionId, nonce }) => {
      const transaction = byId.get(transactionId);
      if (!transaction) throw new Error(`The ledger has no transaction ${transactionId}.`);
      const leafText = leafTextOfRows(transaction, nonce);
      return { leafIndex, transactionId, leafText, leafHash: leafHash(leafText) };
    });
  }

  /** In the order of the log. Throws PROOF_PENDING unless all transactions are sealed. */
  async getLeavesOfTransactions(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    const leaves = await this.listLeavesOfTransactions(transactionIds);
    if (leaves.length < new Set(transactionIds).size)
      throwError('PROOF_PENDING', undefined, { retryAfterSeconds: this.config.LOG_SEAL_SECONDS });
    return leaves;
  }

  /**
   * Proves for each of the leaves that the newest checkpoint contains it. The result has the order of `leafIndexes`. Throws a
   * RangeError if the log does not have one of the leaves.
   */
  async proveInclusion(leafIndexes: readonly number[]): Promise<InclusionPath[]> {
    const checkpoint = await this.getNewestCheckpoint();
    const leaves = leafIndexes.map((leafIndex) => ({
      leafIndex,
      ranges: inclusionRanges(leafIndex, checkpoint.size),
    }));
    const read = await this.readSubtrees(leaves.flatMap(({ ranges }) => ranges));
    return leaves.map(({ leafIndex, ranges }) => ({
      leafIndex,
      checkpoint,
      path: ranges.map((range) => rangeHash(range, read)),
    }));
  }

  /**
   * Proves that the tree of the first `to` leaves continues the tree of the first `from` leaves. Checkpoints of these sizes
   * need not exist. Throws VALIDATION_ERROR if `to` exceeds the size of the log or `from` exceeds `to`.
   */
  async proveConsistency({ from, to }: { from: number; to: number }): Promise<Buffer[]> {
    const { size } = await this.getNewestCheckpoint();
    if (to > size)
      throwError('VALIDATION_ERROR', [
        { field: 'to', message: `must not exceed the size of the log, ${size}` },
      ]);
    if (from > to) throwError('VALIDATION_ERROR', [{ field: 'from', message: 'must not exceed `to`' }]);
    const ranges = consistencyRanges(from, to);
    const read = await this.readSubtrees(ranges);
    return ranges.map((range) => rangeHash(range, read));
  }

  /** Returns the root of the tree of the first `size` leaves. Throws an Error if the log has fewer. */
  async computeRoot(size: number): Promise<Buffer> {
    return rootHash(size, await this.readSubtrees([{ start: 0, end: size }]));
  }

  /** Reads the tiles of all ranges with one query. The result computes the hashes of the subtrees in these ranges. */
  private async readSubtrees(ranges: readonly LeafRange[]): Promise<SubtreeReader> {
    const places = ranges.flatMap(subtreesOf).map(tileOfSubtree);
    const distinct = new Map(places.map((place) => [keyOf(place), place]));
    const stored = distinct.size > 0 ? await this.repository.findTiles([...distinct.values()]) : [];
    const tiles = new Map(stored.map((tile) => [keyOf(tile), tile.hashes]));
    return (subtree) => {
      const key = keyOf(tileOfSubtree(subtree));
      const tile = tiles.get(key);
      if (!tile) throw new Error(`Tile ${key} of the log is missing.`);
      return subtreeHashInTile(tile, subtree);
    };
  }
}

function keyOf({ level, n }: TilePlace): string {
  return `${level}/${n}`;
}
