import { Logger } from '@nestjs/common';
import type { Leases } from './leases.js';
import type { Clock } from '../common/clock.js';
import type { Day } from '../common/days.js';
import { SerialQueue } from '../common/serial-queue.js';
import type { JobMethod, JobOptions } from './job.decorator.js';

/** One job in this process: its timer and its runs, of which at most one is under way. */
export class ScheduledJob {
  private readonly log = new Logger('Jobs');
  private readonly runs = new SerialQueue(() => this.run());
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** The day on which a daily job last succeeded at its time of day or later. */
  private doneOn: Day | undefined;

  constructor(
    readonly options: JobOptions,
    private readonly method: JobMethod,
    private readonly leases: Pick<Leases, 'runExclusively' | 'commitsWait'>,
    private readonly clock: Clock,
  ) {}

  /** Starts the timer, which does not keep the process alive. */
  start(everyMs: number): void {
    this.timer = setInterval(() => {
      if (!this.runs.isRunning && this.isDue()) this.wake();
    }, everyMs).unref();
  }

  /** Runs the job soon, without waiting for it. If a run is under way, the job runs once more after it. */
  wake(): void {
    this.runOnce().catch(() => undefined); // the run has logged its error
  }

  /**
   * Runs the job now, or after the run that is under way. Rejects if the run fails. Does nothing while commits wait for a standby,
   * unless the job is `withoutDatabase`; an exclusive job does nothing while another process runs it or this process's clock is wrong.
   */
  runOnce(): Promise<void> {
    return this.runs.enqueue();
  }

  /** Resolves when no run is under way or waiting. */
  idle(): Promise<void> {
    return this.runs.idle();
  }

  /** Begins no further run, asks the one under way to stop, and waits for its end. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.runs.idle();
  }

  private isDue(): boolean {
    if (!('dailyAt' in this.options)) return true;
    return this.hasReached(this.options.dailyAt) && this.doneOn !== this.clock.today();
  }

  private hasReached(timeOfDay: string): boolean {
    return this.clock.now().toISOString().slice(11, 16) >= timeOfDay; // HH:MM
  }

  private async run(): Promise<void> {
    const { name, exclusive, withoutDatabase } = this.options;
    const isDailyRun = 'dailyAt' in this.options && this.hasReached(this.options.dailyAt);
    const { signal } = this.stopping;
    if (signal.aborted) return;
    const today = this.clock.today();
    try {
      if (!withoutDatabase && (await this.leases.commitsWait())) return;
      if (!exclusive) await this.method(signal);
      else if (!(await this.leases.runExclusively(name, () => this.method(signal)))) return;
      if (isDailyRun) this.doneOn = today;
    } catch (error) {
      this.log.warn({ msg: 'a job failed; its next run tries again', job: name, err: error });
      throw error;
    }
  }
}
