import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { NoteVerifier, openCheckpoint } from './domain/checkpoint.js';
import { completeSubtreeHash, HASH_BYTES } from './domain/merkle-tree.js';
import { PublicKey } from './domain/signing-key.js';
import { edgeTiles, TILE_WIDTH, tileWidth, TreeEdge } from './domain/tiles.js';
import { LogCheckRepository } from './log-check.repository.js';
import type { LogState, SignedCheckpoint } from './proofs.types.js';

export interface LogDeviations {
  /** Names of the first deviations, up to the limit. */
  readonly subjects: readonly string[];
  readonly total: number;
}

/**
 * Compares the whole log with the rows of the ledger and the liabilities of days: the log's size with its leaves and its newest
 * checkpoint, each leaf with its hash in the tiles, the tiles with each other, and their root with the newest checkpoint. So a history
 * that was rewritten is detected although every balance still adds up.
 */
@Injectable()
export class LogCheckService {
  constructor(private readonly repository: LogCheckRepository) {}

  async findDeviations(snapshot: Snapshot, limit: number): Promise<LogDeviations> {
    const deviations = new Deviations(limit);
    const state = await this.repository.findState(snapshot);
    const checkpoint = await this.repository.findNewestCheckpoint(snapshot);
    const endOfLeaves = await this.repository.getEndOfLeaves(snapshot);
    if (!state) {
      if (checkpoint || endOfLeaves > 0) deviations.addSubject('state of the log');
      return deviations;
    }
    const sizes = [state.size, checkpoint?.size ?? 0, endOfLeaves];
    const size = Math.min(...sizes); // tiles and checkpoint are compared for the leaves that all three count
    if (size < Math.max(...sizes)) deviations.addSubject(`size ${state.size} of the log`);
    await this.addTileDeviations(snapshot, size, deviations);
    if (!(await this.isCheckpointValid(snapshot, { ...state, size }, checkpoint)))
      deviations.addSubject(`checkpoint of size ${size}`);
    const leaves = await this.repository.findLeafDeviations(snapshot, limit);
    for (const { subject } of leaves) deviations.addSubject(subject);
    deviations.total += (leaves[0]?.total ?? 0) - leaves.length; // those above the limit, which were not read
    return deviations;
  }

  /** True if one of the log's keys has signed the checkpoint, and it has this size and the root of the tiles. */
  private async isCheckpointValid(
    snapshot: Snapshot,
    { origin, size }: LogState,
    checkpoint: SignedCheckpoint | undefined,
  ): Promise<boolean> {
    const root = await this.computeRoot(snapshot, size);
    const keys = await this.repository.findPublicKeys(snapshot);
    const signed = openCheckpoint(
      checkpoint?.note ?? '',
      keys.map((key) => new NoteVerifier(origin, new PublicKey(key))),
    );
    if (!root || !signed || !checkpoint) return false;
    // Sealing reads these columns instead of the note.
    const hasValidColumns = checkpoint.size === size && root.equals(checkpoint.root);
    return hasValidColumns && signed.size === size && root.equals(signed.root);
  }

  /** Adds full tiles whose hash is not in the level above, and missing tiles. */
  private async addTileDeviations(snapshot: Snapshot, size: number, deviations: Deviations): Promise<void> {
    for (let level = 0; tileWidth(size, { level, n: 0 }) === TILE_WIDTH; level++) {
      const fullTiles = Math.floor(size / TILE_WIDTH ** (level + 1));
      let tileAbove: Buffer | undefined;
      let numberAbove = -1; // of `tileAbove`; -1 before the first tile is read
      let next = 0;
      for await (const { n, hashes } of this.repository.streamFullTiles(snapshot, level)) {
        addMissingTiles(deviations, level, next, n);
        if (numberAbove !== Math.floor(n / TILE_WIDTH)) {
          numberAbove = Math.floor(n / TILE_WIDTH);
          tileAbove = await this.repository.findTile(snapshot, level + 1, numberAbove);
        }
        const indexAbove = n % TILE_WIDTH;
        const expected = tileAbove?.subarray(indexAbove * HASH_BYTES, (indexAbove + 1) * HASH_BYTES);
        if (!expected?.equals(completeSubtreeHash(hashes)))
          deviations.addSubject(`tile ${n} of level ${level}`);
        next = n + 1;
        await yieldToRequests();
      }
      addMissingTiles(deviations, level, next, fullTiles);
    }
  }

  /** Undefined if a partial tile at the right edge of the tree is missing or has too few hashes. */
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

/** Adds the tiles from number `next` up to, not including, `end` as one subject, since their number is not bounded. */
function addMissingTiles(deviations: Deviations, level: number, next: number, end: number): void {
  if (end <= next) return;
  const tiles = end - next === 1 ? `tile ${next}` : `tiles ${next} to ${end - 1}`;
  deviations.addSubject(`${tiles} of level ${level}`, end - next);
}

/** Counts deviations and keeps the first ones. */
class Deviations implements LogDeviations {
  readonly subjects: string[] = [];
  total = 0;

  constructor(private readonly limit: number) {}

  /** `count`: the number of deviations that the subject names. */
  addSubject(subject: string, count = 1): void {
    this.total += count;
    if (this.subjects.length < this.limit) this.subjects.push(subject);
  }
}
