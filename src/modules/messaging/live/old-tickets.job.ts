import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { TicketsRepository } from './tickets.repository.js';

const BATCH_ROWS = 5000;

@Injectable()
export class OldTicketsJob {
  constructor(private readonly tickets: TicketsRepository) {}

  @Job({
    name: 'old-live-tickets',
    purpose: 'Deletes expired tickets of live delivery',
    everySeconds: 60,
    exclusive: true,
  })
  async deleteExpiredTickets(stopping: AbortSignal): Promise<void> {
    let deleted: number;
    do deleted = await this.tickets.deleteExpiredTickets(BATCH_ROWS);
    while (deleted === BATCH_ROWS && !stopping.aborted);
  }
}
