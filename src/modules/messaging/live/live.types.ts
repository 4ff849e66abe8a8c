import type { Permission } from '../../../http/auth/permissions.js';

export type RecipientType = 'user' | 'admin';

/** A message for a user or for admins. One event has at most two for its user and one for admins. */
export interface LiveMessage {
  readonly id: string;
  /** The number of the event: its place in the order of delivery. */
  readonly sequence: number;
  readonly recipientType: RecipientType;
  /** Empty: all admins who hold `permission`. */
  readonly recipientId: string;
  /** The permission that an admin needs. Null for messages of users. */
  readonly permission: Permission | null;
  readonly type: string;
  /** Domain time. */
  readonly at: Date;
  /** JSON. */
  readonly data: string;
}

/** The owner of a connection. */
export interface LiveOwner {
  readonly type: RecipientType;
  readonly id: string;
  /** The session with which the connection ends. For an API key: the id of the key. */
  readonly sessionId: string;
  /** The API key that opened the connection. Null if a session opened it. */
  readonly key: {
    readonly id: string;
    readonly scopes: readonly string[];
    /** The networks from which the connection may be opened; null: from every address. */
    readonly networks: readonly string[] | null;
  } | null;
  /** The real time at which the connection ends. Null for an API key without an end. */
  readonly expiresAt: Date | null;
}

/** The events that a connection may receive. */
export interface Audience {
  readonly type: RecipientType;
  readonly id: string;
  /** The e-mail address of an admin; null for a user. */
  readonly email: string | null;
  /** Null: all topics. */
  readonly topics: readonly string[] | null;
  /** The permissions of an admin; null for users and for admins with all permissions. */
  readonly permissions: readonly string[] | null;
}

/** A reservation for a connection that is being opened; with `refusal`, the limit that refuses it. */
export interface Place {
  /** The network address of the caller. */
  readonly address: string;
  readonly refusal: 'full' | 'address' | null;
}

/** An admitted upgrade: the owner of the new connection, the caller's address, and where its delivery begins. */
export interface Opening {
  readonly owner: LiveOwner;
  readonly address: string;
  readonly start: DeliveryStart;
}

/** Where a replay starts, or which messages from before the connection are left out. */
export interface ReplayStart {
  /** The number of the event after which the replay begins. Null if nothing is replayed. */
  readonly after: number | null;
  /** How many messages of the replay are from before the connection. */
  readonly replayed: number;
  /**
   * Ids of messages that are not sent. With a replay: the message of its first event that the client has already seen. Without:
   * the messages of events that were committed before the connection and that this process has not delivered yet.
   */
  readonly skippedIds: readonly string[];
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

export const LIVE_PATH = '/api/live';

/** The topic of the events that a scope of an API key opens. */
export const TOPIC_OF_SCOPE: Readonly<Record<string, string>> = {
  'balance:read': 'balance',
  'investments:read': 'investment',
  'deposits:read': 'deposit',
  'withdrawals:read': 'withdrawal',
  'notifications:read': 'notification',
};

/** Why the service closes a connection. */
export const CLOSE = {
  messageSent: { code: 1008, reason: 'this connection takes no messages' },
  restart: { code: 1012, reason: 'restart: connect again in some seconds' },
  tooSlow: { code: 1013, reason: 'messages were not read in time' },
  noPong: { code: 1013, reason: 'no pong within the time allowed' },
  sessionEnded: { code: 4401, reason: 'the session has ended' },
  replaced: { code: 4429, reason: 'replaced by a newer connection' },
} as const;
export type CloseReason = (typeof CLOSE)[keyof typeof CLOSE];

/** A client can continue after an event only if the event was written at most this many hours ago, in real time. */
export const REPLAY_HOURS = 24;
export const TICKET_SECONDS = 30;
/** A longer message of the client is answered with close code 1009. */
export const MAX_MESSAGE_BYTES = 1024;
/** Bytes that a connection may hold because its client has not read them. */
export const MAX_BUFFERED_BYTES = 256 * 1024;
/** Events of one page of a replay. The next page is read when the socket has taken the page before. */
export const REPLAY_PAGE_EVENTS = 50;
/** Events that a process reads at once to send them to its connections. */
export const DELIVERY_PAGE_EVENTS = 500;
/** Pings of a client within a ping interval of the service; more are answered with close code 1008. */
export const MAX_CLIENT_PINGS = 60;
