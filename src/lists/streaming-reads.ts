import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { throwError } from '../common/errors/domain-error.js';
import { Snapshots, type Snapshot } from '../database/snapshots.js';

/** A streaming read holds a connection while its client reads, so these reads may use one in five pool connections. */
const POOL_SHARE = 5;
const RETRY_AFTER_SECONDS = 5;
/** Rows of a list that an export reads and converts at once, which keeps the event loop busy for some milliseconds. */
export const EXPORT_BATCH_ROWS = 100;

/** A client may keep a read waiting for so long in all before the read can be ended for another reader. */
const PATIENCE_MS = 10_000;

/** A read in progress, and the time for which its client has kept it waiting. */
class OpenRead {
  private waitedMs = 0;
  private waitingSinceMs: number | undefined;
  private ending: Promise<unknown> | undefined;
  release: () => Promise<unknown> = () => Promise.resolve();

  startWaiting(): void {
    this.waitingSinceMs = performance.now();
  }

  stopWaiting(): void {
    this.waitedMs = this.totalWaitMs;
    this.waitingSinceMs = undefined;
  }

  /** Zero while the read is at work: then it cannot be ended. */
  get endableWaitMs(): number {
    return this.waitingSinceMs === undefined ? 0 : this.totalWaitMs;
  }

  get hasEnded(): boolean {
    return this.ending !== undefined;
  }

  /** Closes the cursor and gives the connection back. */
  end(): Promise<unknown> {
    return (this.ending ??= this.release());
  }

  private get totalWaitMs(): number {
    return this.waitedMs + performance.now() - (this.waitingSinceMs ?? performance.now());
  }
}

/**
 * Reads from one snapshot in pieces, at the pace of the client. Each reader may have one such read at a time. At the limit of
 * concurrent reads a new read ends that whose client has kept it waiting for longest, so that slow clients do not block other users.
 */
@Injectable()
export class StreamingReads {
  /** A test shortens it. */
  readonly timings = { patienceMs: PATIENCE_MS };
  private readonly log = new Logger('StreamingReads');
  private readonly reads = new Map<string, OpenRead>();

  constructor(
    private readonly snapshots: Snapshots,
    private readonly config: AppConfig,
  ) {}

  /**
   * A long read (`isLong`) has a connection outside of the pool, without the time-outs of requests. Throws SERVICE_UNAVAILABLE
   * while the reader has another read open, if the limit of concurrent reads is reached and no read can be ended, and when this
   * read was ended for another one.
   */
  async *stream<Piece>(
    readerId: string,
    read: (snapshot: Snapshot) => AsyncGenerator<Piece, void>,
    { isLong = false } = {},
  ): AsyncGenerator<Piece, void> {
    const maxReads = Math.max(1, Math.floor(this.config.DATABASE_POOL_SIZE / POOL_SHARE));
    if (this.reads.has(readerId)) failUnavailable();
    if (this.reads.size >= maxReads && !this.endSlowestRead()) failUnavailable();
    const openRead = new OpenRead();
    this.reads.set(readerId, openRead);
    try {
      const snapshot = await (isLong ? this.snapshots.openWithoutTimeouts() : this.snapshots.open());
      const pieces = read(snapshot);
      openRead.release = () => pieces.return().finally(() => snapshot.close());
      try {
        for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
          openRead.startWaiting();
          yield next.value;
          openRead.stopWaiting();
          if (openRead.hasEnded) failUnavailable();
        }
      } finally {
        await openRead.end();
      }
    } finally {
      if (this.reads.get(readerId) === openRead) this.reads.delete(readerId); // the reader may have begun another one
    }
  }

  /** Like `stream` for a read with one result. */
  async read<Result>(readerId: string, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const results = this.stream(readerId, async function* (snapshot) {
      yield await work(snapshot);
    });
    try {
      const { value } = await results.next();
      return value as Result;
    } finally {
      await results.return();
    }
  }

  /** Ends the read that has waited longest for its client, if that was longer than the patience. */
  private endSlowestRead(): boolean {
    const [slowest] = [...this.reads].sort(([, a], [, b]) => b.endableWaitMs - a.endableWaitMs);
    if (!slowest) return false;
    const [readerId, openRead] = slowest;
    const waitedMs = Math.round(openRead.endableWaitMs);
    if (waitedMs < this.timings.patienceMs) return false;
    this.reads.delete(readerId);
    this.log.warn({ msg: 'a read whose client is slow was ended for another one', waitedMs });
    openRead.end().catch((error: unknown) => this.log.warn({ msg: 'a read was not ended', err: error }));
    return true;
  }
}

function failUnavailable(): never {
  throwError('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
