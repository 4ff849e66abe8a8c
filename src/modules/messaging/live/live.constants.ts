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

/** A client can continue only after an event that was written within the last hours of this number, in real time. */
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
