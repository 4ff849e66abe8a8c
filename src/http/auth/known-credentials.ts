import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SessionCookies } from './session-cookies.js';

const MAX_CREDENTIALS = 20_000;

/**
 * The tokens, API keys and session cookies with which this process has authenticated requests, as hashes. Load shedding rejects
 * requests before their authentication, and yet has to tell users from callers without a valid token (`isAnonymousRefusal`).
 */
@Injectable()
export class KnownCredentials {
  private readonly hashes = new Set<string>();

  constructor(private readonly cookies: SessionCookies) {}

  /** Records the credentials of a request that was authenticated. */
  recordUse(request: Request): void {
    const key = this.keyOf(request);
    if (key === undefined || this.hashes.has(key)) return;
    const [oldest] = this.hashes;
    if (oldest !== undefined && this.hashes.size >= MAX_CREDENTIALS) this.hashes.delete(oldest);
    this.hashes.add(key);
  }

  areKnown(request: Request): boolean {
    const key = this.keyOf(request);
    return key !== undefined && this.hashes.has(key);
  }

  private keyOf(request: Request): string | undefined {
    const { cookies } = this;
    const credentials =
      request.headers.authorization ?? cookies.read(request, 'user') ?? cookies.read(request, 'admin');
    return credentials === undefined ? undefined : hash('sha256', credentials, 'base64');
  }
}
