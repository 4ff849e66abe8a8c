import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { realNow } from '../../../common/clock.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import {
  REFRESH_TOKEN_TTL_MS,
  type RefreshTokenCheck,
  type RefreshTokenFamily,
  type RefusedRefreshToken,
  type SessionFamily,
  type SpentRefreshToken,
  type Subject,
} from './auth.types.js';
import { SessionsRepository, type NewRefreshToken, type StoredRefreshToken } from './sessions.repository.js';

const TOKEN_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'successor of a refresh token';

/**
 * Encrypts a refresh token with the token that it replaces. The database stores only a hash of that token, so that a
 * reader of the database cannot decrypt the successor. Returns IV, authentication tag and ciphertext.
 */
export function encryptSuccessor(successor: string, spentToken: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(spentToken), iv);
  const ciphertext = Buffer.concat([cipher.update(successor, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Throws if `encrypted` was encrypted with another token or was modified. */
export function decryptSuccessor(encrypted: Buffer, spentToken: string): string {
  const decipher = createDecipheriv(ALGORITHM, keyOf(spentToken), encrypted.subarray(0, IV_BYTES));
  decipher.setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const ciphertext = encrypted.subarray(IV_BYTES + TAG_BYTES);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}

function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', PURPOSE, KEY_BYTES));
}

/** Opaque tokens of 256 bits that can each be used once within seven days of real time. The database holds their hashes. */
@Injectable()
export class RefreshTokensService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly seals: CredentialSealsService,
  ) {}

  issueRefreshToken(tx: Tx, subject: Subject, family: SessionFamily): string {
    const token = newToken();
    this.sessions.insertRefreshToken(tx, this.newRow(token, subject, family));
    return token;
  }

  /** Does not spend the token. Refuses a spent one, even while `spendRefreshToken` would return its successor again. */
  async checkRefreshToken(token: string): Promise<RefreshTokenCheck> {
    return checkRow(await this.findToken(token));
  }

  /** Undefined for an unknown token, also if it has expired and its row is deleted. */
  async findFamily(token: string): Promise<RefreshTokenFamily | undefined> {
    const row = await this.findToken(token);
    return row && { ...ownerOf(row), isRevoked: row.revokedAt !== null };
  }

  /**
   * Spends a token and issues its successor. If the token was spent at most SUCCESSOR_REPEAT_SECONDS ago, returns the same
   * successor. If it was spent earlier, revokes the family in this transaction, which the caller has to commit before it
   * refuses the request.
   */
  async spendRefreshToken(
    tx: Tx,
    token: string,
    familyId: string,
  ): Promise<SpentRefreshToken | RefusedRefreshToken> {
    await this.sessions.lockFamily(tx, familyId);
    const row = await this.findToken(token, tx);
    const check = checkRow(row);
    if ('subject' in check) {
      const successor = newToken();
      const next = this.newRow(successor, check.subject, check);
      // The database's clock, because `isRepeatable` compares with it.
      const checked = row as StoredRefreshToken;
      const spent = {
        ...checked,
        spentAt: checked.databaseNow,
        successor: encryptSuccessor(successor, token),
      };
      const seal = this.seals.sealRow('refresh_token', spent);
      await this.sessions.replaceRefreshToken(tx, { spent: { ...spent, seal }, next });
      return { ...check, successor };
    }
    if (!row?.spentAt || row.revokedAt) return check;
    if (row.isRepeatable && row.successor)
      return { ...ownerOf(row), successor: decryptSuccessor(row.successor, token) };
    await this.sessions.revokeFamily(tx, familyId);
    return check;
  }

  /** Undefined for an unknown token, and for a forged row, unless its token can neither be spent nor repeated anyway. */
  private async findToken(token: string, tx?: Tx): Promise<StoredRefreshToken | undefined> {
    const row = await this.sessions.findRefreshToken(this.seals.hashesOfToken(token), tx);
    return row && (isOver(row) || this.seals.isAuthentic('refresh_token', row)) ? row : undefined;
  }

  private newRow(
    token: string,
    { type, id }: Subject,
    { familyId, walletId, openedBy }: SessionFamily,
  ): NewRefreshToken {
    const createdAt = realNow();
    const row = {
      tokenHash: this.seals.hashToken(token),
      familyId,
      walletId,
      openedBy,
      subjectType: type,
      subjectId: id,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + REFRESH_TOKEN_TTL_MS),
    };
    return {
      ...row,
      seal: this.seals.sealRow('refresh_token', { ...row, spentAt: null, successor: null }),
    };
  }
}

/** True if the token can neither be spent nor return its successor again, so that its row needs no seal. */
function isOver({ revokedAt, spentAt, successor, isRepeatable }: StoredRefreshToken): boolean {
  return revokedAt !== null || (spentAt !== null && !(isRepeatable && successor));
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The user or admin of a token, and its family. */
function ownerOf({ subjectType, subjectId, familyId, walletId, openedBy }: StoredRefreshToken) {
  return { subject: { type: subjectType, id: subjectId }, familyId, walletId, openedBy };
}

/** A spent token is refused as revoked even after its expiry, because `spendRefreshToken` treats its reuse as theft. */
function checkRow(row: StoredRefreshToken | undefined): RefreshTokenCheck {
  if (!row || (!row.spentAt && row.expiresAt <= realNow())) return { refusal: 'INVALID_REFRESH_TOKEN' };
  if (row.spentAt || row.revokedAt) return { refusal: 'REFRESH_TOKEN_REVOKED' };
  return { ...ownerOf(row), expiresAt: row.expiresAt };
}
