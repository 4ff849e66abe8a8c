import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { deleteBatch } from '../../jobs/delete-batch.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';
import { TEST_USERS } from '../users/users.repository.js';
import {
  SUCCESSOR_REPEAT_SECONDS,
  type SessionState,
  type SignInMethod,
  type Subject,
} from './auth.types.js';
import { RefreshToken } from './entities/refresh-token.entity.js';
import { Session } from './entities/session.entity.js';

/** Expired rows of test users (`TEST_USERS` of the module users). Parameters: the admins' e-mail addresses, the real time. */
const EXPIRED_OF_TEST_USERS = `subject_type = 'user' and expires_at <= $2
  and subject_id in (select id::text from ${TEST_USERS})`;

export type NewRefreshToken = Omit<RefreshToken, 'spentAt' | 'revokedAt' | 'successor'>;

/** `isRepeatable`: the token was spent so recently that its successor is returned again; null for one that is not spent. */
export type StoredRefreshToken = RefreshToken & { readonly isRepeatable: boolean | null };

/** Sessions and refresh tokens, which are revoked together. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertSession(tx: Tx, session: Omit<Session, 'revokedAt'>): Promise<void> {
    await tx.insert(Session, session);
  }

  /** Joins `platform_user` of the module users, so that the authentication of a request costs one statement. */
  async findSessionState(id: string): Promise<SessionState | undefined> {
    const [state] = await this.dataSource.query<SessionState[]>(
      prepared(`select family_id as "familyId", revoked_at is not null as "isRevoked", platform_user.status as "userStatus",
              subject_type as "subjectType", subject_id as "subjectId"
         from session
         left join platform_user on subject_type = 'user' and platform_user.id = subject_id::uuid
        where session.id = $1`),
      [id],
    );
    return state;
  }

  /**
   * Those of the ids whose session is revoked or deleted, or whose user is not active. Joins `platform_user` of the module
   * users.
   */
  async findEndedSessions(ids: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      prepared(`select id from unnest($1::uuid[]) as candidate(id)
        where not exists (
          select from session
            left join platform_user on subject_type = 'user' and platform_user.id = subject_id::uuid
           where session.id = candidate.id and revoked_at is null
             and (subject_type <> 'user' or platform_user.status = 'active'))`),
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  isOpenSession(tx: Tx, id: string): Promise<boolean> {
    return tx.existsBy(Session, { id, revokedAt: IsNull() });
  }

  async findSignInMethod(sessionId: string): Promise<SignInMethod | null> {
    const session = await this.dataSource.manager.findOneBy(Session, { id: sessionId });
    return session?.openedBy ?? null;
  }

  async findFamilyId(tx: Tx, sessionId: string): Promise<string | undefined> {
    const session = await tx.findOne(Session, { select: { familyId: true }, where: { id: sessionId } });
    return session?.familyId;
  }

  async insertRefreshToken(tx: Tx, token: NewRefreshToken): Promise<void> {
    await tx.insert(RefreshToken, token);
  }

  async findRefreshToken(
    tokenHash: Buffer,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredRefreshToken | undefined> {
    const [token] = await manager.query<StoredRefreshToken[]>(
      `select token_hash as "tokenHash", family_id as "familyId", wallet_id as "walletId", opened_by as "openedBy",
              subject_type as "subjectType", subject_id as "subjectId", created_at as "createdAt",
              expires_at as "expiresAt", spent_at as "spentAt", revoked_at as "revokedAt", successor,
              spent_at > clock_timestamp() - interval '${SUCCESSOR_REPEAT_SECONDS} seconds' as "isRepeatable"
         from refresh_token where token_hash = $1`,
      [tokenHash],
    );
    return token;
  }

  /** Marks a token as spent, stores its encrypted successor with it, and inserts the successor. One statement. */
  async replaceRefreshToken(
    tx: Tx,
    spentHash: Buffer,
    encryptedSuccessor: Buffer,
    next: NewRefreshToken,
  ): Promise<void> {
    await tx.query(
      `with spent as (update refresh_token set spent_at = clock_timestamp(), successor = $8 where token_hash = $9)
       insert into refresh_token (token_hash, family_id, wallet_id, opened_by, subject_type, subject_id, created_at, expires_at)
       values ($1, $2, $3, $10, $4, $5, $6, $7)`,
      [
        next.tokenHash,
        next.familyId,
        next.walletId,
        next.subjectType,
        next.subjectId,
        next.createdAt,
        next.expiresAt,
        encryptedSuccessor,
        spentHash,
        next.openedBy,
      ],
    );
  }

  /**
   * Serialises spending, issuing and revoking in a family until the transaction ends. The lock is a statement of its own, so
   * that later statements see the tokens that were committed before it was granted.
   */
  async lockFamily(tx: Tx, familyId: string): Promise<void> {
    await tx.query(prepared(`select pg_advisory_xact_lock(hashtextextended('session-family:' || $1, 0))`), [
      familyId,
    ]);
  }

  /** Revokes a family and returns the ids of the revoked sessions. The caller has locked the family (`lockFamily`). */
  async revokeFamily(tx: Tx, familyId: string): Promise<string[]> {
    const [revoked] = await tx.query<[{ id: string }[], number]>(
      `with tokens as (update refresh_token set revoked_at = $2, successor = null
                        where family_id = $1 and revoked_at is null)
       update session set revoked_at = $2 where family_id = $1 and revoked_at is null returning id`,
      [familyId, realNow()],
    );
    return revoked.map(({ id }) => id);
  }

  async revokeSessionsOfSubject(tx: Tx, { type, id }: Subject): Promise<void> {
    await tx.query(
      `with tokens as (update refresh_token set revoked_at = $3, successor = null
                        where subject_type = $1 and subject_id = $2 and revoked_at is null)
       update session set revoked_at = $3 where subject_type = $1 and subject_id = $2 and revoked_at is null`,
      [type, id, realNow()],
    );
  }

  /** As `lockFamily`, for all families of a subject; in the order of their ids, so that two callers cannot deadlock. */
  async lockFamiliesOfSubject(tx: Tx, { type, id }: Subject): Promise<void> {
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended('session-family:' || family_id, 0))
         from (select distinct family_id from refresh_token
                where subject_type = $1 and subject_id = $2 and revoked_at is null order by family_id) as family`,
      [type, id],
    );
  }

  /** Like `revokeSessionsOfSubject`, but keeps the family of `sessionId`. Returns the ids of the revoked sessions. */
  async revokeOtherFamilies(tx: Tx, { type, id }: Subject, sessionId: string): Promise<string[]> {
    const [revoked] = await tx.query<[{ id: string }[], number]>(
      `with current as (select family_id from session where id = $4),
            tokens as (update refresh_token set revoked_at = $3, successor = null
                        where subject_type = $1 and subject_id = $2 and revoked_at is null
                          and family_id not in (select family_id from current))
       update session set revoked_at = $3
        where subject_type = $1 and subject_id = $2 and revoked_at is null
          and family_id not in (select family_id from current) returning id`,
      [type, id, realNow(), sessionId],
    );
    return revoked.map(({ id: revokedId }) => revokedId);
  }

  async revokeFamiliesOfWallet(tx: Tx, walletId: string): Promise<void> {
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

  async deleteSessionsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(RefreshToken, { subjectType: 'user', subjectId: userId });
    await tx.delete(Session, { subjectType: 'user', subjectId: userId });
  }

  /** Deletes a batch of expired sessions of test users and returns their number. */
  deleteExpiredSessionsOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    return deleteBatch(tx, {
      table: 'session',
      condition: EXPIRED_OF_TEST_USERS,
      parameters: [adminEmails, until],
    });
  }

  /** Deletes a batch of expired refresh tokens of test users and returns their number. */
  deleteExpiredRefreshTokensOfTestUsers(
    tx: Tx,
    adminEmails: readonly string[],
    until: Date,
  ): Promise<number> {
    return deleteBatch(tx, {
      table: 'refresh_token',
      condition: EXPIRED_OF_TEST_USERS,
      parameters: [adminEmails, until],
    });
  }

  deleteExpiredSessions(): Promise<number> {
    return this.deleteExpired('session');
  }

  deleteExpiredSignIns(): Promise<number> {
    return this.deleteExpired('sign_in');
  }

  deleteExpiredRefreshTokens(): Promise<number> {
    return this.deleteExpired('refresh_token');
  }

  async deleteOldSuccessors(): Promise<void> {
    await this.dataSource.query(
      `update refresh_token set successor = null
        where successor is not null
          and spent_at <= clock_timestamp() - interval '${SUCCESSOR_REPEAT_SECONDS} seconds'`,
    );
  }

  /** Deletes a batch and returns the number of its rows. */
  private deleteExpired(table: 'session' | 'sign_in' | 'refresh_token'): Promise<number> {
    return deleteBatch(this.dataSource, {
      table,
      condition: 'expires_at <= $1',
      parameters: [realNow()],
      orderBy: 'expires_at',
    });
  }
}
