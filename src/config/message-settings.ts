import { integer, mailbox, smtpUrl, url, webhookSecret } from './readers.js';
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

/** The settings of e-mail delivery. */
export const MAIL_SETTINGS = {
  SMTP_URL: setting(
    smtpUrl,
    undefined,
    'mail server, such as smtps://user:password@mail.example.com; smtp: demands STARTTLS unless the server is on this machine; without it no e-mail is sent',
    { isSecret: true },
  ),
  MAIL_FROM: setting(
    mailbox,
    undefined,
    'sender of e-mail, such as Platform <no-reply@example.com>; required where SMTP_URL is set',
  ),
} as const;

/** The settings of the event webhook. */
export const EVENT_SETTINGS = {
  EVENT_WEBHOOK_URL: setting(
    url('http:', 'https:'),
    undefined,
    "the operator's own receiver of all events, in order (docs/events.md); without it none is sent",
    { mayBeLocal: true },
  ),
  EVENT_WEBHOOK_SECRET: setting(
    webhookSecret,
    undefined,
    'signs the requests to EVENT_WEBHOOK_URL; required where EVENT_WEBHOOK_URL is set',
    { isSecret: true },
  ),
} as const;
