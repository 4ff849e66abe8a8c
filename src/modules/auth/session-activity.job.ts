import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DatabaseClock } from '../../database/database-clock.js';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';
import { SignInsRepository } from './sign-ins.repository.js';

/** Bounds the memory. Requests of further users within the same minute are not recorded. */
const MAX_UNSTORED_SIGN_INS = 50_000;
/** Rows that one statement updates, so that it holds its locks for a short time. */
const ROWS_AT_ONCE = 1000;

/** Collects when users' sessions made requests, and stores it once a minute, so that no request writes. Real time. */
@Injectable()
export class SessionActivityJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('SessionActivity');
  private unstored = new Map<string, Date>();

  constructor(
    private readonly signIns: SignInsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /** Runs after the last request and the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeActivity().catch((error: unknown) =>
      this.log.warn({ msg: 'the last activity of sessions could not be stored', err: error }),
    );
  }

  recordActivity(familyId: string, at = realNow()): void {
    if (!this.unstored.has(familyId) && this.unstored.size >= MAX_UNSTORED_SIGN_INS) return;
    const known = this.unstored.get(familyId);
    if (!known || known < at) this.unstored.set(familyId, at);
  }

  /** When the sign-in made its last request to this process, if that is not stored yet. */
  findUnstoredActivity(familyId: string): Date | undefined {
    return this.unstored.get(familyId);
  }

  /** Keeps what could not be stored. Stores nothing while the process's clock is wrong. */
  @Job({
    name: 'session-activity',
    purpose: "Stores when users' sessions made their last requests",
    everySeconds: 60,
  })
  async storeActivity(): Promise<void> {
    if (!this.clock.isRight) return;
    const seen = [...this.unstored];
    this.unstored = new Map();
    for (let from = 0; from < seen.length; from += ROWS_AT_ONCE) {
      try {
        await this.signIns.updateLastSeen(seen.slice(from, from + ROWS_AT_ONCE));
      } catch (error) {
        for (const [familyId, at] of seen.slice(from)) this.recordActivity(familyId, at);
        throw error;
      }
    }
  }
}
