import { originOf } from '../../../../config/origins.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { parsedUrl } from '../../../../common/parsed-url.js';

/** Printable ASCII without the backslash: some clients read a backslash as a slash and would see another host. */
const UNAMBIGUOUS = /^[!-[\]-~]+$/;

/**
 * A client may name a destination after a sign-in only at the origins of the platform's own web applications; otherwise
 * the service would relay phishing. Throws VALIDATION_ERROR for any other address.
 */
export function requireAllowedRedirectUrl(
  redirectUrl: string | undefined,
  { PUBLIC_URL, CORS_ORIGINS }: { PUBLIC_URL: string; CORS_ORIGINS: readonly string[] },
): void {
  if (redirectUrl === undefined || isAtOrigin(redirectUrl, [PUBLIC_URL, ...CORS_ORIGINS])) return;
  throwError('VALIDATION_ERROR', [
    { field: 'redirectUrl', message: 'must be an address at PUBLIC_URL or one of CORS_ORIGINS' },
  ]);
}

/** Requires `://`, because browsers read `https:host` as a relative address on a page of the same scheme. */
function isAtOrigin(text: string, origins: readonly string[]): boolean {
  const address = UNAMBIGUOUS.test(text) ? parsedUrl(text) : undefined;
  if (!address) return false;
  const { username, password } = address;
  return origins.includes(originOf(text)) && username === '' && password === '' && text.includes('://');
}
