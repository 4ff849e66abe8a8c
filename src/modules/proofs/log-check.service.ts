import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../database/snapshots.js';
import { openCheckpoint } from './domain/checkpoint.js';
import { completeSubtreeHash, HASH_BYTES } from './domain/merkle-hash.js';
import { NoteVerifier } from './domain/signed-note.js';
import { PublicKey } from './domain/signing-key.js';
import { edgeTiles, TILE_WIDTH, tileWidth, TreeEdge } from './domain/tiles.js';
import { LogCheckRepository } from './log-check.repository.js';
import type { LogState } from './proofs.types.js';

export interface LogDeviations {
  /** What deviates, up to the limit. */
  readonly subjects: readonly string[];
  readonly total: number;
}

/**
 * Compares the whole log with the rows of the ledger: each leaf with its hash in the tiles, the tiles with each other, and
 * their root with the newest signed checkpoint. So it finds a history that was rewritten while every balance still adds up.
 */
@Injectable()
export class LogCheckService {
  constructor(private readonly repository: LogCheckRepository) {}

  async findDeviations(snapshot: Snapshot, limit: number): Promise<LogDeviations> {
    const state = await this.repository.findState(snapshot);
    if (!state) return { subjects: [], total: 0 };
    const leaves = await this.repository.findLeafDeviations(snapshot, limit);
    const tree = await this.findTreeDeviations(snapshot, state);
    return {
      subjects: [...tree.slice(0, limit), ...leaves.map(({ subject }) => subject)].slice(0, limit),
      total: (leaves[0]?.total ?? 0) + tree.length,
    };
  }

  private async findTreeDeviations(snapshot: Snapshot, { origin, size }: LogState): Promise<string[]> {
    const deviating: string[] = [];
    for (let level = 0; tileWidth(size, { level, n: 0 }) === TILE_WIDTH; level++)
      deviating.push(...(await this.findTileDeviations(snapshot, level, size)));
    const root = await this.computeRoot(snapshot, size);
    const checkpoint = await this.repository.findNewestCheckpoint(snapshot);
    const keys = await this.repository.findPublicKeys(snapshot);
    const signed = openCheckpoint(
      checkpoint?.note ?? '',
      keys.map((key) => new NoteVerifier(origin, new PublicKey(key))),
    );
    const isRight = signed?.size === size && checkpoint?.size === size && root?.equals(signed.root);
    return isRight ? deviating : [...deviating, `checkpoint of size ${size}`];
  }

  /** Full tiles of the level whose hash is not in the level above, and missing ones. */
  private async findTileDeviations(snapshot: Snapshot, level: number, size: number): Promise<string[]> {
    const deviating: string[] = [];
    const full = Math.floor(size / TILE_WIDTH ** (level + 1));
    let above: Buffer | undefined;
    let next = 0;
    for await (const { n, hashes } of this.repository.streamFullTiles(snapshot, level)) {
      for (; next < n; next++) deviating.push(`tile ${next} of level ${level}`);
      const place = n % TILE_WIDTH;
      if (place === 0)
        above = await this.repository.findTile(snapshot, level + 1, Math.floor(n / TILE_WIDTH));
      const expected = above?.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
      if (!expected?.equals(completeSubtreeHash(hashes))) deviating.push(`tile ${n} of level ${level}`);
      next = n + 1;
      await yieldToRequests();
    }
    for (; next < full; next++) deviating.push(`tile ${next} of level ${level}`);
    return deviating;
  }

  /** Undefined if a tile at the edge of the tree is missing. */
  private async computeRoot(snapshot: Snapshot, size: number): Promise<Buffer | undefined> {
    const edge = new Map<number, Buffer | undefined>();
    for (const { level, n, width } of edgeTiles(size)) {
      const hashes = width > 0 ? await this.repository.findTile(snapshot, level, n) : undefined;
      if (width > 0 && (hashes?.length ?? 0) < width * HASH_BYTES) return undefined;
      edge.set(level, hashes);
    }
    return TreeEdge.open(size, ({ level }) => edge.get(level)).root();
  }
}
