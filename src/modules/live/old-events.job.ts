import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { TicketsRepository } from './tickets.repository.js';

const BATCH_ROWS = 5000;

@Injectable()
export class OldEventsJob {
  constructor(
    private readonly events: LiveEventsRepository,
    private readonly tickets: TicketsRepository,
  ) {}

  @Job({
    name: 'old-live-events',
    purpose: 'Deletes events of live delivery that are older than 25 hours, and expired tickets',
    everySeconds: 60,
    exclusive: true,
  })
  async deleteOldRows(stopping: AbortSignal): Promise<void> {
    const deletions = [
      () => this.events.deleteOldEvents(BATCH_ROWS),
      () => this.tickets.deleteExpiredTickets(BATCH_ROWS),
    ];
    for (const deleteRows of deletions) {
      let deleted: number;
      do deleted = await deleteRows();
      while (deleted === BATCH_ROWS && !stopping.aborted);
    }
  }
}
