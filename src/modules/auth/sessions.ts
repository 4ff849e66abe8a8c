import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { TOKEN_TTL_SECONDS, type TokenType } from './tokens.js';

/** What stands behind a token at this moment. */
export interface SessionState {
  readonly revoked: boolean;
  /** Status of the user; null for an admin, whose status the configuration knows. */
  readonly userStatus: string | null;
}

/** A row per token: a token counts only while its session stands (D11). Real time. */
@Injectable()
export class Sessions {
  constructor(private readonly dataSource: DataSource) {}

  /** Opens a session and returns its id, the token's `jti`. */
  async open(tx: Tx, type: TokenType, subjectId: string): Promise<string> {
    const id = newId();
    const now = realNow();
    await tx.query(
      `insert into session (id, subject_type, subject_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
      [id, type, subjectId, now, new Date(now.getTime() + TOKEN_TTL_SECONDS * 1000)],
    );
    return id;
  }

  /** Undefined for a session that never was. */
  async state(id: string): Promise<SessionState | undefined> {
    const [row] = await this.dataSource.query<SessionState[]>(
      `select revoked_at is not null as revoked, platform_user.status as "userStatus"
         from session
         left join platform_user on subject_type = 'user' and platform_user.id = subject_id::uuid
        where session.id = $1`,
      [id],
    );
    return row;
  }

  async revoke(tx: Tx, id: string): Promise<void> {
    await tx.query('update session set revoked_at = $2 where id = $1 and revoked_at is null', [id, realNow()]);
  }
}
