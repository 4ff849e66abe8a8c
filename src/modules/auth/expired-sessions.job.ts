import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../database/database-clock.js';
import { Job } from '../../jobs/job.decorator.js';
import { SUCCESSOR_REPEAT_SECONDS } from './auth.constants.js';
import { EXPIRED_ROWS_AT_ONCE, SessionsRepository } from './sessions.repository.js';

@Injectable()
export class ExpiredSessionsJob {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Deletes nothing while the process's clock is wrong. */
  @Job({
    name: 'expired-sessions',
    purpose: 'Deletes sessions, refresh tokens and sign-ins that have expired',
    everySeconds: 600,
  })
  async deleteExpiredSessions(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isRight) return;
    for (const deleteSome of [
      () => this.sessions.deleteExpiredSessions(),
      () => this.sessions.deleteExpiredRefreshTokens(),
      () => this.sessions.deleteExpiredSignIns(),
    ])
      while ((await deleteSome()) === EXPIRED_ROWS_AT_ONCE && !stopping.aborted);
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
