import { permits } from '../../../http/auth/permissions.js';
import type { Principal } from '../../../http/auth/principal.js';
import { TOPIC_OF_SCOPE } from '../live.constants.js';
import type { Audience, LiveOwner, NumberedEvent } from '../live.types.js';

/** The owner of the connection that a principal opens. */
export function ownerOf(principal: Principal): LiveOwner {
  const { type, id, sessionId, expiresAt } = principal;
  const key = principal.type === 'user' ? (principal.apiKey ?? null) : null;
  return { type, id, sessionId, key, expiresAt };
}

/** The events that the owner may receive. `permissions`: those of an admin; empty for a user. */
export function audienceOf(owner: LiveOwner, permissions: readonly string[]): Audience {
  const { type, id, key } = owner;
  const topics = key && key.scopes.flatMap((scope) => TOPIC_OF_SCOPE[scope] ?? []);
  const isLimited = type === 'admin' && !permissions.includes('*');
  return { type, id, topics, permissions: isLimited ? permissions : null };
}

/** The ids of the recipients whose events an audience receives; an empty id stands for all admins. */
export function recipientIdsOf({ type, id }: Audience): string[] {
  return type === 'admin' ? [id, ''] : [id];
}

export function mayReceive(audience: Audience, event: NumberedEvent): boolean {
  if (event.recipientType !== audience.type || !recipientIdsOf(audience).includes(event.recipientId))
    return false;
  if (audience.topics && !audience.topics.includes(topicOf(event.type))) return false;
  return !event.permission || !audience.permissions || permits(audience.permissions, event.permission);
}

function topicOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
