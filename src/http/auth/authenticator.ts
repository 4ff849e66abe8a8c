import type { Principal } from './principal.js';

/**
 * Who a token belongs to. A port: this layer asks, the auth module answers.
 * Refuses with TOKEN_EXPIRED, TOKEN_INVALID (also when revoked) or FORBIDDEN (a user who is not active).
 */
export abstract class Authenticator {
  abstract authenticate(token: string): Promise<Principal>;

  /** What a request with a session cookie has to send as X-CSRF-Token. */
  abstract csrfTokenOf(principal: Principal): string;

  /** Whether what it sent is that, made with any secret that is accepted now. */
  abstract isCsrfTokenOf(principal: Principal, given: string): boolean;
}
