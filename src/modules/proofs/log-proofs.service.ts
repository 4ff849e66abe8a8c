import { Injectable } from '@nestjs/common';
import {
  consistencyRanges,
  inclusionRanges,
  type LeafRange,
  rangeHash,
  subtreesOf,
} from './domain/merkle-proof.js';
import { subtreeHashInTile, tileOfSubtree, type TilePlace } from './domain/tiles.js';
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

  /** Any two sizes up to that of the newest checkpoint. Throws a RangeError if `from` is larger than `to`. */
  async proveConsistency(from: number, to: number): Promise<Buffer[]> {
    const ranges = consistencyRanges(from, to);
    return ranges.map(await this.rangeHasher(ranges));
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
