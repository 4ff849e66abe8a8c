import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../kernel/clock.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import type { Subject } from './sessions.js';

const TTL_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;

interface Row {
  family_id: string;
  subject_type: Subject['type'];
  subject_id: string;
  expires_at: Date;
  spent_at: Date | null;
  revoked_at: Date | null;
}

/** What a refresh token is worth: whom it is for, or why it is refused. */
export type Worth =
  | { readonly subject: Subject; readonly familyId: string; readonly expiresAt: Date }
  | { readonly refusal: Extract<ErrorCode, 'INVALID_REFRESH_TOKEN' | 'REFRESH_TOKEN_REVOKED'> };

/** Opaque tokens of 256 bits, each good for one use within seven days (D15). Real time. */
@Injectable()
export class RefreshTokens {
  constructor(private readonly dataSource: DataSource) {}

  async issue(tx: Tx, subject: Subject, familyId: string): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = realNow();
    await tx.query(
      `insert into refresh_token (token_hash, family_id, subject_type, subject_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [hashOf(token), familyId, subject.type, subject.id, now, new Date(now.getTime() + TTL_MS)],
    );
    return token;
  }

  /** Looks at a token without spending it. */
  async look(token: string): Promise<Worth> {
    return worthOf(await this.dataSource.query<Row[]>(SELECT, [hashOf(token)]));
  }

  /**
   * Spends a token. One that was spent before ends its whole family, in this transaction: commit it, then refuse.
   */
  async spend(tx: Tx, token: string): Promise<Worth> {
    const rows = await tx.query<Row[]>(`${SELECT} for update`, [hashOf(token)]);
    const worth = worthOf(rows);
    const now = realNow();
    if ('subject' in worth) {
      await tx.query('update refresh_token set spent_at = $2 where token_hash = $1', [hashOf(token), now]);
    } else if (rows[0]?.spent_at) {
      await tx.query(
        `with tokens as (update refresh_token set revoked_at = $2 where family_id = $1 and revoked_at is null)
         update session set revoked_at = $2 where family_id = $1 and revoked_at is null`,
        [rows[0].family_id, now],
      );
    }
    return worth;
  }
}

const SELECT = 'select * from refresh_token where token_hash = $1';

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function worthOf([row]: Row[]): Worth {
  if (!row || (!row.spent_at && row.expires_at <= realNow())) return { refusal: 'INVALID_REFRESH_TOKEN' };
  if (row.spent_at || row.revoked_at) return { refusal: 'REFRESH_TOKEN_REVOKED' };
  return {
    subject: { type: row.subject_type, id: row.subject_id },
    familyId: row.family_id,
    expiresAt: row.expires_at,
  };
}
