import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deleteBatch, deleteExpiredRows } from '../../../jobs/delete-batch.js';
import { insertRow } from '../../../database/entity-rows.js';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { realNow } from '../../../common/clock.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSealsOf, findOneSealed, findSealed } from '../../core/seals/seals.repository.js';
import { TEST_USERS, userColumn } from '../users/users.repository.js';
import {
  REFRESH_TOKEN_TTL_MS,
  SIGN_IN_RETENTION_MS,
  SUCCESSOR_REPEAT_SECONDS,
  type SessionState,
  type Subject,
} from './auth.types.js';
import { Session, RefreshToken } from './entities/session.entity.js';

/** Expired rows of test users (`TEST_USERS` of the module users). Parameters: the admins' e-mail addresses, the real time. */
const EXPIRED_OF_TEST_USERS = `subject_type = 'user' and expires_at <= $2
  and subject_id in (select id::text from ${TEST_USERS})`;

type ExpiringTable = 'session' | 'refresh_token';

export type NewRefreshToken = Omit<RefreshToken, 'spentAt' | 'revokedAt' | 'successor'>;

/**
 * `isRepeatable`: the token was spent at most SUCCESSOR_REPEAT_SECONDS ago, so that its successor is returned again; null for a token
 * that is not spent.
 */
type DatabaseTime = { readonly isRepeatable: boolean | null; readonly databaseNow: Date };
export type StoredRefreshToken = RefreshToken & Seal & DatabaseTime;

/** What `ended_seal` holds for a family that has ended. */
const FAMILY_SEAL = 'uuid_send(family_id)';

/** A session with the status of its user. */
export type StoredSession = Session & Seal & UserStatusOfSession;
type UserStatusOfSession = Pick<SessionState, 'userStatus'>;

/** The new row of a refresh token that is spent, and the row of the token that replaces it. */
interface Replacement {
  readonly spent: Pick<RefreshToken, 'tokenHash' | 'spentAt' | 'successor' | 'seal'>;
  readonly next: NewRefreshToken;
}

/** With a column of the module users, so that the authentication of a request costs one statement. */
const WITH_USER_STATUS = {
  seals: [FAMILY_SEAL],
  columns: {
    userStatus: `case when subject_type = 'user' then ${userColumn('session.subject_id::uuid', 'status')} end`,
  },
};
const WITH_DATABASE_TIME = {
  seals: [FAMILY_SEAL],
  columns: {
    databaseNow: 'clock_timestamp()',
    isRepeatable: `spent_at > clock_timestamp() - interval '${SUCCESSOR_REPEAT_SECONDS} seconds'`,
  },
};

/** Rows that the service has not revoked: its revocation also removes the seal, unlike a mark that somebody has set in the database. */
const IS_OPEN = '(revoked_at is null or seal is not null)';

/** Which rows a revocation selects, as SQL. */
interface Revoked {
  /** The condition of refresh tokens and sessions. */
  readonly condition: string;
  /** The condition of sign-ins. */
  readonly signIns: string;
  /** A statement for the `with` clause, to which both conditions can refer. */
  readonly families?: string;
}

/**
 * Revokes the refresh tokens and sessions that a condition selects, ends their seals and their families, and returns the ids of the
 * sessions. Families are also found by their sign-ins, because an attacker may have changed or deleted the other rows, and may write them
 * back afterwards. Parameters: those of the conditions, and the real time, whose placeholder is
 * `time`.
 */
function revocation({ condition, signIns, families = '' }: Revoked, time: string): string {
  return `with ${families} token as (
            select token_hash, family_id, seal, expires_at from refresh_token where ${condition} and ${IS_OPEN} for no key update
          ), opened as (
            select id, family_id, seal, expires_at from session where ${condition} and ${IS_OPEN} for no key update
          ), ended_tokens as (${endSealsOf('token')}), ended_sessions as (${endSealsOf('opened')}),
          family_seal as (
            select ${FAMILY_SEAL} as seal, ${time}::timestamptz + interval '${REFRESH_TOKEN_TTL_MS} milliseconds' as expires_at
              from (select family_id from token union select family_id from opened
                    union select family_id from sign_in where ${signIns}) as family_of_row
          ), ended_families as (${endSealsOf('family_seal')}), revoked_tokens as (
            update refresh_token set revoked_at = ${time}, successor = null, seal = null
              from token where refresh_token.token_hash = token.token_hash
          )
          update session set revoked_at = ${time}, seal = null from opened where session.id = opened.id returning session.id`;
}

const OF_SUBJECT = 'subject_type = $1 and subject_id = $2';
const OF_USER = `$1 = 'user' and user_id = ($2::text)::uuid`;
const OF_OTHERS = 'family_id not in (select family_id from current)';
const OF_WALLET = 'family_id in (select family_id from family)';

const REVOCATION_OF_FAMILY = revocation({ condition: 'family_id = $1', signIns: 'family_id = $1' }, '$2');
const REVOCATION_OF_SUBJECT = revocation({ condition: OF_SUBJECT, signIns: OF_USER }, '$3');
const REVOCATION_OF_OTHERS = revocation(
  {
    families: 'current as (select family_id from session where id = $4),',
    condition: `${OF_SUBJECT} and ${OF_OTHERS}`,
    signIns: `${OF_USER} and ${OF_OTHERS}`,
  },
  '$3',
);
const REVOCATION_OF_WALLET = revocation(
  {
    families: `family as (select family_id from session where wallet_id = $1
                          union select family_id from refresh_token where wallet_id = $1),`,
    condition: OF_WALLET,
    signIns: OF_WALLET,
  },
  '$2',
);

/** Sessions and refresh tokens, which are revoked together. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly dataSource: DataSource) {}

  insertSession(tx: Tx, session: Omit<Session, 'revokedAt' | 'lastSeenAt'>): void {
    insertRow(tx, Session, session);
  }

  findSession(
    id: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredSession | undefined> {
    return findOneSealed<Session, UserStatusOfSession>(manager, Session, 'id = $1', [id], WITH_USER_STATUS);
  }

  findSessions(ids: readonly string[]): Promise<StoredSession[]> {
    const { manager } = this.dataSource;
    return findSealed<Session, UserStatusOfSession>(
      manager,
      Session,
      'id = any($1::uuid[])',
      [ids],
      WITH_USER_STATUS,
    );
  }

  /**
   * Stores the times of last requests, by the ids of sessions or of sign-ins. Never replaces a time by an earlier one. Locks the
   * rows in the order of their ids, so that processes cannot deadlock.
   */
  async updateLastSeen(
    table: 'session' | 'sign_in',
    lastSeen: readonly (readonly [id: string, at: Date])[],
  ): Promise<void> {
    const id = table === 'session' ? 'id' : 'family_id';
    await this.dataSource.query(
      `with seen as (
         select ${id}, seen.at
           from ${table} join unnest($1::uuid[], $2::timestamptz[]) as seen (${id}, at) using (${id})
          where last_seen_at is null or last_seen_at < seen.at order by ${id} for no key update of ${table}
       )
       update ${table} set last_seen_at = greatest(last_seen_at, seen.at) from seen where ${table}.${id} = seen.${id}`,
      [lastSeen.map(([name]) => name), lastSeen.map(([, at]) => at)],
    );
  }

  async findFamilyId(tx: Tx, sessionId: string): Promise<string | undefined> {
    const session = await tx.findOne(Session, { select: { familyId: true }, where: { id: sessionId } });
    return session?.familyId;
  }

  insertRefreshToken(tx: Tx, token: NewRefreshToken): void {
    insertRow(tx, RefreshToken, token);
  }

  /** `hashes`: the forms in which the database may hold the token. */
  findRefreshToken(
    hashes: readonly Buffer[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredRefreshToken | undefined> {
    const hasHash = 'token_hash = any($1::bytea[])';
    return findOneSealed<RefreshToken, DatabaseTime>(
      manager,
      RefreshToken,
      hasHash,
      [hashes],
      WITH_DATABASE_TIME,
    );
  }

  /** Marks a token as spent, ends its seal, stores its encrypted successor with it, and inserts the successor. One statement. */
  async replaceRefreshToken(tx: Tx, { spent, next }: Replacement): Promise<void> {
    await tx.query(
      `with former as (select seal, expires_at from refresh_token where token_hash = $1), ended as (${endSealsOf('former')}),
            spent as (update refresh_token set spent_at = $2, successor = $3, seal = $4 where token_hash = $1)
       insert into refresh_token (token_hash, family_id, wallet_id, opened_by, subject_type, subject_id, created_at, expires_at, seal)
       values ($5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        spent.tokenHash,
        spent.spentAt,
        spent.successor,
        spent.seal,
        next.tokenHash,
        next.familyId,
        next.walletId,
        next.openedBy,
        next.subjectType,
        next.subjectId,
        next.createdAt,
        next.expiresAt,
        next.seal,
      ],
    );
  }

  /**
   * Serialises spending, issuing and revoking in a family until the transaction ends. The lock is a statement of its own, so
   * that later statements see the tokens that were committed before it was granted.
   */
  async lockFamily(tx: Tx, familyId: string): Promise<void> {
    await lockName(tx, `session-family:${familyId}`);
  }

  /** Revokes a family and returns the ids of the revoked sessions. The caller has locked the family (`lockFamily`). */
  async revokeFamily(tx: Tx, familyId: string): Promise<string[]> {
    const [revoked] = await tx.query<[{ id: string }[], number]>(REVOCATION_OF_FAMILY, [familyId, realNow()]);
    return revoked.map(({ id }) => id);
  }

  async revokeSessionsOfSubject(tx: Tx, { type, id }: Subject): Promise<void> {
    await tx.query(REVOCATION_OF_SUBJECT, [type, id, realNow()]);
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
    const [revoked] = await tx.query<[{ id: string }[], number]>(REVOCATION_OF_OTHERS, [
      type,
      id,
      realNow(),
      sessionId,
    ]);
    return revoked.map(({ id: revokedId }) => revokedId);
  }

  async revokeFamiliesOfWallet(tx: Tx, walletId: string): Promise<void> {
    await tx.query(REVOCATION_OF_WALLET, [walletId, realNow()]);
  }

  async deleteSessionsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(RefreshToken, { subjectType: 'user', subjectId: userId });
    await tx.delete(Session, { subjectType: 'user', subjectId: userId });
  }

  /** Deletes a batch of expired rows of test users and returns their number. */
  deleteExpiredOfTestUsers(
    tx: Tx,
    table: ExpiringTable,
    adminEmails: readonly string[],
    until: Date,
  ): Promise<number> {
    return deleteBatch(tx, { table, condition: EXPIRED_OF_TEST_USERS, parameters: [adminEmails, until] });
  }

  deleteExpired(table: ExpiringTable, stopping: AbortSignal): Promise<void> {
    return deleteExpiredRows(this.dataSource, table, realNow(), stopping);
  }

  /** Deletes a batch of the sign-ins that are older than SIGN_IN_RETENTION_MS and have no valid token, and returns their number. */
  deleteOldSignIns(): Promise<number> {
    const now = realNow();
    return deleteBatch(this.dataSource, {
      table: 'sign_in',
      condition: 'created_at <= $1 and expires_at <= $2',
      parameters: [new Date(now.getTime() - SIGN_IN_RETENTION_MS), now],
      orderBy: 'created_at',
    });
  }

  async deleteOldSuccessors(): Promise<void> {
    await this.dataSource.query(
      `update refresh_token set successor = null, seal = null
        where successor is not null
          and spent_at <= clock_timestamp() - interval '${SUCCESSOR_REPEAT_SECONDS} seconds'`,
    );
  }
}
