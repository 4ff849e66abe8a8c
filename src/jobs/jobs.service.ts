import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppConfig } from '../config/app-config.js';
import { Leases } from './leases.js';
import { Clock } from '../common/clock.js';
import { declaredJobs } from './declared-jobs.js';
import type { JobOptions } from './job.decorator.js';
import { ScheduledJob } from './scheduled-job.js';

/** How often a daily job checks whether it is due. */
const DAILY_JOB_CHECK_SECONDS = 60;

/** Runs all methods with `@Job` as scheduled, from the start of the application to its end. */
@Injectable()
export class Jobs implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly byName = new Map<string, ScheduledJob>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    for (const { options, method } of declaredJobs(this.discovery)) {
      if (this.byName.has(options.name)) throw new Error(`Two jobs are called ${options.name}.`);
      this.byName.set(options.name, new ScheduledJob(options, method, this.leases, this.clock));
    }
  }

  onApplicationBootstrap(): void {
    for (const job of this.byName.values()) job.start(this.intervalMs(job.options));
  }

  /** The database is closed later: in `onApplicationShutdown`. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.byName.values()].map((job) => job.end()));
  }

  get all(): ScheduledJob[] {
    return [...this.byName.values()];
  }

  get(name: string): ScheduledJob {
    const job = this.byName.get(name);
    if (!job) throw new Error(`No job is called ${name}.`);
    return job;
  }

  private intervalMs(options: JobOptions): number {
    if ('dailyAt' in options) return DAILY_JOB_CHECK_SECONDS * 1000;
    const { everySeconds } = options;
    return 1000 * (typeof everySeconds === 'number' ? everySeconds : this.config[everySeconds]);
  }
}
