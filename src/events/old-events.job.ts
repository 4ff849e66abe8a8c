import { Injectable } from '@nestjs/common';
import { Job } from '../jobs/job.decorator.js';
import { EventLogRepository } from './event-log.repository.js';

export const KEPT_EVENT_DAYS = 35;
const BATCH_ROWS = 5000;

@Injectable()
export class OldEventsJob {
  constructor(private readonly events: EventLogRepository) {}

  @Job({
    name: 'old-events',
    purpose: 'Deletes domain events that are older than 35 days',
    everySeconds: 60,
    exclusive: true,
  })
  async deleteOldEvents(stopping: AbortSignal): Promise<void> {
    const deleteBatch = () => this.events.deleteOldEvents(KEPT_EVENT_DAYS, BATCH_ROWS);
    while ((await deleteBatch()) === BATCH_ROWS && !stopping.aborted);
  }
}
