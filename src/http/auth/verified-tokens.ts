import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realSeconds } from '../../common/clock.js';
import type { Principal } from './principal.js';

const MAX_VERIFIED_TOKENS = 20_000;

export interface VerifiedToken {
  /** Claim `exp`, in seconds since 1970. */
  readonly expiresAt: number;
  /** Repeats the checks whose result can change, those of session and account. Throws as the strategy does. */
  readonly getPrincipal: () => Promise<Principal>;
}

/**
 * Access tokens whose signature and claims this process has verified. Verification gives the same result each time until the
 * token expires, and costs more than the rest of the authentication. Only hashes of tokens are kept.
 */
@Injectable()
export class VerifiedTokens {
  private readonly byHash = new Map<string, VerifiedToken>();

  storeToken(token: string, verified: VerifiedToken): void {
    const [oldest] = this.byHash.keys();
    if (oldest !== undefined && this.byHash.size >= MAX_VERIFIED_TOKENS) this.byHash.delete(oldest);
    this.byHash.set(hashOf(token), verified);
  }

  /** Undefined also for an expired token, which the strategy then refuses. */
  findToken(token: string): VerifiedToken | undefined {
    const key = hashOf(token);
    const verified = this.byHash.get(key);
    if (!verified || realSeconds() < verified.expiresAt) return verified;
    this.byHash.delete(key);
    return undefined;
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64');
}
