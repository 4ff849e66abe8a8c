import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock.js';
import { throwError } from '../common/errors/domain-error.js';
import type { Snapshot } from './snapshots.js';

const CHECK_EVERY_MS = 60_000;
const TOLERATED_MS = 60_000;
const RETRY_AFTER_SECONDS = 30;

/** Monotonic time. Saved at import, so that a test that replaces the time functions does not change it. */
const monotonicMs = performance.now.bind(performance);

/**
 * Compares this process's clock with the clock of the database at the start and every minute. Between two comparisons a
 * monotonic clock shows whether the process's clock was changed. While the clocks differ by more than a minute, the process
 * is not ready and rejects writes, because days, limits, lock-ups and fees would be computed from the wrong time.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger('DatabaseClock');
  /** How far the process's clock would be ahead of the monotonic clock if it agreed with the database's. */
  private distanceInSyncMs: number;
  /** The last logged state. */
  private isLoggedInSync = true;
  private checking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.distanceInSyncMs = this.processMs() - monotonicMs();
  }

  /** Runs before the same method of the modules that write. */
  async onModuleInit(): Promise<void> {
    await this.compare();
    this.timer = setInterval(() => this.startComparison(), CHECK_EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /** By how many milliseconds the process's clock is ahead of the database's; negative when it is behind. */
  get skewMs(): number {
    return this.processMs() - monotonicMs() - this.distanceInSyncMs;
  }

  /** False while the clocks are more than a minute apart. Reading a false value starts a comparison unless one is running. */
  get isInSync(): boolean {
    const isInSync = Math.abs(this.skewMs) <= TOLERATED_MS;
    if (!isInSync) this.startComparison();
    return isInSync;
  }

  /** Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  assertInSync(): void {
    if (this.isInSync) return;
    const message =
      'The clock of this process is wrong, so it rejects writes. Try again: another process may serve the request.';
    throwError('SERVICE_UNAVAILABLE', undefined, { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /**
   * Compares the clocks. The database reads its clock at an unknown moment of the query. The middle of the query is assumed,
   * and the difference is reduced by the largest possible error, half of the query's duration.
   */
  async compare(): Promise<void> {
    const beforeMs = monotonicMs();
    const [row] = await this.dataSource.query<{ ms: string }[]>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
    );
    const [processMs, afterMs] = [this.processMs(), monotonicMs()];
    const largestErrorMs = (afterMs - beforeMs) / 2;
    const difference = processMs - largestErrorMs - Number(row?.ms);
    const skewMs = Math.sign(difference) * Math.max(0, Math.abs(difference) - largestErrorMs);
    this.distanceInSyncMs = processMs - afterMs - skewMs;
    const isInSync = Math.abs(skewMs) <= TOLERATED_MS;
    if (isInSync === this.isLoggedInSync) return;
    this.isLoggedInSync = isInSync;
    if (isInSync) return this.log.log('the clock of this process is right again');
    const distance = `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'}`;
    this.log.error(
      `the clock of this process is ${distance} the clock of the database: the process is not ready and rejects writes`,
    );
  }

  private startComparison(): void {
    this.checking ??= this.compare()
      .catch((error: unknown) =>
        this.log.warn({ msg: "this process's clock could not be compared with the database's", err: error }),
      )
      .finally(() => (this.checking = undefined));
  }

  /** The process's clock without the deliberate offset of tests and the sandbox. */
  private processMs(): number {
    return this.clock.now().getTime() - this.clock.offsetMs;
  }
}

/** Sets the offset that domain_today(), which triggers call, adds in this transaction. Does nothing if the offset is zero. */
export async function setClockOffset(
  transaction: Pick<EntityManager, 'query'> | Snapshot,
  { offsetMs }: Clock,
): Promise<void> {
  if (offsetMs === 0) return;
  await transaction.query(`select set_config('platform.clock_offset_ms', $1, true)`, [String(offsetMs)]);
}
