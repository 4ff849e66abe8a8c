import type { Permission } from '../../http/auth/permissions.js';
import type { AdminEventType, UserEventType } from './event-types.constants.js';

export type RecipientType = 'user' | 'admin';

/** An event to insert. `data` is JSON text; null for `balance.changed`, whose data the database computes. */
export interface NewLiveEvent {
  readonly recipientType: RecipientType;
  /** Empty: all admins who hold `permission`. */
  readonly recipientId: string;
  /** Null for users. */
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
  /** The connection ends with this session. For an API key: the id of the key. */
  readonly sessionId: string;
  /** Null for a session without a key. */
  readonly key: { readonly id: string; readonly scopes: readonly string[] } | null;
  /** Real time: the connection ends then. Null for an API key without an end. */
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

/** What the decision about an upgrade passes to the new connection. */
export interface Opening {
  readonly owner: LiveOwner;
  readonly start: DeliveryStart;
}

/** Where the delivery to a new connection begins. */
export interface ReplayStart {
  /** The number of the last event that the client has seen. Null: nothing is replayed. */
  readonly after: number | null;
  /** How many events after `after` were committed before the connection. */
  readonly replayed: number;
  /** Events that were committed before the connection and that this process has not delivered yet. */
  readonly pendingIds: readonly string[];
}

/** Determined before the upgrade, so that a client receives every event that it causes once the connection is open. */
export interface DeliveryStart {
  readonly replay: ReplayStart;
  /** The number of the last event that this process had delivered. */
  readonly delivered: number;
  /** False if the client asked for a replay that is not possible. */
  readonly isComplete: boolean;
}
