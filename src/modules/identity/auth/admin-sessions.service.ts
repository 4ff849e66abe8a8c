import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { realNow } from '../../../common/clock.js';
import { HOUR_MS, MINUTE_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { timeOfId } from '../../../common/ids.js';
import { WriteBehindBuffer } from '../../../common/write-behind-buffer.js';
import { hasFactor, type SessionState } from './auth.types.js';
import { SessionsService } from './sessions.service.js';

const MAX_UNSTORED_SESSIONS = 10_000;
/** With this value of ADMIN_SESSION_HOURS a session ends with its token, and refreshing the token continues it. */
const HOURS_OF_TOKEN = 24;

/** Decides when a session of an admin ends before its token expires. Times are real time. */
@Injectable()
export class AdminSessionsService {
  /** Times of admins' last requests to this process, by the ids of the sessions. `SessionActivityJob` stores them. */
  readonly unstoredActivity = new WriteBehindBuffer<Date>(MAX_UNSTORED_SESSIONS);

  constructor(
    private readonly config: AppConfig,
    private readonly sessions: SessionsService,
  ) {}

  /** A session without a second factor can only register one while ADMIN_SECOND_FACTOR requires one. */
  needsSecondFactor({ openedBy }: SessionState): boolean {
    return this.config.adminSecondFactor === 'required' && !hasFactor(openedBy);
  }

  /**
   * Records a request, and returns the end of the session, at latest the end of its token. Throws TOKEN_EXPIRED if ADMIN_SESSION_HOURS
   * have passed since the sign-in, or ADMIN_SESSION_IDLE_MINUTES since the last request.
   */
  async requireCurrent(id: string, session: SessionState, tokenExpiresAt: Date): Promise<Date> {
    const now = realNow();
    const expiresAt = this.endOf(session, tokenExpiresAt);
    if (expiresAt <= now) throwError('TOKEN_EXPIRED');
    const idleMs = this.config.ADMIN_SESSION_IDLE_MINUTES * MINUTE_MS;
    if (idleMs === 0) return expiresAt;
    const isIdle = (lastSeenAt: Date) => now.getTime() - lastSeenAt.getTime() > idleMs;
    // Another process may have served the session meanwhile.
    if (isIdle(session.lastSeenAt) && isIdle((await this.sessions.findLastSeen(id)) ?? session.lastSeenAt))
      throwError('TOKEN_EXPIRED');
    session.lastSeenAt = now;
    this.unstoredActivity.setValue(id, now);
    return expiresAt;
  }

  /** The time of the sign-in is in the id of the family, which is sealed. */
  private endOf({ familyId }: SessionState, tokenExpiresAt: Date): Date {
    const hours = this.config.ADMIN_SESSION_HOURS;
    if (hours === HOURS_OF_TOKEN) return tokenExpiresAt;
    return new Date(Math.min(tokenExpiresAt.getTime(), timeOfId(familyId) + hours * HOUR_MS));
  }
}
