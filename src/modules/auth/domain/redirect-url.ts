import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { fail } from '../../../common/errors/domain-error.js';

/** Printable ASCII without the backslash, which some clients read as a slash, so that they see another host. */
const UNAMBIGUOUS = /^[!-[\]-~]+$/;

/** Which addresses a client may name as its destination after a sign-in: those of the platform's own web applications. */
@Injectable()
export class RedirectUrls {
  private readonly origins: ReadonlySet<string>;

  constructor(config: AppConfig) {
    this.origins = new Set([config.PUBLIC_URL, ...config.CORS_ORIGINS]);
  }

  /** Throws VALIDATION_ERROR for an address of another origin. */
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
