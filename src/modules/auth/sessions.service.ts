import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';
import { newId } from '../../common/ids.js';
import { endFamily, lockFamily } from './session-families.js';
import { TOKEN_TTL_SECONDS, type TokenType } from './tokens.service.js';

/** Whom a session or a refresh token is for. */
export interface Subject {
  readonly type: TokenType;
  readonly id: string;
}

/** All that descends from one sign-in. */
export interface SessionFamily {
  readonly familyId: string;
  /** The wallet that signed in; null for any other sign-in. */
  readonly walletId: string | null;
}

/** What stands behind a token at this moment. */
export interface SessionState {
  readonly revoked: boolean;
  readonly subjectType: TokenType;
  readonly subjectId: string;
  /** Status of the user; null for an admin, whose status the configuration knows. */
  readonly userStatus: string | null;
}

const CACHED_SESSIONS = 50_000;

/**
 * A row per token: a token counts only while its session stands. Real time.
 *
 * States are cached, so that a request costs no query. A change anywhere is told by a notice and forgotten here;
 * while notices can not be relied on, every request asks the database.
 */
@Injectable()
export class SessionsService {
  private readonly bySession = new Map<string, SessionState>();
  private readonly sessionsOf = new Map<string, Set<string>>();
  /** Counts notices: a state that was read while one arrived is not kept. */
  private changes = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly notices: PgNotifications,
  ) {
    notices.subscribe('session', (id) => this.forget([id]));
    notices.subscribe('user', (userId) => this.forget(this.sessionsOf.get(userId) ?? []));
    notices.onReconnect(() => this.forget(this.bySession.keys()));
  }

  /** Opens a session in a family and returns its id, the token's `jti`. */
  async open(tx: Tx, subject: Subject, { familyId, walletId }: SessionFamily): Promise<string> {
    const id = newId();
    const now = realNow();
    await tx.query(
      `insert into session (id, family_id, wallet_id, subject_type, subject_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[id, familyId, walletId, subject.type, subject.id],
        ...[now, new Date(now.getTime() + TOKEN_TTL_SECONDS * 1000)],
      ],
    );
    return id;
  }

  /** Undefined for a session that never was. */
  async state(id: string): Promise<SessionState | undefined> {
    const cached = this.notices.isCurrent ? this.bySession.get(id) : undefined;
    if (cached) return cached;
    const before = this.changes;
    const [state] = await this.dataSource.query<SessionState[]>(
      prepared(`select revoked_at is not null as revoked, platform_user.status as "userStatus",
              subject_type as "subjectType", subject_id as "subjectId"
         from session
         left join platform_user on subject_type = 'user' and platform_user.id = subject_id::uuid
        where session.id = $1`),
      [id],
    );
    if (state && this.changes === before && this.notices.isCurrent) this.remember(id, state);
    return state;
  }

  /** Ends a session with all that descends from the same sign-in: its refresh tokens are refused too. */
  async revoke(tx: Tx, id: string): Promise<void> {
    const [session] = await tx.query<{ familyId: string }[]>(
      'select family_id as "familyId" from session where id = $1',
      [id],
    );
    if (!session) return;
    await lockFamily(tx, session.familyId);
    await endFamily(tx, session.familyId);
  }

  /**
   * Ends every session of a user, with all refresh tokens. The caller has locked the user's row, which every sign-in and
   * refresh locks first: none of them is under way.
   */
  async revokeAll(tx: Tx, { type, id }: Subject): Promise<void> {
    await tx.query(
      `with tokens as (update refresh_token set revoked_at = $3, successor = null
                        where subject_type = $1 and subject_id = $2 and revoked_at is null)
       update session set revoked_at = $3 where subject_type = $1 and subject_id = $2 and revoked_at is null`,
      [type, id, realNow()],
    );
  }

  /** Ends all families that a wallet has opened. The caller has locked the row of the wallet's user, as for `revokeAll`. */
  async revokeOpenedBy(tx: Tx, walletId: string): Promise<void> {
    await tx.query(
      `with family as (select family_id from session where wallet_id = $1
                       union select family_id from refresh_token where wallet_id = $1),
            tokens as (update refresh_token set revoked_at = $2, successor = null
                        where family_id in (select family_id from family) and revoked_at is null)
       update session set revoked_at = $2
        where family_id in (select family_id from family) and revoked_at is null`,
      [walletId, realNow()],
    );
  }

  private remember(id: string, state: SessionState): void {
    if (this.bySession.size >= CACHED_SESSIONS) {
      this.bySession.clear();
      this.sessionsOf.clear();
    }
    this.bySession.set(id, state);
    const { subjectId } = state;
    this.sessionsOf.set(subjectId, (this.sessionsOf.get(subjectId) ?? new Set()).add(id));
  }

  /** After a change made here: its notice would come a moment later. */
  forget(ids: Iterable<string>): void {
    this.changes++;
    for (const id of [...ids]) {
      const entry = this.bySession.get(id);
      if (!entry) continue;
      this.bySession.delete(id);
      const siblings = this.sessionsOf.get(entry.subjectId);
      siblings?.delete(id);
      if (siblings?.size === 0) this.sessionsOf.delete(entry.subjectId);
    }
  }
}
