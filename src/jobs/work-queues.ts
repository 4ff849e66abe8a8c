import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../common/clock.js';
import { DatabaseClock } from '../database/database-clock.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Jobs } from './jobs.service.js';
import { WorkQueue, type ClaimedItem, type QueueOptions } from './work-queue.js';

/** Creates the queues of the modules and ends their attempts at shutdown, after the jobs. */
@Injectable()
export class WorkQueues implements BeforeApplicationShutdown {
  private readonly queues: { end: () => Promise<void> }[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly jobs: Jobs,
  ) {}

  create<Row extends { id: string; attempts: number; dueAt: Date }, Item extends ClaimedItem>(
    options: QueueOptions<Row, Item>,
  ): WorkQueue<Row, Item> {
    const { dataSource, unitOfWork, clock, databaseClock, jobs } = this;
    const queue = new WorkQueue(options, { dataSource, unitOfWork, clock, databaseClock, jobs });
    this.queues.push(queue);
    return queue;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.end()));
  }
}
