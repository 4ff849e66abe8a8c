import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { endFamily, lockFamily } from './session-families.js';
import type { SessionFamily, Subject } from './sessions.service.js';
import { decryptSuccessor, encryptSuccessor } from './domain/successor-cipher.js';

const TTL_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;
/** How long a spent token answers its successor again. By the database's clock alone: the processes' clocks differ. */
export const REPEATABLE_SECONDS = 10;

interface Row {
  family_id: string;
  wallet_id: string | null;
  subject_type: Subject['type'];
  subject_id: string;
  expires_at: Date;
  spent_at: Date | null;
  revoked_at: Date | null;
  successor: Buffer | null;
  is_repeatable: boolean | null;
}

export interface RefusedToken {
  readonly refusal: Extract<ErrorCode, 'INVALID_REFRESH_TOKEN' | 'REFRESH_TOKEN_REVOKED'>;
}

/** What a refresh token is worth: whom it is for, or why it is refused. */
export type RefreshTokenCheck =
  (SessionFamily & { readonly subject: Subject; readonly expiresAt: Date }) | RefusedToken;

/** What never changes of a refresh token, and whether it was revoked, which is final. */
export interface TokenOrigin {
  readonly subject: Subject;
  readonly familyId: string;
  readonly isRevoked: boolean;
}

/** Whom a spent token was for, and the token that replaces it. */
export interface SpentToken extends SessionFamily {
  readonly subject: Subject;
  readonly successor: string;
}

/** Opaque tokens of 256 bits, each good for one use within seven days. Real time. */
@Injectable()
export class RefreshTokensService {
  constructor(private readonly dataSource: DataSource) {}

  async issue(tx: Tx, subject: Subject, family: SessionFamily): Promise<string> {
    const token = newToken();
    await tx.query(INSERT, newRow(token, subject, family));
    return token;
  }

  /** Looks at a token without spending it. A spent one is worth nothing from the first moment. */
  async look(token: string): Promise<RefreshTokenCheck> {
    return worthOf(await this.dataSource.query<Row[]>(SELECT, [hashOf(token)]));
  }

  /** Undefined for a token that never was, or is long expired. */
  async originOf(token: string): Promise<TokenOrigin | undefined> {
    const [row] = await this.dataSource.query<Row[]>(SELECT, [hashOf(token)]);
    if (!row) return undefined;
    const { family_id: familyId, revoked_at: revokedAt } = row;
    return { subject: subjectOf(row), familyId, isRevoked: revokedAt !== null };
  }

  /**
   * Spends a token and issues its successor. One that was spent a moment ago has the same successor again; one that was
   * spent before that ends its whole family, in this transaction: commit it, then refuse.
   */
  async spend(tx: Tx, token: string, familyId: string): Promise<SpentToken | RefusedToken> {
    await lockFamily(tx, familyId);
    const rows = await tx.query<Row[]>(SELECT, [hashOf(token)]);
    const worth = worthOf(rows);
    if ('subject' in worth) return { ...worth, successor: await this.replace(tx, token, worth) };
    const [row] = rows;
    if (!row?.spent_at || row.revoked_at) return worth;
    if (row.is_repeatable && row.successor)
      return {
        subject: subjectOf(row),
        ...familyOf(row),
        successor: decryptSuccessor(row.successor, token),
      };
    await endFamily(tx, familyId);
    return worth;
  }

  private async replace(tx: Tx, token: string, worth: Exclude<RefreshTokenCheck, RefusedToken>) {
    const successor = newToken();
    await tx.query(
      `with spent as (update refresh_token set spent_at = clock_timestamp(), successor = $8 where token_hash = $9)
       ${INSERT}`,
      [...newRow(successor, worth.subject, worth), encryptSuccessor(successor, token), hashOf(token)],
    );
    return successor;
  }
}

const INSERT = `
  insert into refresh_token (token_hash, family_id, wallet_id, subject_type, subject_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)`;

const SELECT = `
  select *, spent_at > clock_timestamp() - interval '${REPEATABLE_SECONDS} seconds' as is_repeatable
    from refresh_token where token_hash = $1`;

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function newRow(token: string, { type, id }: Subject, { familyId, walletId }: SessionFamily): unknown[] {
  const now = realNow();
  return [hashOf(token), familyId, walletId, type, id, now, new Date(now.getTime() + TTL_MS)];
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function subjectOf({ subject_type: type, subject_id: id }: Row): Subject {
  return { type, id };
}

function familyOf({ family_id: familyId, wallet_id: walletId }: Row): SessionFamily {
  return { familyId, walletId };
}

function worthOf([row]: Row[]): RefreshTokenCheck {
  if (!row || (!row.spent_at && row.expires_at <= realNow())) return { refusal: 'INVALID_REFRESH_TOKEN' };
  if (row.spent_at || row.revoked_at) return { refusal: 'REFRESH_TOKEN_REVOKED' };
  return { subject: subjectOf(row), ...familyOf(row), expiresAt: row.expires_at };
}
