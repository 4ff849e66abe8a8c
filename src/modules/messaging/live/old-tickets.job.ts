import { Injectable } from '@nestjs/common';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import { TicketsRepository } from './tickets.repository.js';

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
    while ((await this.tickets.deleteExpiredTickets()) === DELETE_BATCH_ROWS && !stopping.aborted);
  }
}
