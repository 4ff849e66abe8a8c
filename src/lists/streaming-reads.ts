import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { fail } from '../common/errors/domain-error.js';
import { Snapshots, type Snapshot } from '../database/snapshots.js';

/** A streaming read holds a connection while its client reads, so these reads may use one in five pool connections. */
const POOL_SHARE = 5;
const RETRY_AFTER_SECONDS = 5;
/** Rows of a list that an export reads and converts at once, which keeps the event loop busy for some milliseconds. */
export const EXPORT_BATCH_ROWS = 100;

/** Reads from one snapshot in pieces, at the pace of the client. Each reader may have one such read at a time. */
@Injectable()
export class StreamingReads {
  private readonly readers = new Set<string>();

  constructor(
    private readonly snapshots: Snapshots,
    private readonly config: AppConfig,
  ) {}

  /**
   * A long read (`isLong`) has a connection outside of the pool, without the time-outs of requests. Throws SERVICE_UNAVAILABLE
   * while the reader has another read open, or the limit of concurrent reads is reached.
   */
  async *stream<Piece>(
    readerId: string,
    read: (snapshot: Snapshot) => AsyncGenerator<Piece, void>,
    { isLong = false } = {},
  ): AsyncGenerator<Piece, void> {
    const maxReads = Math.max(1, Math.floor(this.config.DATABASE_POOL_SIZE / POOL_SHARE));
    if (this.readers.has(readerId) || this.readers.size >= maxReads)
      fail('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.readers.add(readerId);
    try {
      const snapshot = await (isLong ? this.snapshots.openWithoutTimeouts() : this.snapshots.open());
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
