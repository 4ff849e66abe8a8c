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
import { declaredMethods } from './declared-jobs.js';
import { jobOptionsOf, type JobMethod, type JobOptions } from './job.decorator.js';
import { jobsOfQueue, queueOptionsOf } from './queue.decorator.js';
import { ScheduledJob } from './scheduled-job.js';
import { QueueResources, WorkQueue } from './work-queue.js';

/** How often a daily job checks whether it is due. */
const DAILY_JOB_CHECK_SECONDS = 60;

/** Runs all methods with `@Job` and all queues, methods with `@Queue`, from the start of the application to its end. */
@Injectable()
export class Jobs
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly byName = new Map<string, ScheduledJob>();
  private readonly queues = new Map<string, WorkQueue>();

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
    for (const job of this.byName.values()) job.start(this.intervalMs(job.options));
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

  private intervalMs(options: JobOptions): number {
    if ('dailyAt' in options) return DAILY_JOB_CHECK_SECONDS * 1000;
    const { everySeconds } = options;
    return 1000 * (typeof everySeconds === 'number' ? everySeconds : this.config[everySeconds]);
  }
}
