import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { fail } from '../common/errors/domain-error.js';
import { Snapshots, type Snapshot } from './snapshots.js';

/** Each holds a connection for as long as its reader takes: one in so many of the pool's, at least one. */
const POOL_SHARE = 5;
const RETRY_AFTER_SECONDS = 5;

/** What is read from one snapshot piece by piece, as fast as somebody takes it: one at a time to each reader. */
@Injectable()
export class StreamingReads {
  private readonly readers = new Set<string>();

  constructor(
    private readonly snapshots: Snapshots,
    private readonly config: AppConfig,
  ) {}

  /** Throws SERVICE_UNAVAILABLE while the reader is at another one, or many others are at theirs. */
  async *of<Piece>(
    readerId: string,
    read: (snapshot: Snapshot) => AsyncGenerator<Piece, void>,
  ): AsyncGenerator<Piece, void> {
    const atOnce = Math.max(1, Math.floor(this.config.DATABASE_POOL_SIZE / POOL_SHARE));
    if (this.readers.has(readerId) || this.readers.size >= atOnce)
      fail('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.readers.add(readerId);
    try {
      const snapshot = await this.snapshots.open();
      try {
        yield* read(snapshot);
      } finally {
        await snapshot.close();
      }
    } finally {
      this.readers.delete(readerId);
    }
  }
}
