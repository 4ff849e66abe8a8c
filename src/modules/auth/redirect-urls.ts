import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../kernel/errors/domain-error.js';

/** Printable ASCII without the backslash: what some clients read as another host is refused. */
const UNAMBIGUOUS = /^[!-[\]-~]+$/;

/** Where a client may be told to go after a sign-in: to the platform's own web applications. */
@Injectable()
export class RedirectUrls {
  private readonly origins: ReadonlySet<string>;

  constructor(config: AppConfig) {
    this.origins = new Set([config.PUBLIC_URL, ...config.CORS_ORIGINS]);
  }

  /** Throws VALIDATION_ERROR for an address of anybody else's. */
  requireAllowed(redirectUrl: string | undefined): void {
    if (redirectUrl === undefined || this.isAllowed(redirectUrl)) return;
    fail('VALIDATION_ERROR', [
      { field: 'redirectUrl', message: 'must be an address at PUBLIC_URL or one of CORS_ORIGINS' },
    ]);
  }

  private isAllowed(text: string): boolean {
    if (!UNAMBIGUOUS.test(text) || !URL.canParse(text)) return false;
    const { origin, username, password } = new URL(text);
    return this.origins.has(origin) && username === '' && password === '' && text.includes('://');
  }
}
