import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DatabaseClock } from '../../../database/database-clock.js';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import type { WriteBehindBuffer } from '../../../common/write-behind-buffer.js';
import { SUCCESSOR_REPEAT_SECONDS } from './auth.types.js';
import { PrincipalsService } from './principals.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** Rows that one statement updates, so that it holds its locks for a short time. */
const ROWS_AT_ONCE = 1000;

@Injectable()
export class SessionActivityJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('SessionActivity');

  constructor(
    private readonly sessions: SessionsService,
    private readonly principals: PrincipalsService,
    private readonly repository: SessionsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Runs after the last request and the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeActivity().catch((error: unknown) =>
      this.log.warn({ msg: 'the last activity of sessions could not be stored', err: error }),
    );
  }

  /** Stores nothing while the process's clock is wrong, because the times come from that clock. */
  @Job({
    name: 'session-activity',
    purpose: 'Stores when sessions made their last requests',
    everySeconds: 60,
  })
  async storeActivity(): Promise<void> {
    if (!this.clock.isInSync) return;
    await this.storeBatches('sign_in', this.sessions.unstoredActivity);
    await this.storeBatches('session', this.principals.unstoredAdminActivity);
  }

  private async storeBatches(table: 'session' | 'sign_in', unstored: WriteBehindBuffer<Date>): Promise<void> {
    const lastSeen = unstored.entries;
    for (let from = 0; from < lastSeen.length; from += ROWS_AT_ONCE) {
      const batch = lastSeen.slice(from, from + ROWS_AT_ONCE);
      await this.repository.updateLastSeen(table, batch);
      unstored.removeStored(batch);
    }
  }
}

@Injectable()
export class ExpiredSessionsJob {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Deletes nothing while the process's clock is wrong, because valid rows could seem expired. */
  @Job({
    name: 'expired-sessions',
    purpose: 'Deletes expired sessions and refresh tokens, and ended sign-ins that are older than 90 days',
    everySeconds: 600,
  })
  async deleteExpiredSessions(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isInSync) return;
    await this.sessions.deleteExpired('session', stopping);
    await this.sessions.deleteExpired('refresh_token', stopping);
    while ((await this.sessions.deleteOldSignIns()) === DELETE_BATCH_ROWS && !stopping.aborted);
  }

  @Job({
    name: 'refresh-token-successors',
    purpose:
      'Deletes the encrypted successors of refresh tokens that were spent too long ago to be answered again',
    everySeconds: SUCCESSOR_REPEAT_SECONDS,
  })
  deleteOldSuccessors(): Promise<void> {
    return this.sessions.deleteOldSuccessors();
  }
}
