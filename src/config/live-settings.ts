import { integer } from './readers.js';
import { setting } from './setting.js';

/** The settings of live delivery. */
export const LIVE_SETTINGS = {
  LIVE_CONNECTIONS: setting(
    integer(1, 100_000),
    10_000,
    'WebSocket connections per process, besides CONNECTIONS_AT_ONCE; above it they are answered 503',
  ),
  LIVE_CONNECTIONS_PER_ADDRESS: setting(
    integer(1, 100_000),
    500,
    'WebSocket connections per process and network address of a caller (an IPv6 address counts by /64); above it they are answered 429',
  ),
  LIVE_CONNECTIONS_PER_USER: setting(
    integer(1, 1000),
    5,
    'WebSocket connections per process and user, admin or API key; a further one closes the oldest',
  ),
} as const;
