import type { Principal } from '../../../http/auth/principal.js';
import type { LiveOwner } from '../live.types.js';

/** The owner of the connection that a principal opens. */
export function ownerOf(principal: Principal): LiveOwner {
  const { type, id, sessionId, expiresAt } = principal;
  const key = principal.type === 'user' ? (principal.apiKey ?? null) : null;
  return { type, id, sessionId, key, expiresAt };
}
