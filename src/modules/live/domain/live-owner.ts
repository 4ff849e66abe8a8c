import type { Principal } from '../../../http/auth/principal.js';
import type { LiveOwner } from '../live.types.js';

/** The owner of the connection that a principal opens. */
export function ownerOf(principal: Principal): LiveOwner {
  const { type, id, sessionId, expiresAt } = principal;
  return { type, id, sessionId, key: keyOf(principal), expiresAt };
}

/** The API key with which the principal has signed in; null for a session. */
function keyOf(principal: Principal & { key?: LiveOwner['key'] }): LiveOwner['key'] {
  return principal.key ?? null;
}
