import { permits } from '../../../http/auth/permissions.js';
import { TOPIC_OF_SCOPE } from '../live.constants.js';
import type { Audience, LiveOwner, PositionedEvent } from '../live.types.js';

/** `permissions` are those of an admin. */
export function audienceOf(owner: LiveOwner, permissions: readonly string[]): Audience {
  const { type, id, key } = owner;
  const topics = key && key.scopes.flatMap((scope) => TOPIC_OF_SCOPE[scope] ?? []);
  const isLimited = type === 'admin' && !permissions.includes('*');
  return { type, id, topics, permissions: isLimited ? permissions : null };
}

/** The recipients whose events an audience receives. */
export function recipientIdsOf({ type, id }: Audience): string[] {
  return type === 'admin' ? [id, ''] : [id];
}

export function mayReceive(audience: Audience, event: PositionedEvent): boolean {
  if (event.recipientType !== audience.type || !recipientIdsOf(audience).includes(event.recipientId))
    return false;
  if (audience.topics && !audience.topics.includes(topicOf(event.type))) return false;
  return !event.permission || !audience.permissions || permits(audience.permissions, event.permission);
}

function topicOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** The text of a message. `data` is sent as it is stored. */
export function frameOf({ id, type, at, data }: PositionedEvent): string {
  return `{"id":"${id}","type":"${type}","at":"${at.toISOString()}","data":${data}}`;
}

export function helloFrame(at: Date, replayed: number, complete: boolean): string {
  return JSON.stringify({ type: 'hello', at: at.toISOString(), data: { replayed, complete } });
}
