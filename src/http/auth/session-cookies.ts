import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import type { Principal } from './principal.js';

const NAMES = { user: 'session', admin: 'admin-session' } as const;

/**
 * Cookies that carry session tokens and that scripts cannot read. In production the prefix `__Host-` makes the browser accept
 * them from this host over HTTPS only; over plain HTTP, as in development, a browser rejects cookies with that prefix.
 */
@Injectable()
export class SessionCookies {
  private readonly isSecure: boolean;

  constructor(config: AppConfig) {
    this.isSecure = config.isProduction;
  }

  /** The token in the session cookie of a user or an admin. */
  read(request: Request, type: Principal['type']): string | undefined {
    const prefix = `${this.name(type)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
  }

  write(response: Response, type: Principal['type'], token: string, seconds: number): void {
    response.cookie(this.name(type), token, { ...this.options(), maxAge: seconds * 1000 });
  }

  clear(response: Response, type: Principal['type']): void {
    response.clearCookie(this.name(type), this.options());
  }

  private name(type: Principal['type']): string {
    return this.isSecure ? `__Host-${NAMES[type]}` : NAMES[type];
  }

  private options(): CookieOptions {
    return { httpOnly: true, secure: this.isSecure, sameSite: 'strict', path: '/' };
  }
}
