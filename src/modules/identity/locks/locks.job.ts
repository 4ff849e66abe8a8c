import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { Job } from '../../../jobs/job.decorator.js';
import { LockTokensRepository } from './lock-tokens.repository.js';

@Injectable()
export class ExpiredLockLinksJob {
  constructor(
    private readonly tokens: LockTokensRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Deletes nothing while the process's clock is wrong, because valid rows could seem expired. */
  @Job({
    name: 'expired-lock-links',
    purpose: 'Deletes expired tokens of lock links',
    everySeconds: 600,
  })
  async deleteExpired(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isInSync) return;
    await this.tokens.deleteExpired(realNow(), stopping);
  }
}
