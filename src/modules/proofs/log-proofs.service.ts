import { Injectable } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import { EMPTY_ROOT, HASH_BYTES } from './domain/merkle-hash.js';
import {
  consistencyRanges,
  inclusionRanges,
  type LeafRange,
  rangeHash,
  subtreesOf,
} from './domain/merkle-proof.js';
import { parseTilePath, subtreeHashInTile, tileOfSubtree, type TilePlace } from './domain/tiles.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogRepository } from './log.repository.js';
import type { SignedCheckpoint } from './proofs.types.js';

export interface InclusionPath {
  readonly leafIndex: number;
  /** Hashes from the leaf to the root of the checkpoint. */
  readonly path: readonly Buffer[];
  readonly checkpoint: SignedCheckpoint;
}

/** Computes inclusion and consistency proofs from the stored tiles. */
@Injectable()
export class LogProofsService {
  constructor(
    private readonly opening: LogOpeningService,
    private readonly repository: LogRepository,
  ) {}

  /** Of the whole log. A new log has a checkpoint of size 0. */
  async getNewestCheckpoint(): Promise<SignedCheckpoint> {
    const checkpoint = await this.repository.findNewestCheckpoint();
    if (checkpoint) return checkpoint;
    await this.opening.openLog();
    return (await this.repository.findNewestCheckpoint()) as SignedCheckpoint;
  }

  /** Newest first; `before` is a number of leaves. A new log has a checkpoint of size 0. */
  async listCheckpoints(before: number | undefined, limit: number): Promise<SignedCheckpoint[]> {
    const checkpoints = await this.repository.findCheckpoints(before, limit);
    if (checkpoints.length > 0 || before !== undefined) return checkpoints;
    await this.opening.openLog();
    return this.repository.findCheckpoints(before, limit);
  }

  /**
   * The hashes of a tile, by its path. A partial tile of any width is cut out of the present one, so that clients of an older
   * checkpoint can read it. Throws PROOF_NOT_FOUND unless the present tree has it.
   */
  async getTile(path: string): Promise<Buffer> {
    const place = parseTilePath(path);
    const [tile] = place ? await this.repository.findTiles([place]) : [];
    const length = (place?.width ?? 0) * HASH_BYTES;
    return tile && tile.hashes.length >= length ? tile.hashes.subarray(0, length) : fail('PROOF_NOT_FOUND');
  }

  /** At the newest checkpoint, in the order of the indexes. Throws a RangeError if the log has no such leaf. */
  async proveInclusion(leafIndexes: readonly number[]): Promise<InclusionPath[]> {
    const checkpoint = await this.getNewestCheckpoint();
    const ranges = leafIndexes.map((leafIndex) => inclusionRanges(leafIndex, checkpoint.size));
    const hashOf = await this.rangeHasher(ranges.flat());
    return leafIndexes.map((leafIndex, at) => ({
      ...{ leafIndex, checkpoint },
      path: (ranges[at] as LeafRange[]).map(hashOf),
    }));
  }

  /** Throws VALIDATION_ERROR unless the log has both sizes and `from` is not the larger one. */
  async getConsistency({ from, to }: { from: number; to: number }): Promise<Buffer[]> {
    const { size } = await this.getNewestCheckpoint();
    if (to > size)
      fail('VALIDATION_ERROR', [{ field: 'to', message: `must not exceed the size of the log, ${size}` }]);
    if (from > to) fail('VALIDATION_ERROR', [{ field: 'from', message: 'must not exceed to' }]);
    return this.proveConsistency(from, to);
  }

  /** Any two sizes up to that of the newest checkpoint. Throws a RangeError if `from` is larger than `to`. */
  async proveConsistency(from: number, to: number): Promise<Buffer[]> {
    const ranges = consistencyRanges(from, to);
    return ranges.map(await this.rangeHasher(ranges));
  }

  /** Of the first leaves of the log. Throws an Error if it has fewer. */
  async computeRoot(size: number): Promise<Buffer> {
    if (size === 0) return EMPTY_ROOT;
    const whole = { start: 0, end: size };
    return (await this.rangeHasher([whole]))(whole);
  }

  /** Reads the tiles of all ranges at once. */
  private async rangeHasher(ranges: readonly LeafRange[]): Promise<(range: LeafRange) => Buffer> {
    const places = ranges.flatMap(subtreesOf).map(tileOfSubtree);
    const distinct = new Map(places.map((place) => [keyOf(place), place]));
    const stored = distinct.size > 0 ? await this.repository.findTiles([...distinct.values()]) : [];
    const tiles = new Map(stored.map((tile) => [keyOf(tile), tile.hashes]));
    return (range) =>
      rangeHash(range, (subtree) => {
        const place = tileOfSubtree(subtree);
        const tile = tiles.get(keyOf(place));
        if (!tile) throw new Error(`Tile ${keyOf(place)} of the log is missing.`);
        return subtreeHashInTile(tile, subtree);
      });
  }
}

function keyOf({ level, n }: TilePlace): string {
  return `${level}/${n}`;
}
