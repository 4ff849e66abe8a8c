import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppConfig } from '../config/app-config.js';
import { Leases } from './leases.js';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/durations.js';
import { declaredMethods } from './declared-jobs.js';
import { jobOptionsOf, type JobMethod, type JobOptions } from './job.decorator.js';
import { jobsOfQueue, queueOptionsOf } from './queue.decorator.js';
import { ScheduledJob } from './scheduled-job.js';
import { QueueResources, WorkQueue } from './work-queue.js';

/** A job is overdue after three of its intervals and this time, in which a long run can end. */
const LONGEST_RUN_SECONDS = 600;
const INTERVALS_UNTIL_OVERDUE = 3;

/** How often a daily job checks whether it is due. */
const DAILY_JOB_CHECK_SECONDS = 60;

/** Runs all methods with `@Job` and all queues, methods with `@Queue`, from the start of the application to its end. */
@Injectable()
export class Jobs
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly byName = new Map<string, ScheduledJob>();
  private readonly queues = new Map<string, WorkQueue>();
  private startedAt = performance.now();
  /** Resolves after the runs at the start. */
  started = Promise.resolve();
  /** The result of the last call of `listOverdue`. */
  overdue: readonly string[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly resources: QueueResources,
  ) {}

  onModuleInit(): void {
    for (const { options, method } of declaredMethods(this.discovery, jobOptionsOf))
      this.add(options, method);
    for (const { options, method } of declaredMethods(this.discovery, queueOptionsOf)) {
      const queue = new WorkQueue(options, method, this.resources, () => this.get(options.name));
      this.queues.set(options.name, queue);
      const [start, deletion] = jobsOfQueue(options);
      if (start) this.add(start, (stopping) => queue.startDue(stopping));
      if (deletion) this.add(deletion, (stopping) => queue.deleteOld(stopping));
    }
  }

  onApplicationBootstrap(): void {
    this.startedAt = performance.now();
    for (const job of this.byName.values()) job.start(this.intervalMs(job.options));
    this.started = this.runAtStart();
  }

  /** The database is closed later: in `onApplicationShutdown`. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.byName.values()].map((job) => job.end()));
  }

  /** After the jobs, which start the attempts. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.end()));
  }

  get all(): ScheduledJob[] {
    return [...this.byName.values()];
  }

  /**
   * The names of the jobs under a lease that no process has finished for three of their intervals, whatever their leases say. The
   * other jobs run in every process, and nothing outside of the process can stop them.
   */
  async listOverdue(): Promise<readonly string[]> {
    const sinceStart = (performance.now() - this.startedAt) / 1000;
    const sinceSuccess = await this.leases.findSecondsSinceSuccess();
    this.overdue = this.all
      .filter(({ options }) => options.exclusive)
      .filter(({ options }) => {
        const interval = ('dailyAt' in options ? DAY_MS : this.intervalMs(options)) / 1000;
        const longest = INTERVALS_UNTIL_OVERDUE * interval + LONGEST_RUN_SECONDS;
        // After a stop of all processes the last success is old; the first run may come only after an interval.
        const hasHadTime = sinceStart > Math.min(interval, LONGEST_RUN_SECONDS);
        return hasHadTime && (sinceSuccess.get(options.name) ?? sinceStart) > longest;
      })
      .map(({ options }) => options.name);
    return this.overdue;
  }

  get(name: string): ScheduledJob {
    const job = this.byName.get(name);
    if (!job) throw new Error(`No job is called ${name}.`);
    return job;
  }

  queue(name: string): WorkQueue {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`No queue is called ${name}.`);
    return queue;
  }

  private add(options: JobOptions, method: JobMethod): void {
    if (this.byName.has(options.name)) throw new Error(`Two jobs are called ${options.name}.`);
    this.byName.set(options.name, new ScheduledJob(options, method, this.leases, this.clock));
  }

  /** One after the other, because all at once would open many connections to the database. Daily jobs are the last: they may take long. */
  private async runAtStart(): Promise<void> {
    const rankOf = ({ options }: ScheduledJob) => ('dailyAt' in options ? 1 : 0);
    const jobs = this.all.filter(({ options }) => options.atStart).sort((a, b) => rankOf(a) - rankOf(b));
    for (const job of jobs) await job.runOnce().catch(() => undefined); // the run has logged its error
  }

  private intervalMs(options: JobOptions): number {
    if ('dailyAt' in options) return DAILY_JOB_CHECK_SECONDS * 1000;
    const { everySeconds } = options;
    return 1000 * (typeof everySeconds === 'number' ? everySeconds : this.config[everySeconds]);
  }
}
