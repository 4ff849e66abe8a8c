import { Logger, type OnModuleDestroy } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../common/clock.js';
import { fail } from '../common/errors/domain-error.js';

const CHECK_EVERY_MS = 60_000;
const TOLERATED_MS = 60_000;
/** The shortest time between two comparisons while the clock is wrong. */
const RECHECK_MS = 1000;
const RETRY_AFTER_SECONDS = 30;

/** Monotonic time. Saved at import, so that a test that replaces the time functions does not change it. */
const monotonicMs = performance.now.bind(performance);

/**
 * Compares this process's clock with the clock of the database at the start and every minute. Between two comparisons a
 * monotonic clock shows whether the process's clock was changed. While the clocks differ by more than a minute, the process
 * is not ready and rejects writes, because days, limits, lock-ups and fees would be computed from the wrong time.
 */
export class DatabaseClock implements OnModuleDestroy {
  private readonly log = new Logger('DatabaseClock');
  /** The last comparison: how far the process's clock was ahead, and what it and the monotonic clock showed. */
  private lastComparison: { aheadMs: number; processMs: number; monotonicMs: number } | undefined;
  private checking: Promise<void> | undefined;
  private lastCheckAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Compares once, and then every minute. */
  async begin(): Promise<this> {
    await this.compare();
    this.timer = setInterval(() => this.startComparison(), CHECK_EVERY_MS).unref();
    return this;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /** By how many milliseconds the process's clock is ahead of the database's; negative when it is behind. */
  get aheadMs(): number {
    if (!this.lastComparison) return 0;
    const elapsedMs = monotonicMs() - this.lastComparison.monotonicMs;
    const elapsedByClockMs = this.processMs() - this.lastComparison.processMs;
    return this.lastComparison.aheadMs + elapsedByClockMs - elapsedMs;
  }

  /** False while the clocks are more than a minute apart. Reading a false value starts a comparison, at most once a second. */
  get isRight(): boolean {
    const isRight = Math.abs(this.aheadMs) <= TOLERATED_MS;
    if (!isRight && monotonicMs() - this.lastCheckAt > RECHECK_MS) this.startComparison();
    return isRight;
  }

  /** Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  requireRight(): void {
    if (this.isRight) return;
    const message =
      'The clock of this process is wrong, so it rejects writes. Try again: another process may serve the request.';
    fail('SERVICE_UNAVAILABLE', undefined, { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /**
   * Compares the clocks. The database reads its clock at an unknown moment of the query. The middle of the query is assumed,
   * and the difference is reduced by the largest possible error, half of the query's duration.
   */
  async compare(): Promise<void> {
    const before = { processMs: this.processMs(), monotonicMs: monotonicMs() };
    const [row] = await this.dataSource.query<{ ms: string }[]>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
    );
    const roundTripMs = monotonicMs() - before.monotonicMs;
    const difference = before.processMs + roundTripMs / 2 - Number(row?.ms);
    const aheadMs = Math.sign(difference) * Math.max(0, Math.abs(difference) - roundTripMs / 2);
    const wasRight =
      this.lastComparison === undefined || Math.abs(this.lastComparison.aheadMs) <= TOLERATED_MS;
    this.lastComparison = { aheadMs, ...before };
    this.logResult(aheadMs, wasRight, before.processMs, Number(row?.ms));
  }

  private logResult(aheadMs: number, wasRight: boolean, processMs: number, databaseMs: number): void {
    if (Math.abs(aheadMs) > TOLERATED_MS) {
      this.log.error({
        msg: `the clock of this process is ${inWords(aheadMs)} the clock of the database: the process is not ready and rejects writes`,
        processClock: new Date(processMs).toISOString(),
        databaseClock: new Date(databaseMs).toISOString(),
      });
    } else if (!wasRight) this.log.log('the clock of this process is right again');
  }

  /** Starts a comparison unless one is running. If the database does not answer, the last result stays valid. */
  private startComparison(): void {
    this.lastCheckAt = monotonicMs();
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

/** `3600 s ahead of` */
function inWords(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
