import { Logger, type OnModuleDestroy } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../common/clock.js';
import { fail } from '../common/errors/domain-error.js';

const CHECK_EVERY_MS = 60_000;
const TOLERATED_MS = 60_000;
const RECHECK_MS = 1000; // while it is wrong: it may have been set right, or the process was halted
const RETRY_AFTER_SECONDS = 30;

/** Monotonic: no change of the system's time moves it. Kept here, so that a test that moves time leaves it alone. */
const steadyMs = performance.now.bind(performance);

/**
 * Compares this process's clock with the database's, which all processes share: at the start and every minute. Between two
 * comparisons a monotonic clock shows whether the process's clock was set. While the two are more than a minute apart, the
 * process is not ready and writes nothing: days, limits, locks and fees would follow the wrong time.
 */
export class DatabaseClock implements OnModuleDestroy {
  private readonly log = new Logger('DatabaseClock');
  /** At the last comparison: how far the process's clock was ahead, and both clocks of the process. */
  private last: { aheadMs: number; realMs: number; steadyMs: number } | undefined;
  private checking: Promise<void> | undefined;
  private checkedMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Compares once, and then every minute. */
  async begin(): Promise<this> {
    await this.compare();
    this.timer = setInterval(() => this.compareSoon(), CHECK_EVERY_MS).unref();
    return this;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /** How far the process's clock is ahead of the database's; below zero when it is behind. */
  get aheadMs(): number {
    if (!this.last) return 0;
    const { aheadMs, realMs, steadyMs: then } = this.last;
    return aheadMs + (this.realMs() - realMs) - (steadyMs() - then);
  }

  /** False while the clocks are more than a minute apart. */
  get isRight(): boolean {
    const isRight = Math.abs(this.aheadMs) <= TOLERATED_MS;
    if (!isRight && steadyMs() - this.checkedMs > RECHECK_MS) this.compareSoon();
    return isRight;
  }

  /** Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
  requireRight(): void {
    if (this.isRight) return;
    const message =
      'The clock of this process is wrong, so that it writes nothing. Another process may answer.';
    fail('SERVICE_UNAVAILABLE', undefined, { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** Compares the clocks. What the answer of the database took is no difference between them. */
  async compare(): Promise<void> {
    const before = { realMs: this.realMs(), steadyMs: steadyMs() };
    const [row] = await this.dataSource.query<{ ms: string }[]>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
    );
    const roundTripMs = steadyMs() - before.steadyMs;
    const difference = before.realMs + roundTripMs / 2 - Number(row?.ms);
    const aheadMs = Math.sign(difference) * Math.max(0, Math.abs(difference) - roundTripMs / 2);
    const wasRight = this.last === undefined || Math.abs(this.last.aheadMs) <= TOLERATED_MS;
    this.last = { aheadMs, ...before };
    this.report(wasRight, Number(row?.ms));
  }

  private report(wasRight: boolean, databaseMs: number): void {
    const { aheadMs, realMs } = this.last as { aheadMs: number; realMs: number };
    if (Math.abs(aheadMs) > TOLERATED_MS) {
      this.log.error({
        msg: `the clock of this process is ${inWords(aheadMs)} the clock of the database: it is not ready and writes nothing`,
        processClock: new Date(realMs).toISOString(),
        databaseClock: new Date(databaseMs).toISOString(),
      });
    } else if (!wasRight) this.log.log('the clock of this process is right again');
  }

  /** One comparison at a time. Without an answer of the database the last one counts. */
  private compareSoon(): void {
    this.checkedMs = steadyMs();
    this.checking ??= this.compare()
      .catch((error: unknown) =>
        this.log.warn({ msg: "this process's clock could not be compared with the database's", err: error }),
      )
      .finally(() => (this.checking = undefined));
  }

  private realMs(): number {
    const offsetMs = this.clock.offsetMs; // first: a clock that a test holds still has one that grows meanwhile
    return this.clock.now().getTime() - offsetMs;
  }
}

/** `3600 s ahead of` */
function inWords(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
