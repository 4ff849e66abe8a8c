import type { Permission } from '../../http/auth/permissions.js';
import type { AdminEventType, UserEventType } from './event-types.constants.js';

export type RecipientType = 'user' | 'admin';

/** An event to insert. `data` is JSON text; null for `balance.changed`, whose data the database computes. */
export interface NewLiveEvent {
  readonly recipientType: RecipientType;
  /** Empty: all admins who hold `permission`. */
  readonly recipientId: string;
  /** The permission that an admin needs. Null for events of users. */
  readonly permission: Permission | null;
  readonly type: UserEventType | AdminEventType;
  /** Domain time. */
  readonly at: Date;
  readonly data: string | null;
}

/** A stored event with its number, its place in the order of delivery. */
export interface NumberedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly recipientType: RecipientType;
  readonly recipientId: string;
  readonly permission: Permission | null;
  readonly type: string;
  readonly at: Date;
  readonly data: string;
}

/** The owner of a connection. */
export interface LiveOwner {
  readonly type: RecipientType;
  readonly id: string;
  /** The session with which the connection ends. For an API key: the id of the key. */
  readonly sessionId: string;
  /** The API key that opened the connection. Null if a session opened it. */
  readonly key: { readonly id: string; readonly scopes: readonly string[] } | null;
  /** The real time at which the connection ends. Null for an API key without an end. */
  readonly expiresAt: Date | null;
}

/** The events that a connection may receive. */
export interface Audience {
  readonly type: RecipientType;
  readonly id: string;
  /** Null: all topics. */
  readonly topics: readonly string[] | null;
  /** The permissions of an admin; null for users and for admins with all permissions. */
  readonly permissions: readonly string[] | null;
}

/** An admitted upgrade: the owner of the new connection and where its delivery begins. */
export interface Opening {
  readonly owner: LiveOwner;
  readonly start: DeliveryStart;
}

/** The start of a replay, and the events that were committed before a connection but are still to be delivered. */
export interface ReplayStart {
  /** The number of the last event that the client has seen. Null if nothing is replayed. */
  readonly after: number | null;
  /** How many events after `after` were committed before the connection. */
  readonly replayed: number;
  /** Events that were committed before the connection and that this process has not delivered yet. */
  readonly pendingIds: readonly string[];
}

/**
 * Where the delivery to a new connection begins. Determined before the upgrade, so that a client receives every event that it
 * causes once the connection is open.
 */
export interface DeliveryStart {
  readonly replay: ReplayStart;
  /** The number of the last event that this process had delivered. */
  readonly lastDelivered: number;
  /** False if the client asked for a replay that is not possible. */
  readonly isComplete: boolean;
}
