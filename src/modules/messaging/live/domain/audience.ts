import { topicOf } from '../../../../events/event-topics.js';
import { permits, type Permission } from '../../../../http/auth/permissions.js';
import type { Principal } from '../../../../http/auth/principal.js';
import {
  ADMIN_EVENTS,
  USER_EVENTS,
  type AdminEventDescription,
  type EventDescription,
} from '../event-types.constants.js';
import { TOPIC_OF_SCOPE } from '../live.constants.js';
import type { Audience, LiveMessage, LiveOwner } from '../live.types.js';

/** The owner of the connection that a principal opens. */
export function ownerOf(principal: Principal): LiveOwner {
  const { type, id, sessionId, expiresAt } = principal;
  const key = principal.type === 'user' ? (principal.apiKey ?? null) : null;
  return { type, id, sessionId, key, expiresAt };
}

/** The messages that the owner may receive. `admin`: the present entry of an admin; undefined for a user. */
export function audienceOf(
  owner: LiveOwner,
  admin?: { readonly email: string; readonly permissions: readonly string[] },
): Audience {
  const { type, id, key } = owner;
  const topics = key && key.scopes.flatMap((scope) => TOPIC_OF_SCOPE[scope] ?? []);
  const permissions = admin?.permissions ?? [];
  const isLimited = type === 'admin' && !permissions.includes('*');
  return { type, id, email: admin?.email ?? null, topics, permissions: isLimited ? permissions : null };
}

export function mayReceive(
  audience: Audience,
  { recipientType, recipientId, type, permission }: LiveMessage,
): boolean {
  const isRecipient = recipientId === audience.id || (audience.type === 'admin' && recipientId === '');
  if (recipientType !== audience.type || !isRecipient) return false;
  if (audience.topics && !audience.topics.includes(topicOf(type))) return false;
  return !permission || !audience.permissions || permits(audience.permissions, permission);
}

/** Whether `balance.changed` is among the messages. */
export function receivesBalances({ type, topics }: Audience): boolean {
  return type === 'user' && (topics?.includes('balance') ?? true);
}

/** The domain events of which the audience receives a message, except those whose recipients depend on their data. */
export function eventTypesOf({ type: recipient, topics, permissions }: Audience): string[] {
  const events: Readonly<Record<string, EventDescription & Partial<AdminEventDescription>>> =
    recipient === 'user' ? USER_EVENTS : ADMIN_EVENTS;
  return Object.entries(events).flatMap(([type, description]) => {
    const isOfTopic = topics?.includes(topicOf(type)) ?? true;
    const isPermitted =
      recipient === 'user' ||
      (!dependsOnData(description) &&
        (!permissions || permits(permissions, description.permission as Permission)));
    return type !== 'balance.changed' && isOfTopic && isPermitted ? (description.recordedAs ?? [type]) : [];
  });
}

/** Whether the admins who receive the event depend on its data. */
export function dependsOnData({ permission, recipient }: Partial<AdminEventDescription>): boolean {
  return permission === null || recipient !== undefined;
}
